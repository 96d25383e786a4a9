// SPDX-License-Identifier: Apache-2.0
/* interned: see interned.h. */
#include "perfetto/interned.h"

#include <string.h>

#include "base/protobuf.h"

static const char *const categories[] = {
#define X(name, text) [CATEGORY_##name] = text,
	INTERNED_CATEGORIES_LIST(X)
#undef X
};

static const char *const annotations[] = {
#define X(name, text) [NOTE_##name] = text,
	INTERNED_ANNOTATIONS_LIST(X)
#undef X
};

static void interned_put_text(struct buf *b, uint32_t field, uint32_t iid, const char *text)
{
	size_t open = protobuf_open(b, field);

	protobuf_uint(b, TEXT_IID, iid);
	packets_text(b, TEXT_TEXT, text);
	protobuf_close(b, open);
}

/* --- packets with interned data --- */

struct place {
	size_t packet, data;
};

static struct place open_data(struct interned *n)
{
	struct place at;

	at.packet = packets_open(n->packets);
	at.data = protobuf_open(packets_buf(n->packets), PACKET_INTERNED_DATA);
	return at;
}

static void close_data(struct interned *n, struct place at)
{
	protobuf_close(packets_buf(n->packets), at.data);
	packets_close(n->packets, at.packet);
}

/* --- texts --- */

/* Returns the number of @text; a new text is appended to the open packet. */
static uint32_t interned_number_of(struct interned *n, struct interned_texts *t, const char *text)
{
	bool is_new;
	uint64_t *number = map64_put(&t->numbers, (uintptr_t)text, &is_new);

	if (is_new) {
		*number = t->numbers.len;
		interned_put_text(packets_buf(n->packets), t->field, (uint32_t)*number, text);
	}
	return (uint32_t)*number;
}

uint32_t interned_name(struct interned *n, const char *text)
{
	const uint64_t *known = map64_get(&n->names.numbers, (uintptr_t)text);
	struct place at;
	uint32_t number;

	if (known)
		return (uint32_t)*known;
	at = open_data(n);
	number = interned_number_of(n, &n->names, text);
	close_data(n, at);
	return number;
}

/* --- frames and stacks --- */

/* Sets the bit of @number. Returns whether it was set before. */
static bool interned_is_done(struct buf *bits, uint32_t number)
{
	size_t byte = number / 8;
	uint8_t bit = (uint8_t)(1 << number % 8);
	bool done;

	while (bits->len <= byte)
		buf_add_byte(bits, 0);
	done = bits->data[byte] & bit;
	bits->data[byte] |= bit;
	return done;
}

static void interned_put_frame(struct interned *n, uint32_t number)
{
	const struct stack_frame *f = stack_set_frame_at(n->stacks, number);
	struct buf *b = packets_buf(n->packets);
	uint32_t function = interned_number_of(n, &n->functions, *f->func ? f->func : "(no name)");
	uint32_t source = *f->file ? interned_number_of(n, &n->sources, f->file) : 0;
	size_t frame = protobuf_open(b, INTERNED_FRAMES);

	protobuf_uint(b, FRAME_IID, number);
	protobuf_uint(b, FRAME_FUNCTION, function);
	if (source)
		protobuf_uint(b, FRAME_SOURCE, source);
	if (f->line && f->line <= UINT32_MAX)
		protobuf_uint(b, FRAME_LINE, f->line);
	protobuf_close(b, frame);
}

uint32_t interned_stack_new(struct interned *n, uint32_t stack)
{
	struct place at = open_data(n);
	uint32_t count, i;
	const uint32_t *frames = stack_set_of(n->stacks, stack, &count);
	size_t open;

	interned_is_done(&n->stacks_done, stack);
	for (i = 0; i < count; i++)
		if (!interned_is_done(&n->frames_done, frames[i]))
			interned_put_frame(n, frames[i]);
	open = protobuf_open(packets_buf(n->packets), INTERNED_STACKS);
	protobuf_uint(packets_buf(n->packets), STACK_IID, stack);
	for (i = count; i--; )
		protobuf_uint(packets_buf(n->packets), STACK_FRAME, frames[i]);
	protobuf_close(packets_buf(n->packets), open);
	close_data(n, at);
	return stack;
}

/* --- begin and end --- */

void interned_begin(struct interned *n, struct packets *packets, const struct stack_set *stacks)
{
	struct place at;
	uint32_t i;

	*n = (struct interned){ .packets = packets,
				.stacks = stacks,
				.names.field = INTERNED_NAMES,
				.functions.field = INTERNED_FUNCTIONS,
				.sources.field = INTERNED_SOURCES };
	at = open_data(n);
	for (i = 1; i < sizeof(categories) / sizeof(*categories); i++)
		interned_put_text(packets_buf(packets), INTERNED_CATEGORIES, i, categories[i]);
	for (i = 1; i < sizeof(annotations) / sizeof(*annotations); i++)
		interned_put_text(packets_buf(packets), INTERNED_ANNOTATIONS, i, annotations[i]);
	close_data(n, at);
}

void interned_free(struct interned *n)
{
	map64_free(&n->names.numbers);
	map64_free(&n->functions.numbers);
	map64_free(&n->sources.numbers);
	buf_free(&n->frames_done);
	buf_free(&n->stacks_done);
}
