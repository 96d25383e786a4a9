/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group: the critical paths of many intervals, added up. `gotap why --all` compares two groups of
 * instances, and `gotap report` adds up the instances of a unit of work (unit/).
 */
#ifndef GOTAP_WHY_GROUP_H
#define GOTAP_WHY_GROUP_H

#include "why/walk.h"

enum {
	WHY_LOOKED_AT = 200,	/* limit on the instances of a group with a path */
	/* limit on the work of a group: beyond it no further instance gets a path */
	WHY_WORK = 6000000,
};

/* The intervals of a group. Its path has the sums of all of them. */
struct why_group {
	uint64_t n, looked;	/* all instances; instances with a path */
	int64_t ns;		/* sum of the intervals with a path */
	int64_t shortest, longest;
	struct path path;	/* steps are not kept */
	uint64_t work;		/* steps and records of all paths so far */
	bool cut;		/* the work became too large: the other instances got no path */
};

/*
 * Adds the critical path of [@from, @to) to @path, back from @at, the piece of the goroutine at the
 * end of the interval (walk.h). The first failure goes to @failed.
 */
void walk_interval(struct walk *w, struct path *path, int64_t from, int64_t to,
		   const struct trail_rec *at, struct error *failed);
/* Adds the interval to @group, unless the work for the group has become too large. */
void group_add(struct why_group *group, struct walk *w, int64_t from, int64_t to,
	       const struct trail_rec *at, struct error *failed);

#endif
