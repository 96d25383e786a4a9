// SPDX-License-Identifier: Apache-2.0
/*
 * events_stacks: see events_stacks.h. Input: the tables of a generation. Output: text, and whether
 * a pattern matches.
 */
#include "read/events_stacks.h"

#include <string.h>

#include "read/put.h"

enum match { MATCH_UNKNOWN, MATCH_NO, MATCH_YES };

static void clear_texts(struct events_stacks *s)
{
	int role;

	s->texts.len = 0;
	for (role = 0; role < STACK_ROLES; role++) {
		struct vec *known = &s->known[role];

		known->len = s->tables->stacks.len;
		vec_reserve(known, known->len, sizeof(struct stack_text));
		if (known->len)
			memset(known->data, 0, known->len * sizeof(struct stack_text));
	}
}

static void clear_bytes(struct buf *b, size_t n)
{
	b->len = 0;
	memset(put_room(b, n + 1), MATCH_UNKNOWN, n + 1);
	b->len = n;
}

void events_stacks_enter(struct events_stacks *s, const struct v2_tables *tables)
{
	s->tables = tables;
	clear_texts(s);
	clear_bytes(&s->matches, tables->stacks.len);
	clear_bytes(&s->frame_matches, tables->frames.len);
}

void events_stacks_free(struct events_stacks *s)
{
	int role;

	for (role = 0; role < STACK_ROLES; role++)
		vec_free(&s->known[role]);
	buf_free(&s->texts);
	buf_free(&s->matches);
	buf_free(&s->frame_matches);
	buf_free(&s->name);
}

static size_t number_of(const struct events_stacks *s, const struct v2_stack *stack)
{
	return (size_t)(stack - vec_at(&s->tables->stacks, struct v2_stack, 0));
}

/* Makes the text of a stack, and keeps it if it is not empty. */
static struct stack_text *events_stacks_add_text(struct events_stacks *s,
						 const struct v2_stack *stack,
						 enum events_stack_role role)
{
	struct stack_text *text;

	if (s->texts.len > STACKS_KEPT)
		clear_texts(s);
	text = vec_at(&s->known[role], struct stack_text, number_of(s, stack));
	text->start = (uint32_t)s->texts.len;
	s->frames[role](&s->texts, s->tables, stack);
	text->len = (uint32_t)(s->texts.len - text->start);
	return text;
}

void events_stacks_put(struct events_stacks *s, struct buf *out, uint64_t id,
		       enum events_stack_role role)
{
	const struct v2_stack *stack = id ? tables_stack(s->tables, id) : NULL;
	struct stack_text *text;

	if (!stack)
		return;
	text = vec_at(&s->known[role], struct stack_text, number_of(s, stack));
	if (!text->len)
		text = events_stacks_add_text(s, stack, role);
	put_bytes(out, s->texts.data + text->start, text->len);
}

/* --- patterns --- */

/* regexec() requires a terminating NUL. A name that contains a NUL is matched up to this NUL. */
static enum match match_frame(struct events_stacks *s, const struct v2_frame *frame,
			      const regex_t *func)
{
	size_t len;
	const char *name = tables_string(s->tables, frame->func, &len);

	if (!name)
		return MATCH_NO;
	s->name.len = 0;
	put_bytes(&s->name, name, len);
	put_byte(&s->name, 0);
	return regexec(func, (const char *)s->name.data, 0, NULL, 0) ? MATCH_NO : MATCH_YES;
}

static enum match match_stack(struct events_stacks *s, const struct v2_stack *stack,
			      const regex_t *func)
{
	uint32_t i;

	for (i = 0; i < stack->len; i++) {
		const struct v2_frame *frame = tables_frame(s->tables, stack, i);
		uint8_t *known = s->frame_matches.data +
				 (frame - vec_at(&s->tables->frames, struct v2_frame, 0));

		if (*known == MATCH_UNKNOWN)
			*known = (uint8_t)match_frame(s, frame, func);
		if (*known == MATCH_YES)
			return MATCH_YES;
	}
	return MATCH_NO;
}

bool events_stack_matches(struct events_stacks *s, uint64_t id, const regex_t *func)
{
	const struct v2_stack *stack = id ? tables_stack(s->tables, id) : NULL;
	uint8_t *known;

	if (!stack)
		return false;
	known = s->matches.data + number_of(s, stack);
	if (*known == MATCH_UNKNOWN)
		*known = (uint8_t)match_stack(s, stack, func);
	return *known == MATCH_YES;
}
