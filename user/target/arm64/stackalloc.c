// SPDX-License-Identifier: Apache-2.0
/* stackalloc, mallocgc: see target/stackalloc.h and target/mallocgc.h; for arm64. */
#include <errno.h>

#include "target/arm64/values.h"
#include "target/code_ops.h"

/* Most instructions of a path that is followed; Go's code has some forty. */
enum { ARM64_MAX_PATH = 96 };

/* --- stackalloc --- */

static bool arm64_same_operand(const struct go_operand *a, const struct go_operand *b)
{
	return a->reg == b->reg && a->in_frame == b->in_frame && a->disp == b->disp;
}

/*
 * Follows the straight code from @w to the return. The frame must not change before the values are
 * loaded, so that an offset from the stack pointer names the same slot as at the jump.
 */
static int arm64_follow_return(struct arm64_walk w, struct arm64_values *v)
{
	bool left_frame = false;
	int i;

	for (i = 0; i < ARM64_MAX_PATH && arm64_decode_at(&w); i++) {
		if (w.insn.op == ARM64_RET)
			return 0;
		if (w.insn.op == ARM64_B) {
			w.at = arm64_target_offset(&w);
			continue;
		}
		if (arm64_is_conditional(&w.insn) || arm64_is_call(&w.insn) ||
		    arm64_ends_flow(&w.insn) || (left_frame && w.insn.op == ARM64_LOAD))
			return -ENOTSUP;
		left_frame |= arm64_writes(&w.insn, ARM64_SP);
		arm64_values_step(v, &w.insn);
		w.at += ARM64_LEN;
	}
	return -ENOTSUP;
}

/* At the return x0 must be the address, and x1 address plus size. */
static int arm64_split_stack(const struct arm64_values *v, struct stackalloc_site *ret)
{
	const struct arm64_value *lo = &v->regs[ARM64_R0], *hi = &v->regs[ARM64_R1];

	if (lo->kind != ARM64_WAS || hi->kind != ARM64_SUM)
		return -ENOTSUP;
	ret->lo = lo->was;
	if (arm64_same_operand(&hi->was, &lo->was))
		ret->size = hi->more;
	else if (arm64_same_operand(&hi->more, &lo->was))
		ret->size = hi->was;
	else
		return -ENOTSUP;
	return 0;
}

static int arm64_stack_find(struct arm64_walk w, struct stackalloc_site *ret)
{
	struct arm64_values v;

	ret->offset = (uint32_t)w.at;
	arm64_values_begin(&v);
	if (!arm64_into_flag(&w, false) || arm64_follow_return(w, &v))
		return -ENOTSUP;
	return arm64_split_stack(&v, ret);
}

int arm64_stackalloc_site(const struct gobin *b, struct stackalloc_site *ret, struct error *err)
{
	struct arm64_walk alloc, release;
	uint64_t flag;

	if (arm64_open(&alloc, b, "runtime.stackalloc") == -ENOENT)
		return error_set(err, -ENOENT, "runtime.stackalloc is not in the binary");
	arm64_open(&release, b, "runtime.stackfree");
	flag = arm64_first_flag(&alloc);
	/* The flag is known without a symbol because both functions test it first. */
	if (!flag || flag != arm64_first_flag(&release) || arm64_stack_find(alloc, ret))
		return error_set(err, -ENOTSUP,
				 "runtime.stackalloc of %s does not ask in the known "
				 "way whether to trace",
				 gobin_go_version(b));
	return 0;
}

uint64_t arm64_stackalloc_mheap(const struct gobin *b)
{
	struct gobin_func fn;
	struct arm64_walk w;
	bool more;

	if (arm64_open(&w, b, "runtime.stackalloc") ||
	    gobin_func(b, "runtime.(*mheap).allocManual", &fn))
		return 0;
	for (more = arm64_decode_at(&w); more; more = arm64_next(&w))
		if (arm64_calls(&w, fn.addr) && w.addresses.known & 1 << ARM64_R0)
			return w.addresses.of[ARM64_R0];
	return 0;
}

/* --- mallocgc --- */

/* The functions that have the values as arguments; 0 if the release does not have the function. */
struct arm64_callees {
	uint64_t post;		/* postMallocgcDebug(x, elemsize, typ) */
	uint64_t event;		/* traceLocker.HeapObjectAlloc(mp, gen, x, typ) */
	uint64_t alloc;		/* tracealloc(x, size, typ) */
};

