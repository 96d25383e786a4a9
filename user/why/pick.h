/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pick: finds all instances of a function, task or region in one or several traces, and chooses the
 * ones for which a path is made: the slowest, the one at a percentile, or two groups to compare. A
 * visitor of the first of two passes.
 *
 * An instance is whole if the trace has its begin and its end. Other instances are counted, and
 * chosen only if no instance is whole. Beyond a million instances every second one (fourth, ...) is
 * kept; the longest is always kept.
 */
#ifndef GOTAP_WHY_PICK_H
#define GOTAP_WHY_PICK_H

#include "spans/labelled.h"
#include "why/instances.h"

struct pick_list {
	struct vec kept;	/* struct instance */
	uint64_t n, stride;	/* number of all instances; every stride-th one is kept */
	struct instance longest;
};

struct pick {
	struct spans *s;
	enum why_of of;
	const char *name;	/* NULL: only the task with @id */
	uint64_t id;
	bool request;		/* tasks of requests alone, by their routes */
	struct labelled *label;	/* instances with that label alone; NULL: all */
	uint32_t trace;
	struct pick_list whole, part;	/* part: begun before the trace, or not ended in it */
	/* other names -> number of instances, for messages; not all names */
	struct map64 others;
	bool is_part;		/* after pick_sort(): no instance is whole */
	struct pick_list *list;	/* after pick_sort(): the list from which instances are chosen */
};

/*
 * Initializes @p and adds its visitor to @s. A name matches if it equals @name, or if the part
 * after its last '/' does.
 */
void pick_init(struct pick *p, struct spans *s, enum why_of of, const char *name, uint64_t id);
void pick_free(struct pick *p);
/*
 * To be called after all traces: sorts the instances by duration. Returns -ENOENT if there are
 * none; the error then lists other names.
 */
int pick_sort(struct pick *p, struct error *err);
/* Returns the instance number @i of the slowest ones, from 0 on: below pick_kept(). */
struct instance pick_slowest(const struct pick *p, size_t i);
size_t pick_kept(const struct pick *p);
/* Returns the instance at a percentile; 100: the longest. */
struct instance pick_at(const struct pick *p, double percentile);
/* Returns the rank of the percentile among the kept instances. */
size_t pick_rank(const struct pick *p, double percentile);
/*
 * Appends to @picked at most @max of the instances with the ranks [@first, @end), evenly
 * distributed. Returns the number of instances with these ranks, including those that were not
 * kept.
 */
uint64_t pick_group(const struct pick *p, size_t first, size_t end, size_t max, uint16_t group,
		    struct vec *picked);

#endif
