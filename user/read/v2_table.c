// SPDX-License-Identifier: Apache-2.0
/*
 * v2_table: see v2_table.h. Input: bodies of Strings and Stacks batches. Output: look-ups by id.
 * The reader looks up one or two ids per event, so the dense case is an array access.
 */
#include "read/v2_table.h"

#include <stdlib.h>
#include <string.h>

#include "tracev2.h"

enum { DENSE_SLACK = 1024 };	/* ids in dense[] may exceed twice their number by this */

/*
 * Empties the ids. Frees the storage of a large generation: many small ones may follow, and each
 * would clear the storage.
 */
static void ids_clear(struct v2_ids *ids)
{
	if (ids->cap / 8 > ids->len + DENSE_SLACK) {
		free(ids->dense);
		ids->dense = NULL;
		ids->cap = 0;
	}
	if (ids->cap) {
		memset(ids->dense, 0, ids->cap * sizeof(*ids->dense));
		ids->dense[0] = 1;
	}
	map64_clear(&ids->sparse);
	ids->len = 0;
	ids->all_below = 1;
}

static void ids_free(struct v2_ids *ids)
{
	free(ids->dense);
	map64_free(&ids->sparse);
	memset(ids, 0, sizeof(*ids));
}

static void ids_grow(struct v2_ids *ids, uint64_t id)
{
	size_t cap = ids->cap ? ids->cap : 256;

	while (cap <= id)
		cap *= 2;
	ids->dense = xrealloc(ids->dense, cap, sizeof(*ids->dense));
	memset(ids->dense + ids->cap, 0, (cap - ids->cap) * sizeof(*ids->dense));
	ids->dense[0] = 1;	/* id 0 is always known */
	ids->cap = cap;
}

static void ids_add(struct v2_ids *ids, uint64_t id, size_t index)
{
	if (id >= ids->cap && id <= 2 * ids->len + DENSE_SLACK)
		ids_grow(ids, id);
	if (id < ids->cap)
		ids->dense[id] = (uint32_t)index + 1;
	else
		*map64_put(&ids->sparse, id, NULL) = index + 1;
	ids->len++;
	while (ids_know(ids, ids->all_below))
		ids->all_below++;
}

uint32_t ids_find_sparse(const struct v2_ids *ids, uint64_t id)
{
	const uint64_t *index = map64_get(&ids->sparse, id);

	return index ? (uint32_t)*index : 0;
}

void tables_clear(struct v2_tables *t)
{
	ids_clear(&t->string_ids);
	ids_clear(&t->stack_ids);
	map64_clear(&t->pcs);
	t->strings.len = t->stacks.len = t->stack_frames.len = t->frames.len = 0;
	t->text.len = 0;
	t->frames_differ = 0;
}

void tables_free(struct v2_tables *t)
{
	ids_free(&t->string_ids);
	ids_free(&t->stack_ids);
	map64_free(&t->pcs);
	vec_free(&t->strings);
	vec_free(&t->stacks);
	vec_free(&t->stack_frames);
	vec_free(&t->frames);
	buf_free(&t->text);
}

const char *tables_string(const struct v2_tables *t, uint64_t id, size_t *len)
{
	const struct v2_string *s;
	uint32_t found;

	*len = 0;
	if (!id)
		return "";
	found = ids_find(&t->string_ids, id);
	if (!found)
		return NULL;
	s = vec_at(&t->strings, struct v2_string, found - 1);
	*len = s->len;
	return s->len ? (const char *)t->text.data + s->start : "";
}

const struct v2_stack *tables_stack(const struct v2_tables *t, uint64_t id)
{
	uint32_t found = id ? ids_find(&t->stack_ids, id) : 0;

	return found ? vec_at(&t->stacks, struct v2_stack, found - 1) : NULL;
}

const struct v2_frame *tables_frame(const struct v2_tables *t, const struct v2_stack *stack,
				    uint32_t i)
{
	uint32_t index = *vec_at(&t->stack_frames, uint32_t, stack->start + i);

	return vec_at(&t->frames, struct v2_frame, index);
}

static int v2_table_bad_number(enum cursor_status status, const char *what, struct v2_place *place,
		      struct v2_fault *fault)
{
	return fault_set(fault, place, "reading %s: %s", what, cursor_status_text(status));
}

/* Reads the first byte and the id of a record of a table. */
static int open_record(struct cursor *c, uint8_t want, const char *what, uint64_t *id,
		       struct v2_place *place, struct v2_fault *fault)
{
	enum cursor_status status;
	uint8_t type = 0;

	place->offset = cursor_offset(c);
	cursor_byte(c, &type);
	if (type != want)
		return fault_set(fault, place, "expected %s event, got %u", what, type);
	status = cursor_uvarint(c, id);
	if (status != CURSOR_OK)
		return v2_table_bad_number(status, "its ID", place, fault);
	return 0;
}

static int duplicate_string(const struct v2_tables *t, uint64_t id, const char *text, size_t len,
			    struct v2_place *place, struct v2_fault *fault)
{
	size_t old_len;
	const char *old = tables_string(t, id, &old_len);

	return fault_set(fault, place, "multiple strings with the same ID: id=%llu, new=%.*s,"
			 " existing=%.*s", (unsigned long long)id, (int)(len < 80 ? len : 80),
			 text, (int)(old_len < 80 ? old_len : 80), old);
}

static int v2_table_add_string(struct v2_tables *t, struct cursor *c, struct v2_place *place,
		      struct v2_fault *fault)
{
	enum cursor_status status;
	struct v2_string *s;
	uint64_t id, len;
	int ret = open_record(c, EV_String, "string", &id, place, fault);

