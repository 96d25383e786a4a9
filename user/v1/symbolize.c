// SPDX-License-Identifier: Apache-2.0
/*
 * symbolize: turns the PCs of formats before 1.7 into named frames. The file has return addresses,
 * and for the start of a goroutine the entry of the function. Inlined calls become separate frames;
 * the addr2line of that time did not show them.
 */

#include "v1/trace.h"

#include "base/cleanup.h"
#include "symbol/symbol.h"
#include "v1/internal.h"

enum { MAX_FRAMES = 2048 };	/* frames of one stack after inlined calls are expanded */

static void symbolize_store(struct v1_trace *t, struct v1_stack *st, const struct frame *frames,
			    size_t n)
{
	size_t i;

	st->first = t->frames.len;
	st->n = n;
	for (i = 0; i < n; i++) {
		struct v1_stored_frame *f = vec_push(&t->frames, sizeof(*f));

		*f = (struct v1_stored_frame){ frames[i].pc, (uintptr_t)frames[i].func,
					       (uintptr_t)frames[i].file, frames[i].line };
	}
}

static void symbolize_stack(struct v1_trace *t, struct v1_stack *st, bool is_start)
{
	_cleanup_free_ struct frame *frames = xcalloc(MAX_FRAMES, sizeof(*frames));
	uint64_t pcs[V1_MAX_FRAMES];
	size_t i, n;

	for (i = 0; i < st->n; i++)
		pcs[i] = vec_at(&t->frames, struct v1_stored_frame, st->first + i)->pc;
	if (is_start)
		n = symbolizer_entry(t->symbolizer, pcs[0], frames);
	else
		n = symbolizer_stack(t->symbolizer, pcs, st->n, 0, frames, MAX_FRAMES);
	symbolize_store(t, st, frames, n);
}

int v1_trace_symbolize(struct v1_trace *t, const char *binary, struct error *err)
{
	size_t i;
	int ret;

	if (!v1_pc_only(t->format.version) || t->symbolized)
		return 0;
	/*
	 * Every Go program has this table. DWARF would need a child process, which libgotap must
	 * not make.
	 */
	ret = symbolizer_open(&t->symbolizer, &(struct symbol_file){ .path = binary },
			      SYMBOL_PCLNTAB, err);
	if (ret)
		return ret;
	for (i = 0; i < t->stacks.cap; i++) {
		const struct map64_slot *slot = &t->stacks.slots[i];

		if (slot->used)
			symbolize_stack(t, vec_at(&t->stack_list, struct v1_stack, slot->value),
					slot->key >= V1_START_STACK);
	}
	t->symbolized = true;
	return 0;
}
