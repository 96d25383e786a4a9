/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html: a trace as one page that a browser opens from disk, without network: a timeline of Ps,
 * threads and goroutines, flame graphs, histograms, tables. `gotap report --html` makes it.
 *
 * 	struct html *h = html_new(s);
 * 	... spans_read(s, reader, &err) ...
 * 	ret = html_write(h, fd, &about, &err);
 * 	html_free(h);
 *
 * Memory: tables with a maximum size. The spans of the trace go to a temporary file (spill.h).
 * html_write() reads them again and makes levels of detail (levels.h), as many as a page of
 * HTML_LIMIT bytes has room for.
 */
#ifndef GOTAP_HTML_HTML_H
#define GOTAP_HTML_HTML_H

#include "oncpu/oncpu.h"
#include "spans/spans.h"

/*
 * Bytes of a page. The page is larger only if its report takes more than two thirds of this limit.
 */
enum { HTML_LIMIT = 14 << 20 };

struct html;

/* A time that the report names: the timeline gets its details there first. */
struct html_place {
	int64_t from, to;
	uint64_t g;		/* TRACEV2_NO_ID: no goroutine */
};

struct html_about {
	const char *file;	/* the trace, with the name that the user gave */
	int version;		/* NN of go 1.NN */
	const char *report;	/* JSON of `gotap report --json`; NULL: none */
	const char *units;	/* JSON of the units of work (assets/units.js); NULL: none */
	const struct html_place *places;
	size_t nplaces;
	const char *damage;	/* why reading ended early; NULL: the trace was read to its end */
};

/* Makes the page's data and adds its visitor to @s, which must outlive it. */
struct html *html_new(struct spans *s);
/*
 * To be called before the trace is read: lanes show the times when threads were not on a CPU. @o
 * must live until the trace is read; NULL: these times are not known.
 */
void html_threads(struct html *h, struct oncpu *o);
/* Drops the times of html_threads(): the file of threads is of another recording. */
void html_forget_threads(struct html *h);
/*
 * Writes the page to @fd, after the trace was read. Returns -errno if a write, or the temporary
 * file, fails.
 */
int html_write(struct html *h, int fd, const struct html_about *about, struct error *err);
/* Frees @h, which may be NULL. */
void html_free(struct html *h);

#endif
