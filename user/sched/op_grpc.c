// SPDX-License-Identifier: Apache-2.0
/*
 * op_grpc: calls of google.golang.org/grpc (include/grpc.h). Text of the begin: the method. A
 * served call has its status in a note, a call that the program makes has it in its end: arg is the
 * code, the text is the message.
 */
#include <string.h>

#include "grpc.h"
#include "read/grpc.h"
#include "sched/op.h"

enum { METHOD_MOST = OP_NAME_MOST - sizeof(GRPC_CALL_PREFIX) };

static size_t grpc_served_name(char name[OP_NAME_MOST], const struct op *op,
			       const struct rec_user *end)
{
	if (end)
		return 0;
	memcpy(name, op->text, op->len[0]);
	return op->len[0];
}

static size_t grpc_call_name(char name[OP_NAME_MOST], const struct op *op,
			     const struct rec_user *end)
{
	size_t prefix = strlen(GRPC_CALL_PREFIX);

	if (end)
		return 0;
	memcpy(name, GRPC_CALL_PREFIX, prefix);
	memcpy(name + prefix, op->text, op->len[0]);
	return prefix + op->len[0];
}

static void grpc_log_code(struct buf *out, uint64_t code)
{
	const char *name = grpc_code_name(code);

	if (code == GRPC_CODE_UNKNOWABLE)
		return;
	op_log_number(out, "code", code);
	if (name)
		op_log_word(out, "status", name);
}

static void grpc_log_message(struct buf *out, const struct rec_user *u)
{
	if (u->len[0])
		op_log_text(out, "error", u->text,
			    u->len[0] < GRPC_MESSAGE_MOST ? u->len[0] : GRPC_MESSAGE_MOST);
}

static void grpc_served_log(struct buf *out, const struct op *op, const struct rec_user *end)
{
	const struct rec_user *note = op->note;
	unsigned int flags = note ? op_flags_of(note) : 0;

	op_log_word(out, "side", "server");
	if (!note)
		return;
	if (flags & (GRPC_UNARY | GRPC_STREAM))
		op_log_word(out, "kind", flags & GRPC_UNARY ? "unary" : "stream");
	grpc_log_code(out, note->arg);
	if (flags & GRPC_OVER_HTTP)
		op_log_word(out, "via", "http");
	grpc_log_message(out, note);
}

static void grpc_call_log(struct buf *out, const struct op *op, const struct rec_user *end)
{
	op_log_word(out, "side", "client");
	op_log_word(out, "kind", op->kind == OP_GRPC_CALL ? "unary" : "stream");
	grpc_log_code(out, end->arg);
	grpc_log_message(out, end);
}

const struct op_traits op_grpc_served = {
	.form = OP_FORM_TASK, .category = GRPC_CATEGORY, .most = { METHOD_MOST, 0 },
	.single = true, .has_children = true, .name = grpc_served_name, .log = grpc_served_log,
};

const struct op_traits op_grpc_call = {
	.form = OP_FORM_TASK, .is_call = true, .category = GRPC_CATEGORY,
	.most = { METHOD_MOST, 0 }, .name = grpc_call_name, .log = grpc_call_log,
};

const struct op_traits op_grpc_stream = {
	.form = OP_FORM_FREE, .is_call = true, .category = GRPC_CATEGORY,
	.most = { METHOD_MOST, 0 }, .name = grpc_call_name, .log = grpc_call_log,
};
