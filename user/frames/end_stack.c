// SPDX-License-Identifier: Apache-2.0
/* end_stack: see end_stack.h. */
#include "frames/end_stack.h"

#include <string.h>

/* The name of the function with the instruction before @pc; "": not a Go function. */
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

/* Is there a frame record of the call of this function, which has no frame? */
static bool end_stack_has_record(const char *name)
{
	return !strcmp(name, "runtime.duffcopy") || !strcmp(name, "runtime.duffzero");
}

/*
 * Two corrections. When a signal becomes a panic, the runtime makes sigpanic look as if the
 * faulting instruction had called it: its return address is that instruction, not the next one, so
 * it is increased by 1 for look-ups. And the faulting function, or one that left in its prologue
 * for a larger stack, may have no frame: frame pointers then skip its caller. The top word of the
 * stack is the return address into this caller. The callers of runtime.duffcopy and duffzero write
 * a frame record of the call (REC_CPU_RECORD_BELOW), which has this address.
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
	 * systemstack_switch never runs: it stands for the function that left its stack, which has
	 * a frame.
	 */
	return delta || !strcmp(name, "runtime.systemstack_switch") ||
	       end_stack_has_record(name) ?
		       n :
		       end_stack_insert(pcs, n, at + 1, top);
}
