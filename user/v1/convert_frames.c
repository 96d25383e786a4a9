// SPDX-License-Identifier: Apache-2.0
/*
 * convert_frames: turns the stacks of a v1 trace into frames for v2. Readers since Go 1.23 identify
 * a frame by its PC, so the frames of inlined calls, which share a PC in v1, get PCs of their own.
 * All frames but the leaf must be complete: unknown names are replaced by the address.
 */
#include <stdio.h>
#include <string.h>

#include "v1/convert_internal.h"
#include "v1/internal.h"

enum { FIRST_MADE_UP_PC_BIT = 62 };

void convert_frames_init(struct convert_frames *f, const struct v1_trace *t)
{
	memset(f, 0, sizeof(*f));
	f->t = t;
	f->next_pc = 1ULL << FIRST_MADE_UP_PC_BIT;
	f->names = strset_new();
}

void convert_frames_release(struct convert_frames *f)
{
	map64_free(&f->by_pc);
	map64_free(&f->moved);
	strset_free(f->names);
}

/* The key of a frame: a number, the same for equal frames. */
static uint64_t frame_key(struct convert_frames *f, const struct v1_frame *v)
{
	/* Names are interned: equal names have equal addresses. */
	const uint64_t key[] = { v->pc, (uintptr_t)v->func, (uintptr_t)v->file, v->line };

	return (uintptr_t)strset_add_bytes(f->names, (const char *)key, sizeof(key));
}

static uint64_t unique_pc(struct convert_frames *f, const struct v1_frame *v)
{
	uint64_t key = frame_key(f, v);
	uint64_t *slot;
	bool is_new = false;

	if (v->pc) {
		slot = map64_put(&f->by_pc, v->pc, &is_new);
		if (is_new)
			*slot = key;
		if (*slot == key)
			return v->pc;
	}
	slot = map64_put(&f->moved, key, &is_new);
	if (is_new)
		*slot = f->next_pc++;
	return *slot;
}

static const char *address_name(struct convert_frames *f, uint64_t pc)
{
	char name[32];
	int n = snprintf(name, sizeof(name), "0x%llx", (unsigned long long)pc);

	return strset_add(f->names, name, (size_t)n);
}

static struct trace_frame v1_frames_complete(struct convert_frames *f, const struct v1_frame *v,
					     bool leaf)
{
	struct trace_frame out = { v->pc, v->func, v->file, v->line };
	bool named = *v->func || *v->file;

	/*
	 * Runtimes write a leaf without PC and names for a missing stack. In a damaged trace a leaf
	 * may have only one of its names.
	 */
	if (leaf && (named || !v->pc) && !(f->t->resumed && v->pc)) {
		out.pc = v->pc || named ? unique_pc(f, v) : 0;
		return out;
	}
	out.pc = unique_pc(f, v);
	if (!*out.func)
		out.func = address_name(f, v->pc);
	if (!*out.file)
		out.file = "?";
	if (!out.line)
		out.line = 1;
	return out;
}

size_t convert_frames_get(void *ctx, uint64_t key, struct trace_frame *out, size_t max)
{
	struct convert_frames *f = ctx;
	struct v1_frame frames[TRACEV2_MAX_FRAMES];
	size_t i, n;

	n = v1_trace_stack(f->t, key, frames, max < TRACEV2_MAX_FRAMES ? max : TRACEV2_MAX_FRAMES);
	f->cut_stacks += v1_trace_depth(f->t, key) > n;
	for (i = 0; i < n; i++) {
		f->cut_names += (strset_len(frames[i].func) > TRACEV2_MAX_STRING) +
				(strset_len(frames[i].file) > TRACEV2_MAX_STRING);
		out[i] = v1_frames_complete(f, &frames[i], i == 0);
	}
	return n;
}
