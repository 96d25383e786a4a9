/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding: the reasons why a program is slow, in sentences: makes findings from the spans of a
 * trace, the most costly first. Each finding has an amount, a share of the lost time, a place in
 * the code, and the function that is responsible. docs/findings.md defines which time counts as
 * lost, and when a family of findings reports nothing.
 *
 * 	struct findings *f = findings_new(s);
 * 	ret = spans_read(s, reader, &err);
 * 	const struct vec *list = findings_finish(f);
 * 	... vec_at(list, struct finding, i) ...
 * 	findings_free(f);
 *
 * cmd/report/report.c and html/ show the findings.
 */
#ifndef GOTAP_REPORT_FINDING_H
#define GOTAP_REPORT_FINDING_H

#include "oncpu/oncpu.h"
#include "spans/spans.h"
#include "threads/sums.h"

struct finding {
	const char *kind;	/* a constant: "lock", "leak"; docs/findings.md lists all kinds */
	/* one or two sentences; names of the trace in it are not escaped for a terminal */
	char *text;
	/*
	 * the place of the responsible function; if none is known, the place of the goroutines that
	 * lose time; "": not known
	 */
	const char *function, *file;
	uint64_t line;		/* 0: not known */
	double share;		/* part of the lost time of the trace, 0 to 1 */
	double seconds;		/* sum over goroutines */
	uint64_t *goroutines;	/* ids of the first goroutines that lose time */
	size_t ngoroutines;
	int64_t from, to;	/* ns since the first event: the time to show in a viewer */
	/* it ended the program: it stands before the others, and no time of goroutines is its */
	bool first;
};

/* Who holds the memory of a program that had none left: of the JSON beside a snapshot. */
struct finding_memory {
	const char *text;
	const char *function, *file;	/* that allocated most of it; "": not known */
	uint64_t line;
};

struct findings;

/* Makes the findings and adds their visitor to @s, which must outlive them. */
struct findings *findings_new(struct spans *s);
/*
 * To be called before spans_read(): the states of threads in Linux, for findings about goroutines
 * without a CPU. @o and @sums must live until findings_finish(). If the file of threads is of
 * another time (oncpu_begins()), it is ignored.
 */
void findings_threads(struct findings *f, struct oncpu *o, const struct thread_sums *sums);
/*
 * To be called before findings_finish() if the file of threads is of another recording: it is
 * ignored.
 */
void findings_forget_threads(struct findings *f);
/* To be called before findings_finish(), once; copies @m. */
void findings_out_of_memory(struct findings *f, const struct finding_memory *m);
/*
 * To be called after spans_read(), also after a failed one. Returns a vec of struct finding, the
 * most costly first, which @f owns.
 */
const struct vec *findings_finish(struct findings *f);
/*
 * Returns the seconds of goroutines that were lost, in findings and otherwise. To be called after
 * findings_finish().
 */
double findings_lost(const struct findings *f);
/* Frees @f, which may be NULL. */
void findings_free(struct findings *f);

#endif
