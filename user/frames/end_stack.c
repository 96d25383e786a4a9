// SPDX-License-Identifier: Apache-2.0
/* end_stack: see end_stack.h. */
#include "frames/end_stack.h"

#include <string.h>

/* The function with the instruction before @pc; "": none of Go. */
static const char *end_stack_function(struct symbolizer *symbols, uint64_t pc, int32_t *sp_delta)
{
	struct symbol_function fn;

	*sp_delta = -1;
	if (!symbolizer_function(symbols, pc - 1, &fn))
		return "";
	*sp_delta = fn.sp_delta;
	return fn.name;
}

static size_t end_stack_insert(uint64_t pcs[REC_MAX_FRAMES], size_t n, size_t at, uint64_t pc)
{
	if (at >= REC_MAX_FRAMES)
		return n;
	if (n == REC_MAX_FRAMES)
		n--;
	memmove(&pcs[at + 1], &pcs[at], (n - at) * sizeof(pcs[0]));
	pcs[at] = pc;
	return n + 1;
}

/*
 * Where a signal became a panic, sigpanic looks as if the faulting instruction itself, and not the
 * one before its return address, had called it. And that function, or one that was left in its
 * prologue as its stack had no room, may have no frame: then frame pointers skip its caller. The
 * address of that one is the top word.
 */
size_t end_stack_mend(struct symbolizer *symbols, uint64_t top, uint64_t pcs[REC_MAX_FRAMES],
		      size_t n)
{
	size_t at = 0, i;
	const char *name;
	int32_t delta;

	for (i = 0; i + 1 < n; i++)
		if (!strcmp(end_stack_function(symbols, pcs[i], &delta), "runtime.sigpanic")) {
			pcs[i + 1]++;
			at = at ? at : i + 1;
		}
	if (!n || !top)
		return n;
	name = end_stack_function(symbols, pcs[at], &delta);
	/*
	 * Nothing runs in systemstack_switch: it stands for the function that left its stack, which
	 * has a frame.
	 */
	return delta || !strcmp(name, "runtime.systemstack_switch") ?
		       n :
		       end_stack_insert(pcs, n, at + 1, top);
}
