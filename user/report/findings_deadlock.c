// SPDX-License-Identifier: Apache-2.0
/* findings_deadlock: see findings_deadlock.h. */
#include "report/findings_deadlock.h"

#include <string.h>

enum { STACK_SAID = 6, DEADLOCK_MOST = 1 << 10 };

/* The goroutines that wait for one lock. */
struct side {
	const struct trace_wait *lock;
	uint64_t n;
	double ns;
	int64_t from;
	const struct stuck *waiter;	/* the one that is named: it has the other lock */
	bool known;			/* that it has that one */
};

static bool deadlock_is_lock(const struct stuck *s)
{
	return s->why == WHY_LOCK && (s->wait.kind == WAIT_MUTEX || s->wait.kind == WAIT_RWMUTEX);
}

static bool deadlock_waits_for(const struct stuck *s, const struct trace_wait *lock)
{
	return deadlock_is_lock(s) && s->wait.of[0] == lock->of[0];
}

static void deadlock_join(const struct findings *f, struct side *side, const struct stuck *s)
{
	side->n++;
	side->ns += (double)(f->last - s->from);
	if (!side->waiter || s->from < side->from)
		side->from = s->from;
	if (!side->waiter)
		side->waiter = s;
}

/* Has the lock of @s been released within the time that makes a wait long? */
static bool deadlock_is_alive(const struct findings *f, const struct stuck *s)
{
	int64_t recent = f->last - (int64_t)STUCK_NS;
	int64_t part = f->last - (int64_t)(STUCK_SHARE * findings_wall(f));

	return waits_released(f, &s->wait, s->place, recent < part ? recent : part);
}

/*
 * Sorts the goroutines that wait for locks by their two locks. False: there are fewer locks, or
 * more, or a wait without a known lock.
 */
static bool deadlock_sides(const struct findings *f, const struct vec *stuck, struct side sides[2])
{
	size_t i, k;

	for (i = 0; i < stuck->len; i++) {
		const struct stuck *s = vec_at(stuck, struct stuck, i);

		if (s->why != WHY_LOCK || deadlock_is_alive(f, s))
			continue;
		if (!deadlock_is_lock(s))
			return false;
		for (k = 0; k < 2 && sides[k].lock && sides[k].lock->of[0] != s->wait.of[0]; k++)
			;
		if (k == 2)
			return false;
		sides[k].lock = &s->wait;
		deadlock_join(f, &sides[k], s);
	}
	return sides[1].lock;
}

/* The line of the frame of @stack in function @func; 0: none. */
static uint64_t deadlock_line_in(struct findings *f, uint32_t stack, const char *func)
{
	const struct stack_set *set = spans_stacks(f->spans);
	uint32_t n, i;
	const uint32_t *frames = stack_set_of(set, stack, &n);

	for (i = 0; i < n; i++)
		if (stack_set_frame_at(set, frames[i])->func == func)
			return stack_set_frame_at(set, frames[i])->line;
	return 0;
}

/*
 * Does @stack stand between the line of the wait at @wait and that of the release at @release, in a
 * function that all three have?
 */
static bool deadlock_is_between(struct findings *f, uint32_t stack, uint32_t wait,
				uint32_t release)
{
	const struct stack_set *set = spans_stacks(f->spans);
	uint32_t n, i;
	const uint32_t *frames = stack_set_of(set, stack, &n);
	uint64_t from, to;

	for (i = 0; i < n; i++) {
		const struct stack_frame *at = stack_set_frame_at(set, frames[i]);

		from = deadlock_line_in(f, wait, at->func);
		to = deadlock_line_in(f, release, at->func);
		if (from && to && from < at->line && at->line <= to)
			return true;
	}
	return false;
}

/* Has @s the lock of @side? */
static bool deadlock_has(struct findings *f, const struct stuck *s, const struct side *side)
{
	const struct lock_state *lock = waits_lock(f, side->lock->of[0]);

	if (!lock)
		return false;
	if (lock->woken == s->g && side->from <= lock->released)
		return true;
	return deadlock_is_between(f, s->stack, lock->waited, lock->release);
}

/* A goroutine that waits for the lock of @side, and has that of @other; NULL: none is known. */
static const struct stuck *deadlock_holder(struct findings *f, const struct vec *stuck,
					   const struct side *side, const struct side *other)
{
	size_t i, searched = 0;

	for (i = 0; i < stuck->len && searched < DEADLOCK_MOST; i++) {
		const struct stuck *s = vec_at(stuck, struct stuck, i);

		if (!deadlock_waits_for(s, side->lock))
			continue;
		searched++;
		if (deadlock_has(f, s, other))
			return s;
	}
	return NULL;
}

