// SPDX-License-Identifier: Apache-2.0
/* names: see names.h. */
#include "spans/names.h"

#include <stdlib.h>
#include <string.h>

#include "spans/spans.h"

void names_init(struct names *n)
{
	*n = (struct names){ .texts = strset_new(), .stacks = stack_set_new() };
}

void names_share(struct names *n, const struct names *with)
{
	*n = (struct names){ .texts = with->texts, .stacks = with->stacks, .shared = true };
}

static void forget_ids(struct names *n)
{
	free(n->strings);
	free(n->stack_numbers);
	free(n->frame_numbers);
	n->strings = NULL;
	n->stack_numbers = n->frame_numbers = NULL;
}

void names_free(struct names *n)
{
	forget_ids(n);
	vec_free(&n->frames);
	if (n->shared)
		return;
	stack_set_free(n->stacks);
	strset_free(n->texts);
}

void names_enter(struct names *n, const struct v2_tables *tables)
{
	forget_ids(n);
	n->tables = tables;
	if (!tables)
		return;
	n->strings = xcalloc(tables->strings.len + 1, sizeof(*n->strings));
	n->stack_numbers = xcalloc(tables->stacks.len + 1, sizeof(*n->stack_numbers));
	n->frame_numbers = xcalloc(tables->frames.len + 1, sizeof(*n->frame_numbers));
}

/* --- texts --- */

const char *names_text(struct names *n, const char *text, size_t len)
{
	static const char too_many[] = "(a name too many)";
	const char *found;

	if (!len)
		return "";
	if (strset_size(n->texts) < SPANS_TEXTS)
		return strset_add(n->texts, text, len);
	found = strset_find(n->texts, text, len);
	if (found)
		return found;
	n->dropped++;
	return too_many;
}

const char *names_find_string(struct names *n, uint64_t id)
{
	uint32_t found = n->tables ? ids_find(&n->tables->string_ids, id) : 0;
	const char *text;
	size_t len;

	if (!found)
		return "";
	text = tables_string(n->tables, id, &len);
	return n->strings[found - 1] = text ? names_text(n, text, len) : "";
}

/* --- stacks --- */

static uint32_t find_frame(struct names *n, uint32_t index)
{
	const struct v2_frame *f = vec_at(&n->tables->frames, struct v2_frame, index);
	struct stack_frame frame;

	if (n->frame_numbers[index])
		return n->frame_numbers[index] - 1;
	frame = (struct stack_frame){ names_string(n, f->func), names_string(n, f->file), f->pc,
				      f->line };
	n->frame_numbers[index] = stack_set_frame(n->stacks, &frame) + 1;
	return n->frame_numbers[index] - 1;
}

static uint32_t names_number_of(struct names *n, const struct v2_stack *stack)
{
	const uint32_t *index = vec_at(&n->tables->stack_frames, uint32_t, stack->start);
	uint32_t i, frame;

	n->frames.len = 0;
	for (i = 0; i < stack->len; i++) {
		frame = find_frame(n, index[i]);
		if (!frame)
			return 0;
		*(uint32_t *)vec_push(&n->frames, sizeof(uint32_t)) = frame;
	}
	return stack_set_stack(n->stacks, n->frames.data, stack->len);
}

uint32_t names_find_stack(struct names *n, uint32_t index)
{
	uint32_t number = names_number_of(n, vec_at(&n->tables->stacks, struct v2_stack, index));

	n->stack_numbers[index] = number + 1;
	return number;
}
