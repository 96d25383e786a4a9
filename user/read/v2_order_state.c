// SPDX-License-Identifier: Apache-2.0
/*
 * v2_order_state: the tables of goroutines, procs and threads of struct order. See v2_order.h and
 * v2_advance.h.
 */
#include <stdlib.h>
#include <string.h>

#include "read/v2_advance.h"

void order_init(struct order *o, const struct raw_specs *specs, struct v2_fault *fault)
{
	memset(o, 0, sizeof(*o));
	o->specs = specs;
	o->fault = fault;
	o->names = strset_new();
	idtab_init(&o->gs, sizeof(struct order_g));
	idtab_init(&o->ps, sizeof(struct order_p));
	idtab_init(&o->ms, sizeof(struct order_m));
	idtab_init(&o->tasks, sizeof(struct order_task));
}

static void order_free_open(struct order_open *open)
{
	if (!open)
		return;
	vec_free(&open->ranges);
	vec_free(&open->regions);
	free(open);
}

void order_free(struct order *o)
{
	uint32_t i;

	for (i = 0; i < o->gs.made; i++)
		order_free_open(((struct order_g *)idtab_at(&o->gs, i))->open);
	for (i = 0; i < o->ps.made; i++)
		order_free_open(((struct order_p *)idtab_at(&o->ps, i))->open);
	idtab_free(&o->gs);
	idtab_free(&o->ps);
	idtab_free(&o->ms);
	idtab_free(&o->tasks);
	strset_free(o->names);
	o->names = NULL;
}

struct order_open *order_open_of(struct order_open **open)
{
	if (*open)
		return *open;
	*open = xcalloc(1, sizeof(**open));
	(*open)->ranges = vec_of_one(sizeof(struct order_range));
	return *open;
}

struct order_g *order_add_g(struct order *o, uint64_t id, uint8_t status, uint64_t gen)
{
	struct order_g *g = idtab_add(&o->gs, id);

	g->status = status;
	g->seq = (struct order_seq){ .gen = gen };
	if (g->open)
		g->open->ranges.len = g->open->regions.len = 0;
	return g;
}

void order_del_g(struct order *o, struct order_g *g)
{
	idtab_del(&o->gs, g->id);
}

struct order_p *order_add_p(struct order *o, uint64_t id)
{
	return idtab_add(&o->ps, id);
}

struct order_m *order_add_m(struct order *o, uint64_t id)
{
	struct order_m *m = idtab_add(&o->ms, id);

	m->g = m->p = TRACEV2_NO_ID;
	return m;
}

struct order_m *order_thread(struct order *o, uint64_t id)
{
	struct order_m *m = order_find_m(o, id);

	return m ? m : order_add_m(o, id);
}

void order_enter(struct order *o, uint64_t gen, const struct v2_tables *tables, bool events)
{
	if (!o->initial_gen && events)
		o->initial_gen = gen;
	o->gen = gen;
	o->tables = tables;
}