/*
 * A goroutine that waits for the lock of @side, where it is not known who has the other: one that
 * waits where the fewest wait. The others are those that want their first lock.
 */
static const struct stuck *deadlock_apart(const struct vec *stuck, const struct side *side)
{
	const struct stuck *best = side->waiter;
	size_t i, k, n, least = SIZE_MAX;

	for (i = 0; i < stuck->len && i < DEADLOCK_MOST; i++) {
		const struct stuck *s = vec_at(stuck, struct stuck, i);

		if (!deadlock_waits_for(s, side->lock))
			continue;
		for (k = n = 0; k < stuck->len && k < DEADLOCK_MOST; k++)
			n += deadlock_waits_for(vec_at(stuck, struct stuck, k), side->lock) &&
			     vec_at(stuck, struct stuck, k)->place == s->place;
		if (n < least) {
			least = n;
			best = s;
		}
	}
	return best;
}

static void deadlock_say_lock(struct buf *text, const struct trace_wait *lock)
{
	buf_printf(text, "%s 0x%llx", wait_kind_name(lock->kind),
		   (unsigned long long)wait_address(lock, 0));
}

static void deadlock_say_waiter(struct findings *f, struct buf *text, const struct side *side,
				const struct side *other)
{
	buf_printf(text, "goroutine %llu ", (unsigned long long)side->waiter->g);
	if (side->known) {
		buf_printf(text, "has ");
		deadlock_say_lock(text, other->lock);
		buf_printf(text, " and ");
	}
	buf_printf(text, "waits for ");
	deadlock_say_lock(text, side->lock);
	buf_printf(text, " at ");
	findings_name(f, text, side->waiter->place);
}

static void deadlock_say_stack(struct findings *f, struct buf *text, const struct stuck *s)
{
	struct stack_set *set = spans_stacks(f->spans);
	uint32_t n, i, place, said = 0;
	const uint32_t *frames = stack_set_of(set, s->stack, &n);

	buf_printf(text, " Goroutine %llu: ", (unsigned long long)s->g);
	for (i = 0; i < n && said < STACK_SAID; i++) {
		place = findings_place_of(f, stack_set_frame_at(set, frames[i]));
		if (!said && place != s->place)	/* the library's part of the wait */
			continue;
		buf_printf(text, said++ ? " < " : "");
		findings_name(f, text, place);
	}
	buf_printf(text, i < n ? " < ..." : ".");
}

static void deadlock_say(struct findings *f, const struct side sides[2])
{
	bool known = sides[0].known && sides[1].known;
	uint64_t others = sides[0].n + sides[1].n - 2;
	struct buf text = { 0 };
	struct few both = { 0 };

	few_add(&both, sides[0].waiter->g);
	few_add(&both, sides[1].waiter->g);
	buf_printf(&text, known ? "Deadlock: " : "Likely a deadlock: ");
	deadlock_say_waiter(f, &text, &sides[0], &sides[1]);
	buf_printf(&text, ", ");
	deadlock_say_waiter(f, &text, &sides[1], &sides[0]);
	buf_printf(&text, ", for ");
	findings_time(&text, (double)(f->last - (sides[0].from > sides[1].from ? sides[0].from :
										 sides[1].from)));
	buf_printf(&text, " up to the end of the recording: ");
	buf_printf(&text, known ? "each has the lock that the other wants (AB-BA)." :
				  "nobody releases either of them, and if each has the lock that "
				  "the other wants, they are taken in two orders (AB-BA).");
	if (others)
		buf_printf(&text, " %llu more wait%s for these locks.", (unsigned long long)others,
			   others == 1 ? "s" : "");
	deadlock_say_stack(f, &text, sides[0].waiter);
	deadlock_say_stack(f, &text, sides[1].waiter);
	f->lost += sides[0].ns + sides[1].ns;
	findings_add(f,
		     &(struct verdict){ "deadlock", sides[0].ns + sides[1].ns,
					sides[0].waiter->place, &both,
					sides[0].from < sides[1].from ? sides[0].from :
									sides[1].from,
					f->last },
		     &text);
}

bool deadlock_judge(struct findings *f, const struct vec *stuck, bool surely)
{
	struct side sides[2] = { 0 };
	const struct stuck *first, *second;

	if (!deadlock_sides(f, stuck, sides))
		return false;
	first = deadlock_holder(f, stuck, &sides[0], &sides[1]);
	second = deadlock_holder(f, stuck, &sides[1], &sides[0]);
	if (surely && !(first && second))
		return false;
	sides[0].known = first;
	sides[1].known = second;
	sides[0].waiter = first ? first : deadlock_apart(stuck, &sides[0]);
	sides[1].waiter = second ? second : deadlock_apart(stuck, &sides[1]);
	deadlock_say(f, sides);
	return true;
}
