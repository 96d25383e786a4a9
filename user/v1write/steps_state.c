// SPDX-License-Identifier: Apache-2.0
/*
 * steps_state: what all steps share: goroutines and Ps by their numbers, and events with their
 * ticks. See steps_internal.h.
 */
#include "v1write/steps_internal.h"

#include <stdlib.h>

/* Numbers from this one on are those of rows that parsers add (FakeP of internal/trace). */
enum { FIRST_FAKE_P = 1000000 };

void steps_g_free(struct v1_g *g)
{
	vec_free(&g->regions);
	free(g);
}

void v1_steps_release(struct v1_steps *s)
{
	size_t i;

	for (i = 0; i < s->gs.cap; i++)
		if (s->gs.slots[i].used)
			steps_g_free((void *)(uintptr_t)s->gs.slots[i].value);
	for (i = 0; i < s->ps.len; i++)
		free(*vec_at(&s->ps, struct v1_p *, i));
	map64_free(&s->gs);
	map64_free(&s->ended);
	map64_free(&s->tasks);
	map64_free(&s->high_ps);
	vec_free(&s->ps);
}

/*
 * Returns the P's number in v1. Ids that are too high for it (FIRST_FAKE_P / 2 and more) get the
 * numbers from there on, in the order in which they come.
 */
static int32_t state_number_of_p(struct v1_steps *s, uint64_t id)
{
	uint64_t *slot;
	bool is_new;

	if (id == V1_ANY_P)
		return V1_NO_P;
	if (id < FIRST_FAKE_P / 2)
		return (int32_t)id;
	slot = map64_put(&s->high_ps, id, &is_new);
	if (is_new)
		*slot = FIRST_FAKE_P / 2 + (s->high_ps.len - 1) % (FIRST_FAKE_P / 2);
	return (int32_t)*slot;
}

struct v1_p *v1_p(struct v1_steps *s, uint64_t id)
{
	int32_t number = state_number_of_p(s, id);
	struct v1_p **slot;

	while (s->ps.len <= (size_t)(number + 1))
		vec_push(&s->ps, sizeof(struct v1_p *));
	slot = vec_at(&s->ps, struct v1_p *, number + 1);
	if (!*slot) {
		*slot = xcalloc(1, sizeof(**slot));
		(*slot)->id = number;
		(*slot)->out = v1_writer_out(s->w, number);
	}
	return *slot;
}

static void state_put_at(struct v1_steps *s, struct v1_p *p, uint64_t tick, unsigned int type,
			 const uint64_t *args, uint64_t stack)
{
	p->started = NULL;
	if (tick > s->last)
		s->last = tick;
	v1_writer_event(s->w, p->out, tick, type, args, stack);
}

uint64_t steps_own_tick(struct v1_steps *s)
{
	s->last = s->now > s->last ? s->now : s->last + 1;
	return s->last;
}

uint64_t steps_tick(struct v1_steps *s, const struct v1_p *p)
{
	uint64_t least = s->ties ? s->last : s->last + 1;

	if (least <= p->out->last)
		least = p->out->last + 1;
	return s->now > least ? s->now : least;
}

void steps_put(struct v1_steps *s, struct v1_p *p, unsigned int type, const uint64_t *args,
	       uint64_t stack)
{
	state_put_at(s, p, steps_tick(s, p), type, args, stack);
}

void steps_put_local(struct v1_steps *s, struct v1_p *p, unsigned int type, const uint64_t *args,
		     uint64_t stack)
{
	state_put_at(s, p, s->now > p->out->last ? s->now : p->out->last + 1, type, args, stack);
}

void steps_p_runs(struct v1_steps *s, struct v1_p *p, uint64_t thread)
{
	if (s->version == V1_GOTRACE)
		v1_leave_out(s, V1_LEFT_THREADS);
	p->runs = true;
	p->thread = thread;
	steps_put_local(s, p, V1_PROC_START, STEPS_ARGS(thread), 0);
}
