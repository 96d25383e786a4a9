// SPDX-License-Identifier: Apache-2.0
/*
 * rewrite_names: strings and stacks of the generation that is read, into those
 * of the one that is written, which may end later: so frames are copied. What
 * no goroutine that lives has is dropped when a generation ends: memory does
 * not grow with the trace.
 */
#include "rewrite/internal.h"

#include <string.h>

uint64_t rewrite_string(struct rewrite *c, uint64_t id)
{
	size_t len = 0;
	const char *s;

	if (!c->writing)
		return 0;
	s = trace_reader_string(c->r, id, &len);
	return s && len ? tracefile_bytes(c->tf, s, len) : 0;
}

static const char *copy(struct rewrite *c, uint64_t id)
{
	size_t len = 0;
	const char *s = trace_reader_string(c->r, id, &len);

	return s ? strset_add(c->texts, s, strnlen(s, len)) : "";
}

/* The frames, one after the other, as an interned text: of a stack that comes again there is one. */
static const char *frames_of(struct rewrite *c, const struct v2_tables *t,
			     const struct v2_stack *stack)
{
	struct trace_frame frames[TRACEV2_MAX_FRAMES];
	uint32_t i;

	for (i = 0; i < stack->len; i++) {
		const struct v2_frame *f = tables_frame(t, stack, i);

		frames[i] = (struct trace_frame){ f->pc, copy(c, f->func), copy(c, f->file),
						  f->line };
	}
	return strset_add_bytes(c->texts, (const char *)frames, stack->len * sizeof(frames[0]));
}

uint64_t rewrite_stack_key(struct rewrite *c, uint64_t id)
{
	const struct v2_generation *gen = trace_reader_generation(c->r);
	const struct v2_stack *stack;
	uint64_t *key;
	bool is_new;

	stack = id && gen && !c->o->strip_stacks ? tables_stack(&gen->tables, id) : NULL;
	if (!stack)
		return 0;
	key = map64_put(&c->stack_keys, id, &is_new);
	if (is_new)
		*key = (uintptr_t)frames_of(c, &gen->tables, stack);
	return *key;
}

uint64_t rewrite_stack(struct rewrite *c, uint64_t id)
{
	return c->writing ? tracefile_stack(c->tf, rewrite_stack_key(c, id)) : 0;
}

size_t rewrite_frames(void *ctx, uint64_t key, struct trace_frame *out, size_t max)
{
	const char *frames = (const char *)(uintptr_t)key;
	size_t n = strset_len(frames) / sizeof(*out);

	n = n < max ? n : max;
	memcpy(out, frames, n * sizeof(*out));
	return n;
}

/* The stack of @key, and its names, in @to. */
static uint64_t move(struct strset *to, uint64_t key)
{
	struct trace_frame frames[TRACEV2_MAX_FRAMES];
	size_t i, n = key ? rewrite_frames(NULL, key, frames, TRACEV2_MAX_FRAMES) : 0;

	if (!key)
		return 0;
	for (i = 0; i < n; i++) {
		frames[i].func = strset_add(to, frames[i].func, strlen(frames[i].func));
		frames[i].file = strset_add(to, frames[i].file, strlen(frames[i].file));
	}
	return (uintptr_t)strset_add_bytes(to, (const char *)frames, n * sizeof(frames[0]));
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
		g->start_stack = move(living, g->start_stack);
		g->create_stack = move(living, g->create_stack);
		move_regions(living, &g->regions);
	}
	map64_clear(&c->stack_keys);
	strset_free(c->texts);
	c->texts = living;
}
