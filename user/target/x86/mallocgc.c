// SPDX-License-Identifier: Apache-2.0
/* mallocgc: see target/mallocgc.h. */
#include "target/mallocgc.h"

#include <errno.h>

#include "target/code.h"
#include "target/code_ops.h"
#include "target/x86/walk.h"

enum {
	/* most instructions from the jump to the last argument, which are thirty */
	MAX_PATH = 64,
	MAX_SLOTS = 8, /* most slots of the frame that are written on the way, which is one */
	ADD_TO_RM = 0x01,
	CALL = 0xe8,
	JMP8 = 0xeb,
	JMP32 = 0xe9,
	MOV_TO_RM = 0x89,
	MOV_TO_REG = 0x8b,
	MOV_BYTE = 0xc6,
	MOV_IMM = 0xc7,
	MOVUPS_TO_RM = X86_MAP_0F | 0x11,
};

/* A value, given as one of the values at the jump. */
struct value {
	bool known;
	struct go_operand was;
};

/*
 * The path after the jump: the values of registers and of written slots of the frame, and the
 * arguments that were found.
 */
struct path {
	struct value regs[16];
	struct { int32_t disp; struct value now; } slots[MAX_SLOTS];
	size_t nslots;
	/* the path has a write that slots cannot hold: of 16 bytes, or a slot too many */
	bool lost;
	struct value object, size, type;
};

/* The functions that have the values as arguments; 0 if the release does not have the function. */
struct callees {
	uint64_t post;		/* postMallocgcDebug(x, elemsize, typ) */
	uint64_t event;		/* traceLocker.HeapObjectAlloc(mp, gen, x, typ) */
	uint64_t alloc;		/* tracealloc(x, size, typ) */
};

static struct value slot_value(const struct path *p, int32_t disp)
{
	size_t i;

	for (i = 0; i < p->nslots; i++)
		if (p->slots[i].disp == disp)
			return p->slots[i].now;
	if (disp != (short)disp)
		return (struct value){ 0 };
	return (struct value){ true, { .in_frame = 1, .disp = (short)disp } };
}

static void set_slot(struct path *p, int32_t disp, struct value now)
{
	size_t i;

	for (i = 0; i < p->nslots && p->slots[i].disp != disp; i++)
		;
	if (i == MAX_SLOTS) {
		p->lost = true;
		return;
	}
	p->nslots += i == p->nslots;
	p->slots[i].disp = disp;
	p->slots[i].now = now;
}

static bool is_slot(const struct x86_insn *insn)
{
	return x86_has_mem(insn, X86_RSP, insn->disp);
}

static void path_write(struct path *p, const struct x86_insn *insn)
{
	if (insn->opcode == MOV_TO_RM)
		set_slot(p, insn->disp, p->regs[insn->reg]);
	else if (insn->opcode == MOV_IMM || insn->opcode == MOV_BYTE)
		set_slot(p, insn->disp, (struct value){ 0 });
	else if (insn->opcode == MOVUPS_TO_RM)
		p->lost = true;
}

static void mallocgc_path_step(struct path *p, const struct x86_insn *insn)
{
	uint16_t written = x86_written(insn);
	struct value v = { 0 };
	unsigned int to = insn->reg, i;

	if (insn->opcode == MOV_TO_REG)
		v = !insn->has_mem ? p->regs[insn->rm] :
		    is_slot(insn)  ? slot_value(p, insn->disp) :
				     v;
	if (insn->opcode == MOV_TO_RM && !insn->has_mem) {
		v = p->regs[insn->reg];
		to = insn->rm;
	}
	if (insn->has_mem && is_slot(insn))
		path_write(p, insn);
	for (i = 0; i < 16; i++)
		if (written & 1 << i)
			p->regs[i].known = false;
	if (written & 1 << to)
		p->regs[to] = v;
}

