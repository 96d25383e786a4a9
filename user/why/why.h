/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why: answers why something took its time, by the critical path (walk.h) of one interval, or of
 * many intervals in two groups. `gotap why` (cmd/why/why.c) asks and prints.
 *
 * 	struct why *w = why_new(&question);
 * 	if (why_chooses(w)) {			the first of two passes
 * 		for (each trace) why_choose(w, number, reader, &err);
 * 		why_chosen(w, &err);
 * 	}
 * 	for (each trace) why_read(w, number, reader, &err);
 * 	why_check(w, &err);
 * 	... why_answer(w) ...
 * 	why_free(w);
 *
 * Memory: the live goroutines, texts and stacks (spans/spans.h), and lists with the limits below. A
 * large trail, and many steps, go to files without a name.
 */
#ifndef GOTAP_WHY_WHY_H
#define GOTAP_WHY_WHY_H

#include "oncpu/oncpu.h"
#include "why/allocated.h"
#include "why/group.h"
#include "why/pick.h"

enum { WHY_SLOWEST = 20 };

struct why_question {
	enum why_of of;
	const char *name;	/* of the function, task or region */
	uint64_t id;		/* of the goroutine, or of the task if @name is NULL */
	const char *label;	/* instances with that label alone (spans/labelled.h); NULL: all */
	bool request;		/* the tasks are requests (read/http.h): @name is a route */
	size_t slowest;		/* how many instances of @name to answer for, 1 to WHY_SLOWEST */
	double percentile;	/* 100: the slowest */
	/* compare the instances from the percentile on with the middle ones */
	bool all;
	/*
	 * ns since the begin of the trace, for a goroutine or the program; INT64_MIN, INT64_MAX:
	 * all
	 */
	int64_t from, to;
};

struct why_answer {
	const struct pick *pick;	/* NULL: no instance was chosen */
	bool found;
	uint32_t trace;
	int64_t begin;			/* of the trace: times are shown relative to this begin */
	/* goroutine at the end of the interval; TRACEV2_NO_ID: not known */
	uint64_t g;
	uint64_t task;			/* that was chosen; another instance: its goroutine */
	const char *name;		/* the function that @g began with */
	/* the interval begins, ends with the goroutine, task or region itself */
	bool from_start, to_end;
	struct path path;
	struct why_because because;	/* of the assists on @path */
	/* with question.all: the middle instances, and the slow ones */
	struct why_group groups[2];
};

/* The sums in both groups of the steps that have the same causes: ns per instance. */
struct why_row {
	struct cause root, wait, leaf;	/* may be equal, as in struct part */
	double ns[2];
};

struct why;

struct why *why_new(const struct why_question *q);
/* Frees @w, which may be NULL. */
void why_free(struct why *w);
/* Must the traces be read twice, first with why_choose()? */
bool why_chooses(const struct why *w);
int why_choose(struct why *w, uint32_t trace, struct trace_reader *r, struct error *err);
int why_chosen(struct why *w, struct error *err);
/* Must this trace be read with why_read()? */
bool why_needs(const struct why *w, uint32_t trace);
/*
 * To be called before why_read(): splits running and system calls by the states of the threads. @o
 * was opened with why_spans(); NULL: there are no records of threads. The caller owns @o, which
 * must live until the next call.
 */
void why_split(struct why *w, struct oncpu *o);
int why_read(struct why *w, uint32_t trace, struct trace_reader *r, struct error *err);
/*
 * To be called before why_read(): traces of other processes, which are read beside, and in which
 * the path goes on (sides.h). The readers are the caller's; why_read() reads them to the time at
 * which it ends. For the next trace it is to be called again.
 */
void why_beside(struct why *w, struct trace_reader *const *readers, size_t n);
/* The traces that the last why_read() has read beside; NULL: there were none. */
const struct sides *why_besides(const struct why *w);
/* Returns 0, or -errno and an error that says why there is no answer. */
int why_check(struct why *w, struct error *err);
/* The answer at hand: the first one, until why_turn(). */
const struct why_answer *why_answer(const struct why *w);
/*
 * Number of instances that were chosen and found again, the slowest one first; without @slowest of
 * the question 1.
 */
size_t why_answers(const struct why *w);
/* Number @i of them is the answer at hand from now on. */
void why_turn(struct why *w, size_t i);
bool why_same_cause(const struct cause *a, const struct cause *b);
/*
 * Returns a row for each set of causes of both groups, those first of which the slow group has
 * more. The caller frees the rows.
 */
struct why_row *why_compare(const struct why_answer *a, size_t *n);
struct spans *why_spans(const struct why *w);
/* Did why_split() get records of threads for any trace? */
bool why_is_split(const struct why *w);

#endif
