// SPDX-License-Identifier: Apache-2.0
/* slots: see slots.h. */
#include "serve/slots.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* On the stack of the thread that waits. */
struct slots_waiter {
	struct slots_waiter *next;
	uint64_t who;		/* peer_share() */
	int wake;		/* an eventfd */
	bool has;		/* it was given a slot */
};

void slots_init(struct slots *s, unsigned int max, unsigned int max_waiting)
{
	*s = (struct slots){
		.free = max, .max_waiting = max_waiting,
		.most = shares_half(max), .most_waiting = shares_half(max_waiting),
	};
	pthread_mutex_init(&s->lock, NULL);
	s->last = &s->first;
}

void slots_free(struct slots *s)
{
	shares_free(&s->has);
	shares_free(&s->waits);
}

/* Puts @w into the list of those who wait: SLOTS_LATE. Other results: it cannot wait. */
static enum slots_result slots_queue(struct slots *s, struct slots_waiter *w)
{
	if (s->waiting >= s->max_waiting || w->wake < 0)
		return SLOTS_FULL;
	if (!shares_take(&s->waits, w->who, s->most_waiting))
		return SLOTS_SHARE;
	s->waiting++;
	*s->last = w;
	s->last = &w->next;
	return SLOTS_LATE;
}

/* SLOTS_TAKEN, SLOTS_FULL, SLOTS_SHARE, or SLOTS_LATE: it waits in the list now. */
static enum slots_result slots_enter(struct slots *s, struct slots_waiter *w)
{
	enum slots_result r = SLOTS_TAKEN;

	pthread_mutex_lock(&s->lock);
	if (s->free && shares_take(&s->has, w->who, s->most))
		s->free--;
	else
		r = slots_queue(s, w);
	pthread_mutex_unlock(&s->lock);
	return r;
}

static void slots_take_out(struct slots *s, struct slots_waiter *w)
{
	struct slots_waiter **at = &s->first;

	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	if (s->last == &w->next)
		s->last = at;
	s->waiting--;
	shares_give(&s->waits, w->who);
}

/* Leaves the list; was it given a slot, perhaps at the last moment? */
static bool slots_leave(struct slots *s, struct slots_waiter *w)
{
	bool has;

	pthread_mutex_lock(&s->lock);
	has = w->has;
	if (!has)
		slots_take_out(s, w);
	pthread_mutex_unlock(&s->lock);
	return has;
}

enum slots_result slots_take(struct slots *s, const struct peer *who, const struct patience *p,
			     int ms)
{
	static const enum slots_result results[] = {
		[PATIENCE_READY] = SLOTS_TAKEN, [PATIENCE_TIME] = SLOTS_LATE,
		[PATIENCE_LATE] = SLOTS_LATE,   [PATIENCE_CLIENT] = SLOTS_CLIENT,
		[PATIENCE_STOP] = SLOTS_STOP,
	};
	struct slots_waiter w = { .who = peer_share(who), .wake = eventfd(0, EFD_CLOEXEC) };
	struct pollfd fd = { .fd = w.wake, .events = POLLIN };
	enum slots_result r = slots_enter(s, &w);

	if (r == SLOTS_LATE) {
		r = results[patience_wait(p, &fd, 1, ms)];
		if (slots_leave(s, &w) && r != SLOTS_TAKEN)
			slots_give(s, who);
	}
	if (w.wake >= 0)
		close(w.wake);
	return r;
}

/* Gives a free slot to the first in the list whose user may have one more. False: none may. */
static bool pass_on(struct slots *s)
{
	struct slots_waiter *w = s->first;

	while (w && !shares_take(&s->has, w->who, s->most))
		w = w->next;
	if (!w)
		return false;
	slots_take_out(s, w);
	w->has = true;
	eventfd_write(w->wake, 1);
	return true;
}

void slots_give(struct slots *s, const struct peer *who)
{
	pthread_mutex_lock(&s->lock);
	shares_give(&s->has, peer_share(who));
	s->free += !pass_on(s);
	pthread_mutex_unlock(&s->lock);
}
