// SPDX-License-Identifier: Apache-2.0
/* stackkeys: see stackkeys.h. */
#include "rewrite/stackkeys.h"

#include <string.h>

static const char *stackkeys_copy(struct strset *texts, const struct trace_reader *r, uint64_t id)
{
	size_t len = 0;
	const char *s = trace_reader_string(r, id, &len);

	return s ? strset_add(texts, s, strnlen(s, len)) : "";
}

static const char *stackkeys_frames_of(struct strset *texts, const struct trace_reader *r,
				       const struct v2_tables *t, const struct v2_stack *stack)
{
	struct trace_frame frames[TRACEV2_MAX_FRAMES];
	uint32_t i;

	for (i = 0; i < stack->len; i++) {
		const struct v2_frame *f = tables_frame(t, stack, i);

		frames[i] = (struct trace_frame){ f->pc, stackkeys_copy(texts, r, f->func),
						  stackkeys_copy(texts, r, f->file), f->line };
	}
	return strset_add_bytes(texts, (const char *)frames, stack->len * sizeof(frames[0]));
}

uint64_t stackkeys_get(struct strset *texts, struct map64 *keys, const struct trace_reader *r,
		       uint64_t id)
{
	const struct v2_generation *gen = trace_reader_generation(r);
	const struct v2_stack *stack = id && gen ? tables_stack(&gen->tables, id) : NULL;
	uint64_t *key;
	bool is_new;

	if (!stack)
		return 0;
	key = map64_put(keys, id, &is_new);
	if (is_new)
		*key = (uintptr_t)stackkeys_frames_of(texts, r, &gen->tables, stack);
	return *key;
}

size_t stackkeys_frames(void *ctx, uint64_t key, struct trace_frame *out, size_t max)
{
	const char *frames = (const char *)(uintptr_t)key;
	size_t n = strset_len(frames) / sizeof(*out);

	n = n < max ? n : max;
	memcpy(out, frames, n * sizeof(*out));
	return n;
}

uint64_t stackkeys_move(struct strset *to, uint64_t key)
{
	struct trace_frame frames[TRACEV2_MAX_FRAMES];
	size_t i, n = key ? stackkeys_frames(NULL, key, frames, TRACEV2_MAX_FRAMES) : 0;

	if (!key)
		return 0;
	for (i = 0; i < n; i++) {
		frames[i].func = strset_add(to, frames[i].func, strlen(frames[i].func));
		frames[i].file = strset_add(to, frames[i].file, strlen(frames[i].file));
	}
	return (uintptr_t)strset_add_bytes(to, (const char *)frames, n * sizeof(frames[0]));
}
