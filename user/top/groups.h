/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups: the rows of `gotap top` while they are counted. A goroutine is in one group: that of its
 * start function, of its labels or of its innermost region. Owns the groups and their sums; tally.c
 * decides when a goroutine moves from one group to another.
 *
 * A group without goroutines is freed at the end of the interval. There are at most GROUPS_MAX
 * groups: further groups share one, as in a program with a label for each request.
 */
#ifndef GOTAP_TOP_GROUPS_H
#define GOTAP_TOP_GROUPS_H

#include "base/map64.h"
#include "report/dist.h"
#include "top/reasons.h"
#include "top/sample.h"

enum { GROUPS_MAX = 4096 };

struct group {
	uint64_t key;
	char *name;
	bool system;
	uint64_t now[TOP_STATES], ns[TOP_STATES];
	uint64_t at[TOP_STATES];	/* ns[] is counted up to this time */
	/* uint32_t: number of goroutines that wait, by the number of the reason */
	struct vec reasons;
	uint64_t created, ended, syscalls;
	struct dist sched;
};

struct groups {
	struct map64 by_key;	/* key -> struct group * */
	uint64_t merged;	/* groups that found no room in this interval */
};

/* Returns the group with the name @text, and adds it if it is new. */
struct group *groups_of_text(struct groups *s, const char *text, uint64_t time);
/*
 * A goroutine of the group enters or leaves @state at @time, ns. @reason: number of the reason of a
 * wait (reasons.h).
 */
void group_enter(struct group *g, enum top_state state, uint32_t reason, uint64_t time);
void group_leave(struct group *g, enum top_state state, uint32_t reason, uint64_t time);
/* Counts the open stays up to @time. */
void group_settle(struct group *g, uint64_t time);
/* Leaves the time up to @time out of all sums: nothing is known of it (a gap). */
void groups_skip(struct groups *s, uint64_t time);
/* Begins an interval: sets all sums to 0, and frees groups without a goroutine. */
void groups_turn(struct groups *s);
/* Appends a row for each group to @ret, with a copy of its name and reasons. */
void groups_sample(const struct groups *s, const struct reasons *reasons, struct top_sample *ret);
/* Frees all groups, as when the user groups by something else. */
void groups_clear(struct groups *s);

/* Returns the count and the percentiles, ns, of a distribution of waits (report/dist.h). */
struct top_waits top_waits_of(const struct dist *d);

#endif
