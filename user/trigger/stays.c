// SPDX-License-Identifier: Apache-2.0
/*
 * stays: runnable>T, blocked>T[:reason][:func], syscall>T: one stay of a goroutine in one state;
 * func:NAME>T: its life.
 */
#include "trigger/idle.h"

static enum tap_state stays_state_of(enum trigger_kind kind)
{
	return kind == TRIGGER_RUNNABLE ? TAP_RUNNABLE :
	       kind == TRIGGER_SYSCALL  ? TAP_SYSCALL :
					  TAP_WAITING;
}

static void stays_begin(struct rule *r)
{
	r->enters = r->leaves = 1u << stays_state_of(r->is->kind);
	idle_begin(r);
}

/* Reasons are constants, of which each has one address: a rule compares each reason once. */
static bool has_reason(struct rule *r, const char *reason)
{
	uint64_t *known = map64_put(&r->memo.answers, (uint64_t)(uintptr_t)reason, NULL);

	if (!*known)
		*known = matches(r->is->reason, reason) ? 2 : 1;
	return *known == 2;
}

static void stays_enter(struct rule *r, struct tap_go *g, const struct tap_step *s)
{
	if (r->is->reason && !has_reason(r, g->reason))
		return;
	stay_add(&r->stays, stay_of(r, g), g->since);
}

static const char *at_least(const struct tap_go *g)
{
	return g->before ? "at least " : "";
}

/*
 * Does the rule report this stay? The runtime's own goroutines wait without end, and others are
 * idle: blocked> leaves both out, unless the rule names a reason or a function.
 */
static bool is_meant(struct rule *r, const struct tap_go *g)
{
	if (r->is->func)
		return stack_has(r, g->stack, r->is->func);
	return r->is->kind != TRIGGER_BLOCKED || r->is->reason ||
	       !(is_of_runtime(r, g) || idle_is(r, g));
}

static void fire_stay(struct rule *r, struct tap_go *g, uint64_t until)
{
	struct fact_place place = { .time = g->since + r->is->limit, .until = until, .g = g };
	struct span_text span = span_text(until - g->since);

	if (!is_meant(r, g))
		return;
	if (r->is->kind == TRIGGER_BLOCKED)
		fire(r, &place, "goroutine %llu is blocked for %s%s: %s", (unsigned long long)g->id,
		     at_least(g), span.text, *g->reason ? g->reason : "the reason is not known");
	else
		fire(r, &place,
		     r->is->kind == TRIGGER_SYSCALL ?
			     "goroutine %llu is in a system call for %s%s" :
			     "goroutine %llu could run and waits for a P for %s%s",
		     (unsigned long long)g->id, at_least(g), span.text);
}

static void stays_leave(struct rule *r, struct tap_go *g, uint64_t time, bool known)
{
	struct stay *s = stay_of(r, g);
	bool waits = s->next;

	stay_remove(s);
	if (waits && known && time > g->since + r->is->limit)
		fire_stay(r, g, time);
	if (known)
		idle_learn(r, g, time);
}

static void stays_gone(struct rule *r, struct tap_go *g, uint64_t time)
{
	idle_gone(r, g);
}

static void stays_seen(struct rule *r, uint64_t time)
{
	struct stay *s;

	while (time > r->is->limit && (s = stay_take(&r->stays, time - r->is->limit)))
		fire_stay(r, go_of(r, s), time);
}

const struct family family_stays = {
	.begin = stays_begin,
	.enter = stays_enter,
	.leave = stays_leave,
	.gone = stays_gone,
	.seen = stays_seen,
	.end = idle_end,
	.stays = 1,
	.stream = true,
	.lasts = true,
};

/* --- func:NAME>T: the stay is the life of the goroutine, or the part after the last gap --- */

static void func_born(struct rule *r, struct tap_go *g)
{
	if (starts_with(r, g, r->is->name))
		stay_add(&r->stays, stay_of(r, g), g->born);
}

static void fire_life(struct rule *r, struct tap_go *g, uint64_t since, uint64_t until)
{
	struct fact_place place = { .time = since + r->is->limit, .since = since,
				    .until = until, .g = g };

	fire(r, &place, "goroutine %llu, which began with a function %s, lives for %s%s",
	     (unsigned long long)g->id, r->is->name,
	     g->born_before || since != g->born ? "at least " : "", span_text(until - since).text);
}

static void func_gone(struct rule *r, struct tap_go *g, uint64_t time)
{
	struct stay *s = stay_of(r, g);

	if (!s->next)
		return;
	stay_remove(s);
	if (time > s->since + r->is->limit)
		fire_life(r, g, s->since, time);
}

static void func_seen(struct rule *r, uint64_t time)
{
	struct stay *s;

	while (time > r->is->limit && (s = stay_take(&r->stays, time - r->is->limit)))
		fire_life(r, go_of(r, s), s->since, time);
}

/*
 * Measures all lives from the end of the gap on. The life of a goroutine that ended in the gap
 * counts up to the time at which the end was noticed.
 */
static void func_gap(struct rule *r, uint64_t time)
{
	struct stay *s;

	for (s = r->stays.head.next; s != &r->stays.head; s = s->next)
		s->since = time;
}

const struct family family_func = {
	.born = func_born,
	.gone = func_gone,
	.seen = func_seen,
	.gap = func_gap,
	.stays = 1,
	.stream = true,
	.lasts = true,
};
