// SPDX-License-Identifier: Apache-2.0
/* code: see target/code.h; the short functions of that header for arm64. */
#include <errno.h>

#include "target/arm64/walk.h"
#include "target/code_ops.h"

/* At most so many instructions lie between a load-exclusive and its store-exclusive. */
enum { ARM64_EXCLUSIVE_SPAN = 32 };

static bool arm64_insn_at(const struct gobin *b, uint64_t addr, struct arm64_insn *ret)
{
	const uint8_t *code = addr % ARM64_LEN ? NULL : gobin_bytes(b, addr, ARM64_LEN);

	return code && !arm64_decode(ret, code, ARM64_LEN);
}

bool arm64_code_is_emulated(const struct gobin *b, uint64_t addr)
{
	struct arm64_insn insn;

	return arm64_insn_at(b, addr, &insn) && arm64_is_simulated(&insn);
}

/*
 * Returns whether @addr may lie between a load-exclusive and its store-exclusive: a breakpoint
 * there ends the exclusive access each time, and the loop around it would never end.
 */
static bool arm64_is_exclusive(const struct gobin *b, uint64_t addr)
{
	struct arm64_insn insn;
	int i;

	for (i = 0; i < ARM64_EXCLUSIVE_SPAN; i++) {
		addr -= ARM64_LEN;
		if (!arm64_insn_at(b, addr, &insn) || insn.op == ARM64_STORE_EXCLUSIVE)
			return false;
		if (insn.op == ARM64_LOAD_EXCLUSIVE)
			return true;
	}
	return false;
}

/* Returns whether a store-exclusive follows @addr, before anything that no such loop has. */
static bool arm64_leads_to_exclusive(const struct gobin *b, uint64_t addr)
{
	struct arm64_insn insn;
	int i;

	for (i = 0; i < ARM64_EXCLUSIVE_SPAN; i++, addr += ARM64_LEN) {
		if (!arm64_insn_at(b, addr, &insn) || arm64_is_call(&insn) ||
		    arm64_ends_flow(&insn) || insn.op == ARM64_LOAD_EXCLUSIVE)
			return false;
		if (insn.op == ARM64_STORE_EXCLUSIVE)
			return true;
	}
	return false;
}

bool arm64_code_may_probe(const struct gobin *b, uint64_t addr)
{
	struct arm64_insn insn;

	return arm64_insn_at(b, addr, &insn) && insn.steppable &&
	       !(arm64_is_exclusive(b, addr) && arm64_leads_to_exclusive(b, addr));
}

bool arm64_code_is_call(const struct gobin *b, uint64_t addr, uint64_t *target)
{
	struct arm64_insn insn;

	if (!arm64_insn_at(b, addr, &insn) || insn.op != ARM64_BL)
		return false;
	*target = addr + (uint64_t)insn.imm;
	return true;
}

/* adrp x0, page; add x0, x0, #offset; bl callee */
bool arm64_code_is_argument(const struct gobin *b, uint64_t addr, uint64_t callee,
			    uint64_t *call)
{
	struct arm64_insn insn;
	uint64_t target;

	if (!arm64_insn_at(b, addr, &insn) || insn.op != ARM64_ADRP || insn.rd != ARM64_R0)
		return false;
	addr += ARM64_LEN;
	if (!arm64_insn_at(b, addr, &insn) || insn.op != ARM64_ADD_IMM || insn.rd != ARM64_R0 ||
	    insn.rn != ARM64_R0)
		return false;
	addr += ARM64_LEN;
	if (arm64_insn_at(b, addr, &insn) && insn.op == ARM64_NOP)
		addr += ARM64_LEN;
	*call = addr;
	return arm64_code_is_call(b, addr, &target) && target == callee;
}

uint64_t arm64_code_call_with_second(const struct gobin *b, const struct gobin_func *fn,
				     uint64_t addr)
{
	struct arm64_walk w;
	size_t first = addr - fn->addr;

	if (arm64_open_func(&w, b, fn))
		return 0;
	for (w.at = first; arm64_decode_at(&w) && w.insn.op != ARM64_BL; w.at += ARM64_LEN)
		if (arm64_is_jump(&w.insn) || arm64_is_call(&w.insn) ||
		    arm64_ends_flow(&w.insn) || arm64_writes(&w.insn, ARM64_R1))
			return 0;
	if (!arm64_decode_at(&w) || arm64_is_entered(&w, first, w.at))
		return 0;
	return w.start + w.at;
}

