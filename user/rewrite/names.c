// SPDX-License-Identifier: Apache-2.0
/*
 * rewrite_names: translates strings and stacks of the generation that is read into those of the
 * generation that is written. The written one may end later, so frames are copied. At the end of a
 * generation names that no live goroutine uses are freed: memory does not grow with the trace.
 */
#include "rewrite/internal.h"

#include "rewrite/stackkeys.h"

uint64_t rewrite_string(struct rewrite *c, uint64_t id)
{
	size_t len = 0;
	const char *s;

	if (!c->writing)
		return 0;
	s = trace_reader_string(c->r, id, &len);
	return s && len ? tracefile_bytes(c->tf, s, len) : 0;
}

uint64_t rewrite_stack_key(struct rewrite *c, uint64_t id)
{
	return c->o->strip_stacks ? 0 : stackkeys_get(c->texts, &c->stack_keys, c->r, id);
}

uint64_t rewrite_stack(struct rewrite *c, uint64_t id)
{
	return c->writing ? tracefile_stack(c->tf, rewrite_stack_key(c, id)) : 0;
}

static void move_regions(struct strset *to, const struct vec *regions)
{
	size_t i;

	for (i = 0; i < regions->len; i++) {
		const char **name = &vec_at(regions, struct sim_region, i)->name;

		*name = strset_add_bytes(to, *name, strset_len(*name));
	}
}

void rewrite_drop_names(struct rewrite *c)
{
	struct strset *living = strset_new();
	size_t i;

	for (i = 0; i < c->sim.gs.cap; i++) {
		struct sim_g *g = (void *)(uintptr_t)c->sim.gs.slots[i].value;

		if (!g)
			continue;
		g->start_stack = stackkeys_move(living, g->start_stack);
		g->create_stack = stackkeys_move(living, g->create_stack);
		move_regions(living, &g->regions);
	}
	map64_clear(&c->stack_keys);
	strset_free(c->texts);
	c->texts = living;
}
