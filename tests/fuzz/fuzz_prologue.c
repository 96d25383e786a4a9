// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_prologue: the choice of a probe site, on arbitrary code. A site that is
 * not a whole push %rbp, conditional jump or nop inside of the code, or that
 * is not where a decoding from the start arrives, is a crash.
 *
 *	clang -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -Iuser -Iinclude \
 *		tests/fuzz/fuzz_prologue.c user/target/X.c ... user/base/X.c ... -ldw -lelf -lz
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/vec.h"
#include "target/code_ops.h"
#include "target/x86/insn.h"
#include "target/x86/ready_skip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_boundary(const uint8_t *code, size_t n, size_t site)
{
	struct x86_insn insn;
	size_t at;

	for (at = 0; at < site; at += insn.len) {
		if (x86_decode(&insn, code + at, n - at) || !insn.len)
			return 0;
	}
	return at == site;
}

static int is_cheap(const uint8_t *p, const struct site *s)
{
	switch (s->kind) {
	case SITE_FRAME:
		return s->len == 1 && p[0] == 0x55;
	case SITE_CALL:		/* of architectures with a link register */
		break;
	case SITE_NOP:
		return s->len == 1 && p[0] == 0x90;
	case SITE_BRANCH:
		return (s->len == 2 && (p[0] & 0xf0) == 0x70) ||
		       (s->len == 6 && p[0] == 0x0f && (p[1] & 0xf0) == 0x80);
	}
	return 0;
}

/* Each is an instruction that a decoding from the start arrives at, and a return. */
static void check_returns(const uint8_t *data, size_t size)
{
	struct vec ends = {0};
	struct function_sweep sweep = { .ends = &ends };
	uint32_t bad = 0;
	size_t i;
	int r = x86_function_sweep(data, size, &sweep, &bad);

	for (i = 0; i < ends.len; i++) {
		uint32_t at = *vec_at(&ends, uint32_t, i);
		struct x86_insn insn;

		if (at >= size || !is_boundary(data, size, at) ||
		    x86_decode(&insn, data + at, size - at) || insn.opcode != 0xc3)
			abort();
	}
	if (r && bad >= size)
		abort();
	vec_free(&ends);
	vec_free(&sweep.jumps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct site site;
	int off;

	check_returns(data, size);
	if (!x86_prologue_site(data, size, &site) &&
	    (site.offset + site.len > size || !is_cheap(data + site.offset, &site) ||
	     !is_boundary(data, size, site.offset)))
		abort();
	if (size && !x86_spill_slot(data, size, data[0] % size, X86_RBX, &off) && off < 16)
		abort();
	return 0;
}
