/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups: the rows of `gotap top` while they are counted. A goroutine is in one group: that of its start function, its
 * labels or its innermost region. Owns the groups and their sums; tally.c says when a goroutine moves.
 *
 * A group goes at the end of an interval in which it had no goroutine. There are GROUPS_MAX at most: the rest of a
 * program with a label for each request shares one.
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
	uint64_t at[TOP_STATES];	/* until when ns is */
	struct vec reasons;	/* uint32_t by the number of the reason */
	uint64_t created, ended, syscalls;
	struct dist sched;
};

struct groups {
	struct map64 by_key;	/* struct group * */
	uint64_t merged;	/* that found no room, in this interval */
};

/* The group of that name. */
struct group *groups_of_text(struct groups *s, const char *text, uint64_t time);
/* A goroutine of the group is in @state from @time on, or not any more; @reason: number of that of a wait. */
void group_enter(struct group *g, enum top_state state, uint32_t reason, uint64_t time);
void group_leave(struct group *g, enum top_state state, uint32_t reason, uint64_t time);
/* What is going on counts up to @time. */
void group_settle(struct group *g, uint64_t time);
/* Nothing is known of the time up to @time: it counts nowhere. */
void groups_skip(struct groups *s, uint64_t time);
/* Sums begin anew; groups without a goroutine go. */
void groups_turn(struct groups *s);
/* Copies of all into @ret, whose names are to be known. */
void groups_sample(const struct groups *s, const struct reasons *reasons, struct top_sample *ret);
void groups_clear(struct groups *s);

struct top_waits top_waits_of(const struct dist *d);

#endif
