// SPDX-License-Identifier: Apache-2.0
/* code: see target/code.h; the short functions of that header for amd64. */
#define _GNU_SOURCE

#include <errno.h>
#include <string.h>

#include "target/code_ops.h"
#include "target/x86/insn.h"

enum { CALL = 0xe8, LEA = 0x8d, NOP = 0x90, LONG_NOP = X86_MAP_0F | 0x1f };

/* Decodes the instruction at @addr, which must be an instruction boundary. */
static bool code_decode_at(const struct gobin *b, uint64_t addr, struct x86_insn *ret)
{
	const uint8_t *code = NULL;
	size_t n;

	for (n = X86_INSN_MAX; n && !code; n--)
		code = gobin_bytes(b, addr, n);
	return code && !x86_decode(ret, code, n + 1);
}

bool x86_code_is_emulated(const struct gobin *b, uint64_t addr)
{
	struct x86_insn insn;

	return code_decode_at(b, addr, &insn) && x86_is_emulated(&insn);
}

/* The finders choose no instruction that the kernel refuses to step. */
bool x86_code_may_probe(const struct gobin *b, uint64_t addr)
{
	return true;
}

bool x86_code_is_call(const struct gobin *b, uint64_t addr, uint64_t *target)
{
	struct x86_insn insn;

	if (!code_decode_at(b, addr, &insn) || insn.opcode != CALL || insn.len != X86_CALL_LEN)
		return false;
	*target = addr + X86_CALL_LEN + (uint64_t)insn.imm;
	return true;
}

bool x86_code_is_argument(const struct gobin *b, uint64_t addr, uint64_t callee, uint64_t *call)
{
	struct x86_insn insn;
	uint64_t target;

	if (!code_decode_at(b, addr, &insn) || insn.opcode != LEA || insn.reg != X86_RAX ||
	    insn.base != X86_RIP)
		return false;
	addr += insn.len;
	if (code_decode_at(b, addr, &insn) && (insn.opcode == NOP || insn.opcode == LONG_NOP))
		addr += insn.len;
	*call = addr;
	return x86_code_is_call(b, addr, &target) && target == callee;
}

/*
 * Returns whether a jump in @fn leads into [@from, @to]; true also if some code cannot be decoded.
 */
static bool is_jumped_into(const struct gobin *b, const struct gobin_func *fn, uint64_t from,
			   uint64_t to)
{
	struct x86_insn insn;
	uint64_t addr, target;

	for (addr = fn->addr; addr < fn->addr + fn->size; addr += insn.len) {
		if (!code_decode_at(b, addr, &insn))
			return true;
		target = addr + insn.len + (uint64_t)insn.imm;
		if (x86_is_branch(&insn) && target >= from && target <= to)
			return true;
	}
	return false;
}

uint64_t x86_code_call_with_second(const struct gobin *b, const struct gobin_func *fn,
				   uint64_t addr)
{
	struct x86_insn insn;
	uint64_t at = addr, target;

	while (at < fn->addr + fn->size && !x86_code_is_call(b, at, &target)) {
		if (!code_decode_at(b, at, &insn) || x86_is_branch(&insn) || x86_ends_flow(&insn) ||
		    (x86_written(&insn) & 1 << X86_RBX))
			return 0;
		at += insn.len;
	}
	return at < fn->addr + fn->size && !is_jumped_into(b, fn, addr, at) ? at : 0;
}

/* mov %rax,%rdi */
static bool code_is_fourth_from_first(const struct x86_insn *insn)
{
	return insn->opcode == 0x89 && insn->rex & 8 && !insn->has_mem && insn->reg == X86_RAX &&
	       insn->rm == X86_RDI;
}

/* call *%reg */
static bool code_is_indirect_call(const struct x86_insn *insn)
{
	return insn->opcode == 0xff && insn->reg == 2 && !insn->has_mem;
}

/* The receiver is the first of the registers of a method, and an interface takes two. */
uint64_t x86_code_jump_before_method(const struct gobin *b, const struct gobin_func *fn)
{
	uint64_t pos, jump = 0, joins = 0;
	bool moved = false, kept = true;
	struct x86_insn insn;

	for (pos = fn->addr; pos < fn->addr + fn->size; pos += insn.len) {
		if (!code_decode_at(b, pos, &insn))
			return 0;
		if (code_is_indirect_call(&insn))
			return moved && kept ? jump : 0;
		if (x86_is_jcc(&insn)) {
			jump = pos;
			joins = pos + insn.len + (uint64_t)insn.imm;
			moved = false;
			kept = true;
		} else if (pos >= joins && code_is_fourth_from_first(&insn)) {
			moved = true;
		} else if (pos >= joins && !moved && x86_written(&insn) & 1 << X86_RAX) {
			kept = false;
		}
	}
	return 0;
}

static bool code_is_field_of(const struct x86_insn *insn, uint16_t opcode)
{
	return insn->opcode == opcode && insn->has_mem && insn->base != X86_RSP &&
	       x86_has_mem(insn, insn->base, insn->disp);
}

