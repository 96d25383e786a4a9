// SPDX-License-Identifier: Apache-2.0
/*
 * references_code: finds the references to some addresses in the code of a program; see
 * references.h. Each word of the code is an instruction: a branch has its distance in it, and an
 * address is made by adrp and an instruction after it. References by a constant do not exist.
 */
#include <errno.h>

#include "base/vec.h"
#include "symbol/elf_image.h"
#include "target/arm64/walk.h"
#include "target/code_ops.h"

struct arm64_scan {
	const uint64_t *to;
	size_t n;
	struct vec *ret;
};

static void arm64_reference(struct arm64_scan *s, const struct arm64_walk *w,
			    enum reference_kind kind, uint64_t target)
{
	struct gobin_func fn;
	uint64_t at = w->start + w->at;
	size_t i;

	for (i = 0; i < s->n && s->to[i] != target; i++)
		;
	if (i == s->n || s->ret->len > REFERENCES_MAX)
		return;
	if (gobin_func_at(w->b, at, &fn))
		fn = (struct gobin_func){ .name = "", .addr = at };
	/* a jump to the function's own entry follows the growth of the stack */
	if (kind != REFERENCE_BRANCH || fn.addr != target)
		*(struct reference *)vec_push(s->ret, sizeof(struct reference)) =
			(struct reference){ kind, i, at, fn };
}

static void arm64_scan_insn(struct arm64_scan *s, const struct arm64_walk *w)
{
	if (w->insn.op == ARM64_BL)
		arm64_reference(s, w, REFERENCE_CALL, arm64_target(w));
	else if (arm64_is_jump(&w->insn))
		arm64_reference(s, w, REFERENCE_BRANCH, arm64_target(w));
	else if (w->insn.op == ARM64_ADR || w->insn.op == ARM64_LITERAL)
		arm64_reference(s, w, REFERENCE_OPERAND, arm64_target(w));
	else if (arm64_operand(w))
		arm64_reference(s, w, REFERENCE_OPERAND, arm64_operand(w));
}

int arm64_references_in_code(const struct gobin *b, const struct elf_file *f, const uint64_t *to,
			     size_t n, struct vec *ret)
{
	struct arm64_scan s = { .to = to, .n = n, .ret = ret };
	struct elf_range code;
	size_t i;

	for (i = 0; elf_image_next(f, &i, PF_X, &code);) {
		struct arm64_walk w = { .b = b, .start = code.addr, .bytes = code.data,
					.n = code.size, .at = -code.addr % ARM64_LEN };

		if (!code.data)		/* cannot be read */
			return -ENOTSUP;
		while (w.at + ARM64_LEN <= w.n) {
			if (!arm64_decode_at(&w)) {	/* padding, or a table */
				w.addresses.known = 0;
				w.at += ARM64_LEN;
				continue;
			}
			arm64_scan_insn(&s, &w);
			arm64_next(&w);
		}
	}
	return ret->len <= REFERENCES_MAX ? 0 : -E2BIG;
}
