/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walked: the critical paths of some instances of a unit with their steps, for a page that draws
 * them (html/): those of the slowest instances, and of some ranks of the others.
 *
 * A path has at most 2 * WALKED_STEPS + 1 steps here: of one with more than WALKED_STEPS, the short
 * steps between two long ones are one step. The sums of a path (@parts) are of all its steps.
 */
#ifndef GOTAP_UNIT_WALKED_H
#define GOTAP_UNIT_WALKED_H

#include "why/instances.h"
#include "why/walk.h"

enum { WALKED_MOST = 6, WALKED_STEPS = 1000 };

struct walked_step {
	int64_t from, to;
	uint64_t g;		/* of one step; TRACEV2_NO_ID: not known */
	uint64_t via_g;		/* as in struct step (why/path.h), at @to; TRACEV2_NO_ID: none */
	uint32_t cause;		/* number in the path that walked it; 0: too many, or @steps > 1 */
	uint32_t steps;		/* number of short steps that this one is; 0: it is a long one */
};

/* The time of all steps that have one cause, whatever they explain. */
struct walked_part {
	uint32_t cause;
	uint64_t ns;
};

struct walked {
	struct instance in;
	uint64_t g;		/* the goroutine at the end of @in; TRACEV2_NO_ID: not known */
	uint32_t count;		/* steps of the path; 0: it was not walked */
	struct vec steps;	/* struct walked_step, in the order of time */
	struct vec parts;	/* struct walked_part, the largest first */
};

/*
 * Chooses at most WALKED_MOST of the @n instances @picked of a unit: the three slowest, and others
 * at the ranks 90 %, 50 % and 10 %. Returns their number.
 */
size_t walked_choose(const struct instance *picked, size_t n, struct walked *list);
/*
 * Copies the steps and sums of @path, which was emptied before and has the path of @w->in alone.
 * The numbers of causes are those of @path, which keeps them when it is emptied.
 */
void walked_take(struct walked *w, struct path *path);
void walked_free(struct walked *w);

#endif
