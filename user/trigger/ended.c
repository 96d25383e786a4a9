// SPDX-License-Identifier: Apache-2.0
/*
 * ended: the triggers exit and crash. Their facts name how the program ended, from its exit status
 * and from its first REC_PROGRAM_DIES (group crash). A second REC_PROGRAM_DIES is about a
 * consequence of the first: with GOTRACEBACK=crash the runtime sends signals to its own threads.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#include "sched/death.h"
#include "trigger/internal.h"

void death_take(struct triggers *t, const struct rec_user *r)
{
	if (t->death.time && t->death.time <= r->r.time)
		return;
	t->death = (struct death){
		.time = r->r.time, .goid = r->r.id, .tid = r->r.tid, .stack = r->stack,
		.signal = death_how(r) == REC_END_SIGNAL ? death_signal(r) : 0,
		.text = death_text(r),
	};
}

static bool is_crash(const struct trigger_end *end)
{
	return !end->known || !WIFEXITED(end->status) || WEXITSTATUS(end->status);
}

static int ended_signal_of(const struct trigger_end *end)
{
	return end->known && WIFSIGNALED(end->status) ? WTERMSIG(end->status) : 0;
}

struct how { char text[128]; };

static struct how how_it_ended(const struct trigger_end *end, bool death)
{
	struct how h;

	if (!end->known)
		snprintf(h.text, sizeof(h.text), "the program has ended%s",
			 death ? "" : "; only its parent knows the status");
	else if (ended_signal_of(end))
		snprintf(h.text, sizeof(h.text), "the program has ended by signal %d (%s)",
			 ended_signal_of(end), strsignal(ended_signal_of(end)));
	else
		snprintf(h.text, sizeof(h.text), "the program has ended with exit status %d",
			 WEXITSTATUS(end->status));
	return h;
}

static void fire_end(struct rule *r, const struct trigger_end *end)
{
	const struct death *d = &r->triggers->death;
	struct how how = how_it_ended(end, d->time);
	struct fact_place place = { .time = end->time };

	if (!d->time || (!d->goid && d->signal && d->signal == ended_signal_of(end))) {
		fire(r, &place, "%s", how.text);
	} else if (!d->goid) {
		fire(r, &place, "%s; %s", d->text.text, how.text);
	} else {
		place.goid = d->goid;
		place.tid = d->tid;
		place.stack = d->stack;
		fire(r, &place, "goroutine %" PRIu64 ": %s; %s", d->goid, d->text.text, how.text);
	}
}

void triggers_ended(struct triggers *t, const struct trigger_end *end)
{
	size_t i;

	for (i = 0; i < t->opts.n; i++) {
		struct rule *r = &t->rules[i];

		if (r->is->kind == TRIGGER_EXIT || (r->is->kind == TRIGGER_CRASH && is_crash(end)))
			fire_end(r, end);
	}
	facts_pass_waiting(t);	/* the records of stacks that have not come are lost */
}