	if (ret)
		return ret;
	status = cursor_uvarint(c, &len);
	if (status != CURSOR_OK)
		return v2_table_bad_number(status, "the string's length", place, fault);
	if (len > TRACEV2_MAX_STRING)
		return fault_set(fault, place, "invalid string size %llu, maximum is %d",
				 (unsigned long long)len, TRACEV2_MAX_STRING);
	if (len > cursor_left(c))
		return fault_set(fault, place, "failed to read full string: read %zu but wanted"
				 " %llu", cursor_left(c), (unsigned long long)len);
	if (tables_have_string(t, id))
		return duplicate_string(t, id, (const char *)c->pos, len, place, fault);
	ids_add(&t->string_ids, id, t->strings.len);
	s = vec_push(&t->strings, sizeof(*s));
	s->start = t->text.len;
	s->len = (uint32_t)len;
	buf_add(&t->text, c->pos, len);
	c->pos += len;
	return 0;
}

int tables_add_strings(struct v2_tables *t, struct cursor *c, struct v2_place *place,
		       struct v2_fault *fault)
{
	int ret = 0;

	while (!ret && cursor_left(c))
		ret = v2_table_add_string(t, c, place, fault);
	return ret;
}

static void add_frame(struct v2_tables *t, const uint64_t f[4])
{
	bool is_new;
	uint64_t *index = map64_put(&t->pcs, f[0], &is_new);
	struct v2_frame *frame;

	if (is_new) {
		*index = t->frames.len;
		frame = vec_push(&t->frames, sizeof(*frame));
		*frame = (struct v2_frame){ .pc = f[0], .func = f[1], .file = f[2], .line = f[3] };
	} else {
		frame = vec_at(&t->frames, struct v2_frame, *index);
		t->frames_differ += frame->func != f[1] || frame->file != f[2] ||
				    frame->line != f[3];
	}
	*(uint32_t *)vec_push(&t->stack_frames, sizeof(uint32_t)) = (uint32_t)*index;
}

static int v2_table_add_frames(struct v2_tables *t, struct cursor *c, uint64_t id, uint64_t n,
		      struct v2_place *place, struct v2_fault *fault)
{
	static const char *const fields[] = { "PC", "funcID", "fileID", "line" };
	enum cursor_status status;
	uint64_t frame[4], i;
	int k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < 4; k++) {
			status = cursor_uvarint(c, &frame[k]);
			if (status != CURSOR_OK)
				return fault_set(fault, place, "reading frame %llu's %s for stack"
						 " %llu: %s", (unsigned long long)i + 1, fields[k],
						 (unsigned long long)id,
						 cursor_status_text(status));
		}
		add_frame(t, frame);
	}
	return 0;
}

static int v2_table_add_stack(struct v2_tables *t, struct cursor *c, struct v2_place *place,
		     struct v2_fault *fault)
{
	enum cursor_status status;
	struct v2_stack *s;
	uint64_t id, n, start = t->stack_frames.len;
	int ret = open_record(c, EV_Stack, "stack", &id, place, fault);

	if (ret)
		return ret;
	status = cursor_uvarint(c, &n);
	if (status != CURSOR_OK)
		return v2_table_bad_number(status, "the stack's size", place, fault);
	if (n > TRACEV2_MAX_FRAMES)
		return fault_set(fault, place, "invalid stack size %llu, maximum is %d",
				 (unsigned long long)n, TRACEV2_MAX_FRAMES);
	ret = v2_table_add_frames(t, c, id, n, place, fault);
	if (ret)
		return ret;
	if (tables_have_stack(t, id))
		return fault_set(fault, place, "multiple stacks with the same ID: id=%llu",
				 (unsigned long long)id);
	ids_add(&t->stack_ids, id, t->stacks.len);
	s = vec_push(&t->stacks, sizeof(*s));
	*s = (struct v2_stack){ .id = id, .start = start, .len = (uint32_t)n };
	return 0;
}

int tables_add_stacks(struct v2_tables *t, struct cursor *c, struct v2_place *place,
		      struct v2_fault *fault)
{
	int ret = 0;

	while (!ret && cursor_left(c))
		ret = v2_table_add_stack(t, c, place, fault);
	return ret;
}

static int v2_table_check_stack(const struct v2_tables *t, const struct v2_stack *stack,
		       struct v2_place *place, struct v2_fault *fault)
{
	uint32_t i;

	for (i = 0; i < stack->len; i++) {
		const struct v2_frame *f = tables_frame(t, stack, i);
		bool func = tables_have_string(t, f->func);

		if (!func || !tables_have_string(t, f->file))
			return fault_set(fault, place, "found invalid %s string ID %llu for stack"
					 " %llu", func ? "file" : "func",
					 (unsigned long long)(func ? f->file : f->func),
					 (unsigned long long)stack->id);
	}
	return 0;
}

int tables_check(const struct v2_tables *t, struct v2_place *place, struct v2_fault *fault)
{
	bool complete = true;
	size_t i;

	/* Many stacks share few frames: look for the stack of a frame only if a frame is bad. */
	for (i = 0; i < t->frames.len && complete; i++) {
		const struct v2_frame *f = vec_at(&t->frames, struct v2_frame, i);

		complete = tables_have_string(t, f->func) && tables_have_string(t, f->file);
	}
	for (i = 0; i < t->stacks.len && !complete; i++) {
		int ret = v2_table_check_stack(t, vec_at(&t->stacks, struct v2_stack, i), place,
					       fault);

		if (ret)
			return ret;
	}
	return 0;
}
