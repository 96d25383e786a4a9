// SPDX-License-Identifier: Apache-2.0
/*
 * alloc_type: see target/alloc_type.h. Which register, or up to Go 1.16 which word of the stack,
 * has a constant address at a call: a lea of it, and no other instruction that changes it on the
 * way. What is known is forgotten where a jump leads to, since other ways may bring other values.
 */
#include "target/alloc_type.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "target/code_ops.h"
#include "target/x86/walk.h"

enum { CALL = 0xe8, LEA = 0x8d, MOV_FROM = 0x89, REGISTERS = 16, ARGUMENTS = 9, WORDS = 9 };

/* ABIInternal: the registers of integer arguments, in their order. */
static const uint8_t argument_regs[ARGUMENTS] = {
	X86_RAX, X86_RBX, X86_RCX, X86_RDI, X86_RSI, X86_R8, X86_R9, X86_R10, X86_R11,
};

/* The constant in each register, and in the words from the stack pointer on; 0: none is known. */
struct known {
	uint64_t regs[REGISTERS], words[WORDS];
};

static int type_by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Stores the addresses in the function that jumps lead to, by address. False: not all are known. */
static bool type_targets(const struct gobin *b, const struct gobin_func *fn, struct vec *ret)
{
	struct walk w;
	bool more;

	if (walk_open_func(&w, b, fn))
		return false;
	for (more = walk_decode(&w); more; more = walk_next(&w)) {
		uint64_t target = walk_branch_target(&w);

		if (x86_is_branch(&w.insn) && w.insn.opcode != CALL && target >= fn->addr &&
		    target < fn->addr + fn->size)
			*(uint64_t *)vec_push(ret, sizeof(target)) = target;
	}
	vec_sort(ret, sizeof(uint64_t), type_by_address);
	return w.at >= w.n;
}

static bool type_is_target(const struct vec *targets, uint64_t addr)
{
	return targets->len && bsearch(&addr, targets->data, targets->len, sizeof(addr),
				       type_by_address);
}

/* mov %reg,N(%rsp) */
static bool type_is_word(const struct x86_insn *insn, size_t *word)
{
	if (insn->opcode != MOV_FROM || !(insn->rex & 8) || !insn->has_mem ||
	    !x86_has_mem(insn, X86_RSP, insn->disp) || insn->disp < 0 || insn->disp % 8 ||
	    insn->disp / 8 >= WORDS)
		return false;
	*word = (size_t)insn->disp / 8;
	return true;
}

static bool type_is_load(const struct x86_insn *insn)
{
	return insn->opcode == LEA && insn->rex & 8 && x86_has_mem(insn, X86_RIP, insn->disp);
}

/* The effect of the decoded instruction, which is not the call that is asked about. */
static void type_step(struct known *k, const struct walk *w)
{
	const struct x86_insn *insn = &w->insn;
	uint16_t written = x86_written(insn);
	uint64_t value = 0;
	unsigned int i;
	size_t word;

	if (type_is_load(insn))
		value = walk_rip_address(w);
	else if (insn->opcode == MOV_FROM && insn->rex & 8 && !insn->has_mem)
		value = k->regs[insn->reg & 15];
	if (type_is_word(insn, &word))
		k->words[word] = k->regs[insn->reg & 15];
	for (i = 0; i < REGISTERS; i++)
		if (written & 1u << i)
			k->regs[i] = 0;
	if (value)
		k->regs[type_is_load(insn) ? insn->reg & 15 : insn->rm & 15] = value;
	if (insn->opcode == CALL || insn->opcode == 0xff || x86_ends_flow(insn))
		*k = (struct known){ 0 };
}

static bool type_known_at(const struct gobin *b, const struct gobin_func *fn, uint64_t call,
			  const struct vec *targets, struct known *ret)
{
	struct walk w;
	bool more;

	if (walk_open_func(&w, b, fn))
		return false;
	for (more = walk_decode(&w); more && w.start + w.at < call; more = walk_next(&w)) {
		if (type_is_target(targets, w.start + w.at))
			*ret = (struct known){ 0 };
		type_step(ret, &w);
	}
	if (type_is_target(targets, call))
		*ret = (struct known){ 0 };
	return more && w.start + w.at == call;
}

uint64_t x86_code_constant_argument(const struct gobin *b, const struct gobin_func *fn,
				    uint64_t call, unsigned int arg)
{
	struct vec targets = {0};
	struct known k = {0};
	uint64_t ret = 0;

	if (arg < ARGUMENTS && type_targets(b, fn, &targets) &&
	    type_known_at(b, fn, call, &targets, &k))
		ret = gobin_register_args(b) ?
			k.regs[argument_regs[arg]] : k.words[arg];
	vec_free(&targets);
	return ret;
}
