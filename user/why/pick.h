/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pick: all instances of a function, task or region in one or several traces, and which of them are
 * looked at: the slowest, the one at a percentile, or two groups to be compared. A visitor of the
 * first of two passes.
 *
 * An instance is whole if the trace has its begin and its end; others are counted, and looked at
 * only if there is no whole one. Beyond a million, every second (fourth, ...) instance counts; the
 * longest always does.
 */
#ifndef GOTAP_WHY_PICK_H
#define GOTAP_WHY_PICK_H

#include "spans/spans.h"

enum why_of { WHY_PROGRAM, WHY_GOROUTINE, WHY_FUNC, WHY_TASK, WHY_REGION };

/* No two of a trace begin at the same time, but goroutines that were found when it began. */
struct instance {
	int64_t from, ns;
	uint64_t g;		/* of a task: its id */
	uint32_t trace;		/* counts from 0 */
	uint32_t group;		/* of picked ones: 1 the slow ones, 0 */
};

struct pick_list {
	struct vec kept;	/* struct instance */
	uint64_t n, stride;	/* all; every which is kept */
	struct instance longest;
};

struct pick {
	struct spans *s;
	enum why_of of;
	const char *name;	/* NULL: the task @id */
	uint64_t id;
	uint32_t trace;
	struct pick_list whole, part;	/* part: begun before the trace, or not ended in it */
	/* names that were not asked for -> how many: for messages, some of them */
	struct map64 others;
	bool is_part;		/* after pick_sort(): there are no whole ones */
	struct pick_list *list;	/* after pick_sort(): those that count */
};

/*
 * @p becomes a visitor of @s. Names are compared with all of @name, or with what follows its last
 * '/'.
 */
void pick_init(struct pick *p, struct spans *s, enum why_of of, const char *name, uint64_t id);
void pick_free(struct pick *p);
/* After all traces: sorts by time. -ENOENT: there are none; the error names others. */
int pick_sort(struct pick *p, struct error *err);
/* The instance at a percentile, 100 the longest. */
struct instance pick_at(const struct pick *p, double percentile);
/* Its rank among those that are kept. */
size_t pick_rank(const struct pick *p, double percentile);
/*
 * Appends to @picked instances of the ranks [@first, @end), at most @max, evenly; returns of how
 * many.
 */
uint64_t pick_group(const struct pick *p, size_t first, size_t end, size_t max, uint32_t group,
		    struct vec *picked);

#endif
