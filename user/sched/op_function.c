// SPDX-License-Identifier: Apache-2.0
/*
 * op_function: a call of a function that `--region` names (bpf/probe_region.bpf.c). Its key is
 * the depth of the call: the distance from the high end of the goroutine's stack to the return
 * address, which stays the same when the stack moves. Its text is the function's name, its arg
 * the address of the probe. A call that a panic, or runtime.Goexit, has left has no end: the next
 * probe at which the stack is no deeper shows that (by_depth).
 */
#include <string.h>

#include "read/func.h"
#include "sched/op.h"

static size_t function_name(char name[OP_NAME_MOST], const struct op *op,
			    const struct rec_user *end)
{
	if (end)
		return 0;
	memcpy(name, op->text, op->len[0]);
	return op->len[0];
}

/* @end: NULL: the call was left without a return. */
static void function_log(struct buf *out, const struct op *op, const struct rec_user *end)
{
	if (end)
		return;
	op_log_text(out, "func", op->text, op->len[0]);
	op_log_word(out, "end", "unwound");
}

const struct op_traits op_function = {
	.form = OP_FORM_REGION, .category = FUNC_CATEGORY, .most = { OP_NAME_MOST, 0 },
	.by_depth = true, .name = function_name, .log = function_log,
};
