// SPDX-License-Identifier: Apache-2.0
/*
 * rewrite_names: strings and stacks of the generation that is read, into those
 * of the one that is written, which may end later: so names are copied.
 */
#include "cmd/rewrite_internal.h"

#include <string.h>

static const char *copy(struct rewrite *c, uint64_t id)
{
	size_t len = 0;
	const char *s = trace_reader_string(c->r, id, &len);

	return s ? strset_add(c->texts, s, strnlen(s, len)) : "";
}

uint64_t rewrite_string(struct rewrite *c, uint64_t id)
{
	return c->writing ? tracefile_string(c->tf, copy(c, id)) : 0;
}

static void add_frame(struct rewrite *c, const struct v2_frame *f)
{
	struct trace_frame *out = vec_push(&c->frames, sizeof(*out));

	*out = (struct trace_frame){ f->pc, copy(c, f->func), copy(c, f->file), f->line };
}

uint64_t rewrite_stack_key(struct rewrite *c, uint64_t id)
{
	const struct v2_generation *gen = trace_reader_generation(c->r);
	const struct v2_stack *stack;
	struct rewrite_stack *st;
	uint64_t *key;
	uint32_t i;
	bool is_new;

	stack = id && gen && !c->o->strip_stacks ? tables_stack(&gen->tables, id) : NULL;
	if (!stack)
		return 0;
	key = map64_put(&c->stack_keys, id, &is_new);
	if (!is_new)
		return *key;
	st = vec_push(&c->stacks, sizeof(*st));
	*st = (struct rewrite_stack){ .first = c->frames.len, .n = stack->len };
	for (i = 0; i < stack->len; i++)
		add_frame(c, tables_frame(&gen->tables, stack, i));
	return *key = c->stacks.len;
}

uint64_t rewrite_stack(struct rewrite *c, uint64_t id)
{
	return c->writing ? tracefile_stack(c->tf, rewrite_stack_key(c, id)) : 0;
}

size_t rewrite_frames(void *ctx, uint64_t key, struct trace_frame *out, size_t max)
{
	struct rewrite *c = ctx;
	const struct rewrite_stack *st = vec_at(&c->stacks, struct rewrite_stack, key - 1);
	size_t i, n = st->n < max ? st->n : max;

	for (i = 0; i < n; i++)
		out[i] = *vec_at(&c->frames, struct trace_frame, st->first + i);
	return n;
}
