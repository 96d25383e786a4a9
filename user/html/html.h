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
 * Memory: tables with an upper size. The spans of the trace go to a temporary file (spill.h);
 * html_write() reads them again and makes levels of detail of them (levels.h), as many as a page of
 * HTML_LIMIT bytes has room for.
 */
#ifndef GOTAP_HTML_HTML_H
#define GOTAP_HTML_HTML_H

#include "oncpu/oncpu.h"
#include "spans/spans.h"

/* Bytes of a page, unless the report in it takes more than two thirds of that. */
enum { HTML_LIMIT = 14 << 20 };

struct html;

/* A time that a reader of the page will look at: the timeline keeps its details there first. */
struct html_place {
	int64_t from, to;
	uint64_t g;		/* TRACEV2_NO_ID: of no goroutine */
};

struct html_about {
	const char *file;	/* the trace, as the user named it */
	int version;		/* NN of go 1.NN */
	const char *report;	/* JSON of `gotap report --json`; NULL: none */
	size_t report_len;
	const struct html_place *places;
	size_t nplaces;
	const char *damage;	/* why reading ended early; NULL: it did not */
};

/* Adds itself to the visitors of @s, which must outlive it. */
struct html *html_new(struct spans *s);
/*
 * Before the trace is read: lanes show when threads were not on a CPU. @o must live as long as it
 * is read; NULL: not known.
 */
void html_threads(struct html *h, struct oncpu *o);
/* The file of threads turned out to be of another recording. */
void html_forget_threads(struct html *h);
/* When the trace was read. */
int html_write(struct html *h, int fd, const struct html_about *about, struct error *err);
/* Accepts NULL. */
void html_free(struct html *h);

#endif