static void path_call(struct path *p, const struct callees *to, uint64_t target)
{
	const struct value *r = p->regs;
	unsigned int i;

	if (target == to->post) {
		p->object = r[X86_RAX];
		p->size = r[X86_RBX];
		p->type = r[X86_RCX];
	} else if (target == to->event) {
		p->object = r[X86_RCX];
		p->type = r[X86_RDI];
	} else if (target == to->alloc) {
		p->object = r[X86_RAX];
		p->type = r[X86_RCX];
	}
	for (i = 0; i < 16; i++)
		p->regs[i].known = false;
}

/* add %size, inittrace.bytes(%rip) */
static bool is_total(const struct x86_insn *insn)
{
	return insn->opcode == ADD_TO_RM && x86_has_mem(insn, X86_RIP, insn->disp);
}

static bool path_is_whole(const struct path *p)
{
	return p->object.known && p->size.known && p->type.known && !p->lost;
}

/*
 * Follows the path. Conditional jumps are not taken: each only skips a part of the debugging code,
 * and the values are in the same places where it lands.
 */
static bool mallocgc_follow(struct walk w, const struct callees *to, struct path *p)
{
	int i;

	for (i = 0; i < MAX_PATH && walk_decode(&w) && !path_is_whole(p); i++) {
		if (w.insn.opcode == JMP8 || w.insn.opcode == JMP32) {
			w.at += w.insn.len + (uint64_t)w.insn.imm;
			continue;
		}
		if (x86_ends_flow(&w.insn))
			break;
		if (w.insn.opcode == CALL)
			path_call(p, to, walk_branch_target(&w));
		else if (is_total(&w.insn))
			p->size = p->regs[w.insn.reg];
		else
			mallocgc_path_step(p, &w.insn);
		w.at += w.insn.len;
	}
	return path_is_whole(p);
}

static bool mallocgc_is_readable(const struct gobin *b, const struct value *v)
{
	return v->was.in_frame || x86_code_is_readable(b, v->was.reg);
}

static bool site_at(const struct gobin *b, struct walk w, const struct callees *to,
		    struct mallocgc_site *ret)
{
	struct path p = { .nslots = 0 };
	size_t jump, i;

	for (i = 0; i < 16; i++)
		p.regs[i] = (struct value){ true, { .reg = (unsigned char)i } };
	if (!walk_into_flag(&w, &jump) || !mallocgc_follow(w, to, &p) ||
	    !mallocgc_is_readable(b, &p.object) || !mallocgc_is_readable(b, &p.size) ||
	    !mallocgc_is_readable(b, &p.type))
		return false;
	*ret = (struct mallocgc_site){ (uint32_t)jump, p.object.was, p.size.was, p.type.was };
	return true;
}

static uint64_t address_of(const struct gobin *b, const char *name)
{
	struct gobin_func fn;

	return gobin_func(b, name, &fn) ? 0 : fn.addr;
}

int x86_mallocgc_site(const struct gobin *b, struct mallocgc_site *ret, struct error *err)
{
	struct callees to = {
		.post = address_of(b, "runtime.postMallocgcDebug"),
		.event = address_of(b, "runtime.traceLocker.HeapObjectAlloc"),
		.alloc = address_of(b, "runtime.tracealloc"),
	};
	struct walk w;
	bool more;

	if (walk_open(&w, b, "runtime.mallocgc") == -ENOENT)
		return error_set(err, -ENOENT, "runtime.mallocgc is not in the binary");
	/*
	 * the first test that fits: up to 1.23 its path has further tests, of the tracer and of
	 * inittrace
	 */
	for (more = walk_decode(&w); more; more = walk_next(&w))
		if (walk_is_flag_test(&w) && site_at(b, w, &to, ret))
			return 0;
	return error_set(err, -ENOTSUP,
			 "runtime.mallocgc of %s does not ask in the known way whether "
			 "allocations are debugged",
			 gobin_go_version(b));
}