struct arm64_object {
	struct arm64_value object, size, type;
};

static void arm64_object_call(struct arm64_object *o, struct arm64_values *v,
			      const struct arm64_callees *to, uint64_t target)
{
	const struct arm64_value *r = v->regs;

	if (target == to->post) {
		o->object = r[0];
		o->size = r[1];
		o->type = r[2];
	} else if (target == to->event) {
		o->object = r[2];
		o->type = r[3];
	} else if (target == to->alloc) {
		o->object = r[0];
		o->type = r[2];
	}
	arm64_values_call(v);
}

static bool arm64_object_is_whole(const struct arm64_object *o, const struct arm64_values *v)
{
	return arm64_is_known(&o->object) && arm64_is_known(&o->size) &&
	       arm64_is_known(&o->type) && !v->lost;
}

/*
 * inittrace.bytes += size: the sum of a loaded variable and the size is stored to the same
 * variable. Returns the register with the size; -1 if the decoded instruction is no such addition.
 */
static int arm64_total_size(const struct arm64_walk *w)
{
	struct arm64_walk at = *w;

	if (w->insn.op != ARM64_ADD || !arm64_next_code(&at) || at.insn.op != ARM64_ADRP ||
	    !arm64_next_code(&at) || at.insn.op != ARM64_STORE || at.insn.rd != w->insn.rd ||
	    !arm64_operand(&at))
		return -1;
	return w->insn.rn == w->insn.rd ? w->insn.rm : w->insn.rn;
}

/*
 * Follows the path. Conditional jumps are not taken: each only skips a part of the debugging code,
 * and the values are in the same places where it lands. A question to the tracer jumps over the
 * call of traceAcquireEnabled, which is followed, too.
 */
static bool arm64_object_follow(struct arm64_walk w, const struct arm64_callees *to,
				struct arm64_object *o)
{
	struct arm64_values v;
	int i, size;

	arm64_values_begin(&v);
	for (i = 0; i < ARM64_MAX_PATH && arm64_decode_at(&w); i++) {
		if (arm64_object_is_whole(o, &v))
			return true;
		if (w.insn.op == ARM64_B) {
			w.at = arm64_target_offset(&w);
			continue;
		}
		if (arm64_ends_flow(&w.insn))
			break;
		size = arm64_total_size(&w);
		if (size >= 0)
			o->size = v.regs[size];
		if (w.insn.op == ARM64_BL)
			arm64_object_call(o, &v, to, arm64_target(&w));
		else if (arm64_is_call(&w.insn))
			arm64_values_call(&v);
		else
			arm64_values_step(&v, &w.insn);
		arm64_next(&w);
	}
	return arm64_object_is_whole(o, &v);
}

static uint64_t arm64_address_of(const struct gobin *b, const char *name)
{
	struct gobin_func fn;

	return gobin_func(b, name, &fn) ? 0 : fn.addr;
}

int arm64_mallocgc_site(const struct gobin *b, struct mallocgc_site *ret, struct error *err)
{
	struct arm64_callees to = {
		.post = arm64_address_of(b, "runtime.postMallocgcDebug"),
		.event = arm64_address_of(b, "runtime.traceLocker.HeapObjectAlloc"),
		.alloc = arm64_address_of(b, "runtime.tracealloc"),
	};
	struct arm64_walk w, set;
	bool more;

	if (arm64_open(&w, b, "runtime.mallocgc") == -ENOENT)
		return error_set(err, -ENOENT, "runtime.mallocgc is not in the binary");
	/* the first test that fits: up to 1.23 its path has further tests */
	for (more = arm64_decode_at(&w); more; more = arm64_next(&w)) {
		struct arm64_object o = {0};

		set = w;
		if (!arm64_flag_test(&set))
			continue;
		*ret = (struct mallocgc_site){ .offset = (uint32_t)set.at };
		if (!arm64_into_flag(&set, true) || !arm64_object_follow(set, &to, &o))
			continue;
		ret->object = o.object.was;
		ret->size = o.size.was;
		ret->type = o.type.was;
		return 0;
	}
	return error_set(err, -ENOTSUP,
			 "runtime.mallocgc of %s does not ask in the known way whether "
			 "allocations are debugged",
			 gobin_go_version(b));
}
