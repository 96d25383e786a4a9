// SPDX-License-Identifier: Apache-2.0
/* tables: the strings, stacks and names of types of an open trace (see trace.h). */
#include "v1/internal.h"

int v1_trace_version(const struct v1_trace *t)
{
	return t->format.version;
}

void v1_trace_clock(const struct v1_trace *t, uint64_t *frequency, int64_t *first)
{
	*frequency = t->frequency;
	*first = t->first;
}

const struct map64 *v1_trace_timers(const struct v1_trace *t)
{
	return &t->timer_gs;
}

size_t v1_trace_count(const struct v1_trace *t)
{
	return t->count;
}

const char *v1_trace_string(const struct v1_trace *t, uint64_t id)
{
	const uint64_t *slot = map64_get(&t->strings, id);

	return slot ? (const char *)(uintptr_t)*slot : t->empty;
}

const char *v1_trace_type_name(const struct v1_trace *t, unsigned int type)
{
	return t->format.spec[type] ? t->format.spec[type]->name : "?";
}

static void tables_fill_frame(const struct v1_trace *t, const struct v1_stored_frame *f,
			      struct v1_frame *out)
{
	*out = (struct v1_frame){ .pc = f->pc, .func = "", .file = "", .line = f->line };
	if (v1_pc_only(t->format.version)) {
		if (t->symbolized) {
			out->func = (const char *)(uintptr_t)f->func;
			out->file = (const char *)(uintptr_t)f->file;
		}
		return;
	}
	out->func = v1_trace_string(t, f->func);
	out->file = v1_trace_string(t, f->file);
}

size_t v1_trace_stack(const struct v1_trace *t, uint64_t id, struct v1_frame *out, size_t max)
{
	const uint64_t *slot = map64_get(&t->stacks, id);
	const struct v1_stack *st;
	size_t i, n;

	if (!slot)
		return 0;
	st = vec_at(&t->stack_list, struct v1_stack, *slot);
	n = st->n < max ? st->n : max;
	for (i = 0; i < n; i++)
		tables_fill_frame(t, vec_at(&t->frames, struct v1_stored_frame, st->first + i),
				  &out[i]);
	return n;
}

size_t v1_trace_depth(const struct v1_trace *t, uint64_t id)
{
	const uint64_t *slot = map64_get(&t->stacks, id);

	return slot ? vec_at(&t->stack_list, struct v1_stack, *slot)->n : 0;
}

bool v1_trace_start_pc(const struct v1_trace *t, uint64_t stack, uint64_t *pc)
{
	struct v1_frame frame;

	if (stack < V1_START_STACK || !v1_trace_stack(t, stack, &frame, 1))
		return false;
	*pc = frame.pc;
	return true;
}
