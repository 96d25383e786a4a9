// SPDX-License-Identifier: Apache-2.0
/*
 * op_function: a call of a function that `--region` names (bpf/probe_region.bpf.c). Its key is
 * the depth of the call: the distance from the high end of the goroutine's stack to the return
 * address, which stays the same when the stack moves. Its text is the function's name, its arg
 * the address of the probe. A call that a panic, or runtime.Goexit, has left has no end: the next
 * probe at which the stack is no deeper shows that (by_depth).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "read/func.h"
#include "region.h"
#include "sched/op.h"

static size_t function_name(char name[OP_NAME_MOST], const struct op *op,
			    const struct rec_user *end)
{
	if (end)
		return 0;
	memcpy(name, op->text, op->len[0]);
	return op->len[0];
}

/* @end: NULL: the call was left without a return, or records were lost and that is not known. */
static void function_log(struct buf *out, const struct op *op, const struct rec_user *end)
{
	if (end)
		return;
	op_log_text(out, "func", op->text, op->len[0]);
	op_log_word(out, "end", op->lost ? "lost" : "unwound");
}

/* --- values --- */

static int64_t function_signed(uint64_t word, unsigned int size)
{
	unsigned int shift = 64 - 8 * size;

	return (int64_t)(word << shift) >> shift;
}

static uint64_t function_unsigned(uint64_t word, unsigned int size)
{
	unsigned int shift = 64 - 8 * size;

	return word << shift >> shift;
}

/* A string that was cut ends with "...". */
static void function_add_string(struct buf *out, const char *key, const struct region_read *v)
{
	char text[REGION_VALUE_TEXT + 4];
	size_t n = v->len < REGION_VALUE_TEXT ? v->len : REGION_VALUE_TEXT;

	memcpy(text, v->text, n);
	if (v->word > n && !v->missing)
		memcpy(text + n, "...", 3);
	if (v->missing)
		op_log_word(out, key, "?");
	else
		op_log_text(out, key, text, v->word > n ? n + 3 : n);
}

static void function_add_value(struct buf *out, const char *prefix, const struct region_read *v)
{
	unsigned int size = v->size && v->size <= 8 ? v->size : 8;
	char key[REGION_VALUE_NAME + 16], number[24];

	snprintf(key, sizeof(key), "%s.%.*s", prefix, REGION_VALUE_NAME - 1, v->name);
	switch (v->kind) {
	case REGION_VALUE_INT:
		snprintf(number, sizeof(number), "%" PRId64, function_signed(v->word, size));
		op_log_word(out, key, number);
		break;
	case REGION_VALUE_UINT:
		op_log_number(out, key, function_unsigned(v->word, size));
		break;
	case REGION_VALUE_BOOL:
		op_log_word(out, key, v->word & 0xff ? "true" : "false");
		break;
	case REGION_VALUE_STRING:
		function_add_string(out, key, v);
		break;
	case REGION_VALUE_ERROR:
		op_log_word(out, key, v->word ? "error" : "nil");
		break;
	}
}

static void function_values_text(struct buf *out, const struct op *op, const struct rec_user *u,
				 const char *prefix)
{
	size_t i, n = u->len[0] / sizeof(struct region_read);

	op_log_text(out, "func", op->text, op->len[0]);
	for (i = 0; i < n && i < REGION_VALUES; i++) {
		struct region_read v;

		memcpy(&v, u->text + i * sizeof(v), sizeof(v));
		v.name[REGION_VALUE_NAME - 1] = '\0';
		function_add_value(out, prefix, &v);
	}
}

void function_args_text(struct buf *out, const struct op *op, const struct rec_user *u)
{
	function_values_text(out, op, u, "arg");
}

void function_results_text(struct buf *out, const struct op *op, const struct rec_user *u)
{
	function_values_text(out, op, u, "result");
}

const struct op_traits op_function = {
	.form = OP_FORM_REGION, .category = FUNC_CATEGORY, .most = { OP_NAME_MOST, 0 },
	.by_depth = true, .name = function_name, .log = function_log,
};