/* movb $1,A(%reg) and then mov %other,B(%reg) */
static bool code_is_flag_and_store(const struct x86_insn *flag, const struct x86_insn *store)
{
	return code_is_field_of(flag, 0xc6) && flag->imm == 1 && code_is_field_of(store, 0x89) &&
	       store->rex & 8 && store->base == flag->base;
}

int x86_code_byte_load(const struct gobin *b, const struct gobin_func *fn, int32_t *at)
{
	struct x86_insn insn;
	uint64_t pos;
	int loads = 0;

	for (pos = fn->addr; pos < fn->addr + fn->size; pos += insn.len) {
		if (!code_decode_at(b, pos, &insn))
			return -ENOTSUP;
		if (!code_is_field_of(&insn, X86_MAP_0F | 0xb6))	/* movzx */
			continue;
		*at = insn.disp;
		loads++;
	}
	return loads == 1 ? 0 : -ENOTSUP;
}

int x86_code_store_after_flag(const struct gobin *b, const struct gobin_func *fn, int32_t *at)
{
	struct x86_insn before = {0}, insn;
	uint64_t pos;
	bool found = false;

	for (pos = fn->addr; pos < fn->addr + fn->size; pos += insn.len) {
		if (!code_decode_at(b, pos, &insn))
			return -ENOTSUP;
		if (code_is_flag_and_store(&before, &insn)) {
			if (found && *at != insn.disp)
				return -ENOTSUP;
			*at = insn.disp;
			found = true;
		}
		before = insn;
	}
	return found ? 0 : -ENOTSUP;
}

bool x86_code_is_readable(const struct gobin *b, int reg)
{
	const unsigned int readable = 1 << X86_RAX | 1 << X86_RCX | 1 << X86_RDX | 1 << X86_RBX |
				      1 << X86_RSI | 1 << X86_RDI;

	return readable >> reg & 1;
}

bool x86_code_keeps_arguments(const struct gobin *b, const struct site *site)
{
	const uint16_t used = 1 << X86_RAX | 1 << X86_RBX | 1 << X86_RCX | 1 << X86_RDI |
			      1 << X86_RSI | 1 << X86_R14;

	return !(site->lost_regs & used);
}

/* runtime.systemstack in asm_amd64.s calls the function through RDI. */
uint64_t x86_code_systemstack_return(const struct gobin *b, const struct gobin_func *fn)
{
	static const uint8_t call_rdi[] = { 0xff, 0xd7 };
	const uint8_t *code = gobin_bytes(b, fn->addr, fn->size), *at;
	size_t behind;

	at = code ? memmem(code, fn->size, call_rdi, sizeof(call_rdi)) : NULL;
	if (!at)
		return 0;
	behind = (size_t)(at - code) + sizeof(call_rdi);
	if (memmem(code + behind, fn->size - behind, call_rdi, sizeof(call_rdi)))
		return 0;
	return fn->addr + behind;
}

/* --- thread-local storage --- */

enum { X86_FS = 0x64, X86_TLS_G = -8, X86_LOAD = 0x8b, X86_MOV_IMM = 0xc7 };

/* mov word(%rip),%reg: the loader sets the word; mov $offset,%reg: a linker has made that of it */
static void code_tls_loaded(const struct x86_insn *insn, uint64_t next, struct tls_g regs[16])
{
	if (insn->opcode == X86_LOAD && insn->has_mem && insn->base == X86_RIP)
		regs[insn->reg] = (struct tls_g){ .slot = next + (uint64_t)insn->disp };
	else if (insn->opcode == X86_MOV_IMM && !insn->has_mem)
		regs[insn->rm] = (struct tls_g){ .offset = insn->imm };
}

/*
 * runtime.asmcgocall loads g by the first of its instructions with %fs: mov %fs:offset,%rdi or, of
 * a register that was loaded before, mov %fs:(%rcx),%rdi.
 */
void x86_code_tls_g(const struct gobin *b, struct tls_g *ret)
{
	struct tls_g regs[16] = {0};
	struct x86_insn insn;
	struct gobin_func fn;
	const uint8_t *code;
	size_t at;

	*ret = (struct tls_g){ .offset = X86_TLS_G };
	if (gobin_func(b, "runtime.asmcgocall", &fn) &&
	    gobin_func(b, "runtime.asmcgocall.abi0", &fn))
		return;
	code = gobin_bytes(b, fn.addr, fn.size);
	for (at = 0; code && at < fn.size && !x86_decode(&insn, code + at, fn.size - at);
	     at += insn.len) {
		if (insn.seg == X86_FS && insn.has_mem && insn.index == X86_NO_REG) {
			if (insn.base == X86_NO_REG)
				ret->offset = insn.disp;
			else if (insn.base < X86_RIP && !insn.disp &&
				 (regs[insn.base].slot || regs[insn.base].offset))
				*ret = regs[insn.base];
			return;
		}
		code_tls_loaded(&insn, fn.addr + at + insn.len, regs);
	}
}
