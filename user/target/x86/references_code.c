// SPDX-License-Identifier: Apache-2.0
/*
 * references_code: finds the references to some addresses in the code of a program; see
 * references.h. Each four bytes of the code that have one of the addresses, as a distance or as a
 * constant, are a candidate. The instruction that holds them, decoded from the start of its
 * function on, shows their meaning.
 */
#include <errno.h>
#include <string.h>

#include "base/vec.h"
#include "symbol/elf_image.h"
#include "target/references.h"
#include "target/code_ops.h"
#include "target/x86/insn.h"

enum {
	CALL = 0xe8, JMP = 0xe9, WORD = 4,
	MAX_CANDIDATES = 4 * REFERENCES_MAX,
};

struct scan {
	const struct gobin *b;
	const uint64_t *to;
	size_t n;
	uint64_t lo, span;	/* all of @to are in [lo, lo + span] */
	/* the program runs at its link-time addresses, so that constants may be addresses */
	bool absolute;
	struct elf_range code;	/* an executable segment */
	struct vec *ret;
	size_t left;		/* candidates that may still be decoded */
	/*
	 * The function that was decoded last, and how far. Candidates come in order of address, so
	 * that most are decoded from there on.
	 */
	struct gobin_func func;
	const uint8_t *bytes;	/* NULL: no code, or it cannot be decoded further */
	size_t at;
	struct x86_insn insn;
};

static bool ref_is_wanted(const struct scan *s, uint64_t addr, size_t *to)
{
	for (*to = 0; *to < s->n; ++*to)
		if (s->to[*to] == addr)
			return true;
	return false;
}

/* Makes the function that holds @addr the one to decode. */
static void enter_function(struct scan *s, uint64_t addr)
{
	if (addr - s->func.addr < s->func.size)
		return;
	s->at = 0;
	s->bytes = NULL;
	if (gobin_func_at(s->b, addr, &s->func))
		s->func = (struct gobin_func){ .name = "", .addr = addr };
	else
		s->bytes = gobin_bytes(s->b, s->func.addr, s->func.size);
}

/* Decodes the instruction that holds @addr. */
static bool ref_decode_at(struct scan *s, uint64_t addr)
{
	enter_function(s, addr);
	for (; s->bytes && s->at < s->func.size; s->at += s->insn.len) {
		if (x86_decode(&s->insn, s->bytes + s->at, s->func.size - s->at))
			s->bytes = NULL;
		else if (addr - s->func.addr < s->at + s->insn.len)
			return true;
	}
	return false;
}

static void ref_add(struct scan *s, enum reference_kind kind, size_t to, uint64_t addr)
{
	struct reference *ref = vec_push(s->ret, sizeof(*ref));

	*ref = (struct reference){ kind, to, addr, s->func };
}

/*
 * Returns whether the decoded instruction, which is no branch and ends at @next, has the address as
 * an operand.
 */
static bool has_operand(const struct scan *s, uint64_t next, uint64_t target)
{
	const struct x86_insn *insn = &s->insn;
	uint64_t disp = (uint64_t)(int64_t)insn->disp;

	if (insn->has_mem && insn->base == X86_RIP)
		return next + disp == target || (s->absolute && (uint64_t)insn->imm == target);
	return s->absolute && ((uint64_t)insn->imm == target || (insn->has_mem && disp == target));
}

/* Adds the kind of reference that the decoded instruction is. */
static void ref_classify(struct scan *s, size_t to)
{
	const struct x86_insn *insn = &s->insn;
	uint64_t at = s->func.addr + s->at, next = at + insn->len, target = s->to[to];

	if (!x86_is_branch(insn)) {
		if (has_operand(s, next, target))
			ref_add(s, REFERENCE_OPERAND, to, at);
	} else if (next + (uint64_t)insn->imm == target) {
		if (insn->opcode == CALL)
			ref_add(s, REFERENCE_CALL, to, at);
		/*
		 * A jump to the function's own entry follows the growth of the stack, and is no
		 * reference.
		 */
	else if (target != s->func.addr)
			ref_add(s, REFERENCE_BRANCH, to, at);
	}
}

/*
 * Returns whether the bytes before a distance or constant can be the opcode of an instruction that
 * uses it, whatever bytes come before those.
 */
static bool looks_used(const uint8_t *p, size_t i, bool relative)
{
	uint8_t last = i ? p[i - 1] : 0, first = i > 1 ? p[i - 2] : 0;

	if (relative)
		return last == CALL || last == JMP || (first == 0x0f && (last & 0xf0) == 0x80) ||
		       (last & 0xc7) == 0x05;	/* ModRM of an operand by rip */
	return (last & 0xf8) == 0xb8 || last == 0x68 ||
	       (first == 0xc7 && last >= 0xc0 && last <= 0xc7);
}

static void ref_candidate(struct scan *s, size_t i, uint64_t target, bool relative)
{
	size_t to;

	if (!ref_is_wanted(s, target, &to) || !s->left)
		return;
	s->left--;
	if (ref_decode_at(s, s->code.addr + i))
		ref_classify(s, to);
	else if (looks_used(s->code.data, i, relative))
		ref_add(s, REFERENCE_UNCLEAR, to, s->code.addr + i);
}

static void scan_segment(struct scan *s)
{
	const uint8_t *p = s->code.data;
	size_t i;

	for (i = 0; i + WORD <= s->code.size; i++) {
		uint32_t v = elf_u32(p + i);
		uint64_t target = s->code.addr + i + WORD + (uint64_t)(int64_t)(int32_t)v;

		if (target - s->lo <= s->span)
			ref_candidate(s, i, target, true);
		else if (s->absolute && v - s->lo <= s->span)
			ref_candidate(s, i, v, false);
	}
}

int x86_references_in_code(const struct gobin *b, const struct elf_file *f, const uint64_t *to,
		       size_t n, struct vec *ret)
{
	struct scan s = {
		.b = b, .to = to, .n = n, .lo = UINT64_MAX, .ret = ret, .left = MAX_CANDIDATES,
		.absolute = !gobin_is_pie(b),
	};
	uint64_t hi = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		s.lo = to[i] < s.lo ? to[i] : s.lo;
		hi = to[i] > hi ? to[i] : hi;
	}
	s.span = hi - s.lo;
	for (i = 0; elf_image_next(f, &i, PF_X, &s.code);) {
		if (!s.code.data)	/* cannot be read */
			return -ENOTSUP;
		scan_segment(&s);
	}
	return s.left && ret->len <= REFERENCES_MAX ? 0 : -E2BIG;
}
