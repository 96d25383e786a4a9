// SPDX-License-Identifier: Apache-2.0
/*
 * subject: the goroutine or thread of the written trace that an event of the original is about, if
 * it is wanted. See internal.h.
 */
#include "rewrite/internal.h"

bool rewrite_wanted(const struct rewrite *c, uint64_t g)
{
	return g != TRACEV2_NO_ID && (!c->o->goroutines || map64_get(c->o->goroutines, g));
}

struct sim_g *rewrite_own(struct rewrite *c, const struct trace_event *ev)
{
	struct sim_g *g = rewrite_wanted(c, ev->g) ? sim_g(&c->sim, ev->g) : NULL;

	return g && sim_g_thread(g) ? g : NULL;
}

struct sim_g *rewrite_named(struct rewrite *c, const struct trace_event *ev)
{
	return rewrite_wanted(c, ev->args[0]) ? sim_g(&c->sim, ev->args[0]) : NULL;
}

struct sim_m *rewrite_thread(struct rewrite *c, const struct trace_event *ev)
{
	return ev->m == TRACEV2_NO_ID ? NULL : sim_m(&c->sim, ev->m);
}
