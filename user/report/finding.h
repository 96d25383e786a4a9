/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding: why a program is slow, in sentences: from the spans of a trace to findings, the most
 * costly first. Each has a number, a share of the lost time, a place in the code, and who is to
 * blame. docs/findings.md says which time counts as lost, and when a family of findings is silent.
 *
 * 	struct findings *f = findings_new(s);
 * 	ret = spans_read(s, reader, &err);
 * 	const struct vec *list = findings_finish(f);
 * 	... vec_at(list, struct finding, i) ...
 * 	findings_free(f);
 *
 * cmd/report/report.c and html/ show them.
 */
#ifndef GOTAP_REPORT_FINDING_H
#define GOTAP_REPORT_FINDING_H

#include "oncpu/oncpu.h"
#include "spans/spans.h"
#include "threads/sums.h"

struct finding {
	const char *kind;	/* a constant: "lock", "leak"; docs/findings.md has all */
	/* one sentence or two; names in it are of the trace, and not yet fit for a terminal */
	char *text;
	/* who is to blame, or where those suffer that nobody is seen to harm; "" not known */
	const char *function, *file;
	uint64_t line;		/* 0 not known */
	double share;		/* of the lost time of the trace, 0 to 1 */
	double seconds;		/* of goroutines, summed up */
	uint64_t *goroutines;	/* ids of some of those that suffer, the first ones */
	size_t ngoroutines;
	int64_t from, to;	/* ns since the first event: the place to look at in a viewer */
};

struct findings;

/* Adds its visitor to @s, which must live as long. */
struct findings *findings_new(struct spans *s);
/*
 * Before spans_read(): the states of threads in Linux, for the findings of goroutines without a
 * CPU. Both must live until findings_finish(). A file of another time is left out by itself
 * (oncpu_begins()).
 */
void findings_threads(struct findings *f, struct oncpu *o, const struct thread_sums *sums);
/* Before findings_finish(): it was the file of another recording. */
void findings_forget_threads(struct findings *f);
/* After spans_read(), also if that failed: struct finding, the most costly first. They are @f's. */
const struct vec *findings_finish(struct findings *f);
/*
 * Seconds of goroutines that were lost, whether or not a finding tells of them; after
 * findings_finish().
 */
double findings_lost(const struct findings *f);
/* Accepts NULL. */
void findings_free(struct findings *f);

#endif