/*
 * The receiver is the first of the registers of a method, and an interface takes two: the third
 * argument is in x3.
 */
uint64_t arm64_code_jump_before_method(const struct gobin *b, const struct gobin_func *fn)
{
	bool moved = false, kept = true, more;
	size_t jump = 0, joins = 0;
	struct arm64_walk w;

	if (arm64_open_func(&w, b, fn))
		return 0;
	for (more = arm64_decode_at(&w); more; more = arm64_next(&w)) {
		if (w.insn.op == ARM64_BLR)
			return moved && kept && jump ? w.start + jump : 0;
		if (arm64_is_conditional(&w.insn)) {
			jump = w.at;
			joins = arm64_target_offset(&w);
			moved = false;
			kept = true;
		} else if (w.at >= joins && w.insn.op == ARM64_MOVE && w.insn.wide &&
			   w.insn.rm == ARM64_R0 && w.insn.rd == ARM64_R3) {
			moved = true;
		} else if (w.at >= joins && !moved && arm64_writes(&w.insn, ARM64_R0)) {
			kept = false;
		}
	}
	return 0;
}

static bool arm64_is_field(const struct arm64_insn *insn, enum arm64_op op, unsigned int size)
{
	return insn->op == op && insn->size == size && !insn->pair && !insn->vector &&
	       !insn->by && insn->rn != ARM64_SP;
}

int arm64_code_byte_load(const struct gobin *b, const struct gobin_func *fn, int32_t *at)
{
	struct arm64_walk w;
	bool more;
	int loads = 0;

	if (arm64_open_func(&w, b, fn))
		return -ENOTSUP;
	for (more = arm64_decode_at(&w); more; more = arm64_next(&w)) {
		/* a load into x27 checks that a pointer is not nil */
		if (!arm64_is_field(&w.insn, ARM64_LOAD, 1) || w.insn.rd == ARM64_TMP ||
		    arm64_operand(&w))
			continue;
		*at = (int32_t)w.insn.imm;
		loads++;
	}
	return loads == 1 && arm64_at_padding(&w) ? 0 : -ENOTSUP;
}

/* strb w2,[x0,#A], of a register with 1, and then str x1,[x0,#B] */
int arm64_code_store_after_flag(const struct gobin *b, const struct gobin_func *fn, int32_t *at)
{
	struct arm64_insn before = {0};
	uint32_t ones = 0;	/* registers that hold 1 */
	bool found = false, more;
	struct arm64_walk w;

	if (arm64_open_func(&w, b, fn))
		return -ENOTSUP;
	for (more = arm64_decode_at(&w); more; more = arm64_next(&w)) {
		if (arm64_is_field(&before, ARM64_STORE, 1) && (ones >> before.rd & 1) &&
		    arm64_is_field(&w.insn, ARM64_STORE, 8) && w.insn.rn == before.rn) {
			if (found && *at != (int32_t)w.insn.imm)
				return -ENOTSUP;
			*at = (int32_t)w.insn.imm;
			found = true;
		}
		ones &= ~w.insn.written;
		if (w.insn.op == ARM64_CONST && w.insn.imm == 1)
			ones |= 1u << w.insn.rd;
		before = w.insn;
	}
	return found && arm64_at_padding(&w) ? 0 : -ENOTSUP;
}

static bool arm64_list_has(const uint64_t *list, size_t n, uint64_t addr)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (list[i] == addr)
			return true;
	return false;
}

size_t arm64_code_globals(const struct gobin *b, const struct gobin_func *fn, uint64_t *ret,
			  size_t max, bool *whole)
{
	uint64_t start, end, addr;
	struct arm64_walk w;
	size_t n = 0;
	bool more;

	*whole = false;
	gobin_data_range(b, &start, &end);
	if (arm64_open_func(&w, b, fn))
		return 0;
	for (more = arm64_decode_at(&w); more && n < max; more = arm64_next(&w)) {
		addr = arm64_operand(&w);
		if (addr >= start && addr < end && !arm64_list_has(ret, n, addr))
			ret[n++] = addr;
	}
	*whole = arm64_at_padding(&w);
	return n;
}

