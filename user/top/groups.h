/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups: the rows of `gotap top` while they are counted. A goroutine is in one group: that of its
 * start function, its labels or its innermost region. Owns the groups and their sums; tally.c says
 * when a goroutine moves.
 *
 * A group goes at the end of an interval in which it had no goroutine. There are GROUPS_MAX at
 * most: the rest of a program with a label for each request shares one.
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
	uint64_t at[TOP_STATES];	/* the time up to which ns is counted */
	struct vec reasons;	/* uint32_t by the number of the reason */
	uint64_t created, ended, syscalls;
	struct dist sched;
};

struct groups {
	struct map64 by_key;	/* struct group * */
	uint64_t merged;	/* groups that found no room in this interval */
};

/* The group of that name. */
struct group *groups_of_text(struct groups *s, const char *text, uint64_t time);
/*
 * A goroutine of the group enters or leaves @state at @time (ns). @reason: number of the reason of
 * a wait (reasons.h).
 */
void group_enter(struct group *g, enum top_state state, uint32_t reason, uint64_t time);
void group_leave(struct group *g, enum top_state state, uint32_t reason, uint64_t time);
/* Counts the stays that go on up to @time. */
void group_settle(struct group *g, uint64_t time);
/* Leaves the time up to @time out of all sums: nothing is known of it (a gap). */
void groups_skip(struct groups *s, uint64_t time);
/* Begins a new interval: sums are 0 again, and groups without a goroutine are freed. */
void groups_turn(struct groups *s);
/* Appends a row for each group to @ret, with a copy of its name and reasons. */
void groups_sample(const struct groups *s, const struct reasons *reasons, struct top_sample *ret);
/* Drops all groups, as when goroutines are grouped by something else. */
void groups_clear(struct groups *s);

/* The waits of a distribution (report/dist.h), ns. */
struct top_waits top_waits_of(const struct dist *d);

#endif
