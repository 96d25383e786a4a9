// SPDX-License-Identifier: Apache-2.0
/*
 * waits: see waits.h. A select has more than one channel: its records come before the GO_PARK of
 * their thread. They count only if they are of the goroutine that parks and begin with the channel
 * that GO_PARK names: one of the records may be lost.
 */
#include "sched/waits.h"

#include <string.h>

#include "base/vec.h"
#include "sched/handlers.h"

/* The object of a word: the address without the offset of its part. */
static uint64_t wait_whole(const struct wait_form *form, uint64_t word)
{
	return (word & WAIT_ADDRESS) > form->offset ? word - form->offset : 0;
}

/* Adds the channels of a record to @to. Those of the first one begin anew. */
static void selected_add(struct selected *to, const struct rec *r)
{
	const struct rec_long *l = as_long(r);

	if (r->sub == 1)
		to->n = 0;
	if (2 * (r->sub - 1) != to->n || to->n + 2 > WAIT_CHANNELS || !(l->stack & WAIT_ADDRESS))
		return;
	to->of[to->n++] = l->stack;
	if (l->arg & WAIT_ADDRESS)
		to->of[to->n++] = l->arg;
}

void go_select(struct model *s, struct M *m, const struct rec *r)
{
	if (r->sub == 1)
		m->selects = r->ptr;
	if (m->selects == r->ptr)
		selected_add(&m->selected, r);
}

static void selected_keep(struct G *g, const struct selected *from)
{
	if (!g->selected)
		g->selected = xcalloc(1, sizeof(*g->selected));
	*g->selected = *from;
}

/* The goroutine at @gp waits in a select of which @first is the first channel. */
static void wait_select(struct M *m, struct G *g, uint64_t gp, uint64_t first)
{
	if (g->object && m->selects == gp && m->selected.n && m->selected.of[0] == first)
		selected_keep(g, &m->selected);
	else
		g->object = 0;
	m->selects = 0;
}

const struct trace_wait *wait_park(struct model *s, struct M *m, struct G *g,
				   const struct rec_long *l, struct trace_wait *ret)
{
	const struct wait_form *form = &s->wait_forms[l->r.sub];

	g->object_kind = form->kind;
	g->object = 0;
	if (!form->kind)
		return NULL;
	g->object = wait_whole(form, l->arg);
	if (form->kind == WAIT_NETWORK && g->object)
		socket_wait(s, g, l->r.time);
	if (form->kind == WAIT_SELECT)
		wait_select(m, g, l->r.ptr, l->arg);
	if (s->started)
		++*(g->object ? &s->counts.waits_known : &s->counts.waits_unknown);
	return wait_of(g, ret);
}

void wait_snap(struct model *s, struct G *g, const struct rec *r)
{
	g->waits = s->block_reasons[r->flags & 0xff];
	g->object_kind = s->wait_forms[r->flags & 0xff].kind;
	s->snapped = g->id;
}

void snap_wait(struct model *s, struct M *m, const struct rec *r)
{
	const struct wait_form *form = &s->wait_forms[(uint8_t)r->flags];
	struct G *g = r->id == s->snapped ? g_get(s, r->id) : NULL;

	if (!g || g->status != G_WAITING || form->kind != g->object_kind)
		return;
	if (form->kind != WAIT_SELECT) {
		g->object = r->sub ? 0 : wait_whole(form, as_long(r)->stack);
		if (form->kind == WAIT_NETWORK && g->object)
			socket_wait(s, g, 0);
		return;
	}
	if (!r->sub)
		return;
	if (!g->selected)
		g->selected = xcalloc(1, sizeof(*g->selected));
	selected_add(g->selected, r);
	g->object = g->selected->n ? g->selected->of[0] : 0;
}

void wait_copy(struct G *g, const struct G *from)
{
	g->object = from->object;
	g->object_kind = from->object_kind;
	if (g->object && g->object_kind == WAIT_SELECT)
		selected_keep(g, from->selected);
}

const struct trace_wait *wait_of(const struct G *g, struct trace_wait *ret)
{
	if (!g->object)
		return NULL;
	ret->kind = g->object_kind;
	ret->n = 1;
	ret->more = false;
	ret->of[0] = g->object;
	if (g->object_kind != WAIT_SELECT)
		return ret;
	ret->n = g->selected->n;
	ret->more = ret->n == WAIT_CHANNELS;
	memcpy(ret->of, g->selected->of, ret->n * sizeof(*ret->of));
	return ret;
}