bool arm64_code_is_readable(const struct gobin *b, int reg)
{
	return (reg >= 0 && reg <= ARM64_TMP) || reg == ARM64_LINK;
}

/*
 * Arguments are in x0 to x15. A stack check changes none of them; the programs whose probes may sit
 * behind the prologue have three.
 */
bool arm64_code_keeps_arguments(const struct gobin *b, const struct site *site)
{
	const uint32_t used = 0x7 | 1u << ARM64_G | 1u << ARM64_LINK;

	return !(site->lost_regs & used);
}

/*
 * runtime.systemstack in asm_arm64.s calls the function by the last of its indirect calls. Up to Go
 * 1.24 it loads the frame pointer of g0 before: then the chain of frames does not lead over to the
 * goroutine's, and there is no such address.
 */
uint64_t arm64_code_systemstack_return(const struct gobin *b, const struct gobin_func *fn)
{
	uint64_t found = 0;
	bool more, moved = false;
	struct arm64_walk w;

	if (arm64_open_func(&w, b, fn))
		return 0;
	for (more = arm64_decode_at(&w); more; more = arm64_next(&w)) {
		moved |= w.insn.op == ARM64_MOVE && w.insn.has_sp && w.insn.rd == ARM64_SP;
		if (!moved || (found && w.insn.op != ARM64_BLR))
			continue;
		if (found || (w.insn.op != ARM64_BLR && arm64_writes(&w.insn, ARM64_FP)))
			return 0;
		if (w.insn.op == ARM64_BLR)
			found = w.start + w.at + ARM64_LEN;
	}
	return found;
}

/* Only code inside the program needs the answer (bpf/http_route.h), which arm64 does not have. */
uint64_t arm64_code_call_with_kept_fourth(const struct gobin *b, const struct gobin_func *fn)
{
	(void)b;
	(void)fn;
	return 0;
}

/* --- thread-local storage --- */

enum { ARM64_TLS_G = 16 };	/* behind the thread control block */

/* What a register that is added to the thread pointer was loaded with; false: something else. */
static bool arm64_tls_step(const struct arm64_walk *w, struct tls_g *ret)
{
	const struct arm64_insn *insn = &w->insn;
	const uint64_t part = 0xffff;

	if (insn->op == ARM64_CONST) {
		*ret = (struct tls_g){ .offset = insn->imm };
	} else if (insn->op == ARM64_CONST_PART && !ret->slot) {
		ret->offset = (int64_t)(((uint64_t)ret->offset & ~(part << insn->bit)) |
					(uint64_t)insn->imm);
	} else if (insn->op == ARM64_LOAD && insn->size == 8 && !insn->pair && arm64_operand(w)) {
		*ret = (struct tls_g){ .slot = arm64_operand(w) };
	} else {
		return insn->op == ARM64_ADRP || insn->op == ARM64_NOP;
	}
	return true;
}

/*
 * runtime.load_g: mrs x0,tpidr_el0, then one of these, and ldr x28,[x0,x27]
 *
 *	mov x27,#offset					an executable
 *	movz x27,#high,lsl #16; movk x27,#low		likewise, by the system's linker
 *	adrp x27,page; ldr x27,[x27,#slot]		a library
 */
void arm64_code_tls_g(const struct gobin *b, struct tls_g *ret)
{
	struct tls_g found = { .offset = ARM64_TLS_G };
	bool more, in = false;
	struct arm64_walk w;

	*ret = found;
	if (arm64_open(&w, b, "runtime.load_g") && arm64_open(&w, b, "runtime.load_g.abi0"))
		return;
	for (more = arm64_decode_at(&w); more; more = arm64_next(&w)) {
		if (!in) {
			in = w.insn.op == ARM64_THREAD_POINTER;
		} else if (!arm64_tls_step(&w, &found)) {
			if (w.insn.op == ARM64_LOAD_AT || w.insn.op == ARM64_ADD)
				*ret = found;
			return;
		}
	}
}
