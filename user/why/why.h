/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why: answers the question why something took its time, with the critical path (walk.h) of one
 * interval, or of many intervals in two groups. `gotap why` (cmd/why/why.c) asks and prints.
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
 * Memory: the goroutines that live, texts and stacks (spans/spans.h), and limits of the lists here;
 * the trail and the steps go to files without a name when they are large.
 */
#ifndef GOTAP_WHY_WHY_H
#define GOTAP_WHY_WHY_H

#include "oncpu/oncpu.h"
#include "why/path.h"
#include "why/pick.h"

struct why_question {
	enum why_of of;
	const char *name;	/* of function, task or region */
	uint64_t id;		/* of the goroutine, or of the task if there is no name */
	double percentile;	/* 100: the slowest */
	/* those from the percentile up, compared with those of the middle */
	bool all;
	/* ns since the trace's begin, of a goroutine or the program; INT64_MIN, _MAX: all */
	int64_t from, to;
};

enum {
	WHY_LOOKED_AT = 200,	/* instances of a group, at most */
	WHY_WORK = 6000000,	/* of a group: behind it no other instance is looked at */
};

/* Many intervals: the sums of a path are those of all of them. */
struct why_group {
	uint64_t n, looked;	/* instances */
	int64_t ns;		/* of those that were looked at, together */
	int64_t shortest, longest;
	struct path path;	/* without steps */
	uint64_t work;		/* steps and records of all paths so far */
	bool cut;		/* the rest was not looked at: that would have been too much work */
};

struct why_answer {
	const struct pick *pick;	/* NULL: nothing was chosen */
	bool found;
	uint32_t trace;
	int64_t begin;			/* of the trace: times are shown since then */
	uint64_t g;			/* at the end of the interval; TRACEV2_NO_ID not known */
	const char *name;		/* its function */
	/* it begins with the goroutine, task or region; it ends with it */
	bool from_start, to_end;
	struct path path;
	struct why_group groups[2];	/* of @all: the middle, the slow ones */
};

/* Steps of a pair of causes in both groups: ns per instance. */
struct why_row {
	struct cause root, wait, leaf;	/* equal as in struct part */
	double ns[2];
};

struct why;

struct why *why_new(const struct why_question *q);
/* Accepts NULL. */
void why_free(struct why *w);
/* Is the trace needed twice? */
bool why_chooses(const struct why *w);
int why_choose(struct why *w, uint32_t trace, struct trace_reader *r, struct error *err);
int why_chosen(struct why *w, struct error *err);
/* Is the trace needed the second time? */
bool why_needs(const struct why *w, uint32_t trace);
/*
 * For the trace that why_read() reads next: splits running and system calls by the states of the
 * threads. @o was opened with why_spans(); NULL: there are no records of threads. The caller owns
 * @o, and keeps it until the next call.
 */
void why_split(struct why *w, struct oncpu *o);
int why_read(struct why *w, uint32_t trace, struct trace_reader *r, struct error *err);
/* 0, or why there is no answer. */
int why_check(struct why *w, struct error *err);
const struct why_answer *why_answer(const struct why *w);
bool why_same_cause(const struct cause *a, const struct cause *b);
/* Each pair of causes of both groups once, what the slow ones have more of first; free it. */
struct why_row *why_compare(const struct why_answer *a, size_t *n);
struct spans *why_spans(const struct why *w);
/* Was any trace split? */
bool why_is_split(const struct why *w);

#endif
