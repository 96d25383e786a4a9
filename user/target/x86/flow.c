// SPDX-License-Identifier: Apache-2.0
/* flow: see flow.h. */
#include "target/x86/flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum {
	/*
	 * most instructions from the test of the tracer's flag to the test of the answer, which are
	 * five
	 */
	MAX_WAY = 12,
	CALL = 0xe8,
	RET = 0xc3,
	JMP8 = 0xeb,
	JMP32 = 0xe9,
	XOR = 0x31,
	NOP = 0x90,
	LONG_NOP = X86_MAP_0F | 0x1f,
	/* jumps to an address in a register or memory */
	GROUP5 = 0xff,
	FIRST_JMP = 4,
	LAST_JMP = 5,
};

struct flow flow_of(const struct gobin *b, const struct gobin_func *fn)
{
	return (struct flow){
		.b = b, .start = fn->addr, .code = gobin_bytes(b, fn->addr, fn->size), .n = fn->size
	};
}

int flow_decode(struct flow *f, size_t at)
{
	f->at = at;
	return at >= f->n || x86_decode(&f->insn, f->code + at, f->n - at) ? -ENOTSUP : 0;
}

bool flow_is_padding(const struct x86_insn *insn)
{
	return insn->opcode == NOP || insn->opcode == LONG_NOP;
}

int flow_skip_padding(struct flow *f, size_t at)
{
	int r = flow_decode(f, at);

	while (!r && flow_is_padding(&f->insn))
		r = flow_decode(f, f->at + f->insn.len);
	return r;
}

size_t flow_branch_target(const struct flow *f)
{
	return f->at + f->insn.len + (uint64_t)f->insn.imm;
}

bool flow_calls(const struct flow *f, const char *name)
{
	struct gobin_func fn;

	return f->insn.opcode == CALL &&
	       !gobin_func_at(f->b, f->start + flow_branch_target(f), &fn) &&
	       !strcmp(fn.name, name);
}

/* --- what runs after what --- */

struct flow_set flow_set(const struct flow *f)
{
	return (struct flow_set){ .has = xcalloc(f->n + 1, sizeof(bool)), .n = f->n };
}

void flow_put(struct flow_set *s, size_t at)
{
	if (at < s->n)
		s->has[at] = true;
}

bool flow_has(const struct flow_set *s, size_t at)
{
	return at < s->n && s->has[at];
}

void flow_clear(struct flow_set *s)
{
	memset(s->has, 0, s->n * sizeof(*s->has));
}

void flow_free(struct flow_set *s)
{
	free(s->has);
	*s = (struct flow_set){0};
}

struct reach {
	struct flow f;
	const struct flow_set *stop;
	struct flow_set *seen;
	size_t *todo, ntodo;
};

static void reach_add(struct reach *r, size_t at)
{
	if (at >= r->f.n || flow_has(r->seen, at))
		return;
	flow_put(r->seen, at);
	r->todo[r->ntodo++] = at;
}

static bool is_computed_jump(const struct x86_insn *insn)
{
	return insn->opcode == GROUP5 && (insn->reg & 7) >= FIRST_JMP &&
	       (insn->reg & 7) <= LAST_JMP;
}

static int reach_step(struct reach *r)
{
	struct flow *f = &r->f;

	if (flow_decode(f, r->todo[--r->ntodo]))
		return -ENOTSUP;
	if (flow_has(r->stop, f->at))
		return 0;
	if (is_computed_jump(&f->insn))
		return -ENOTSUP;
	if (x86_is_branch(&f->insn) && f->insn.opcode != CALL)
		reach_add(r, flow_branch_target(f));
	if (!x86_ends_flow(&f->insn))
		reach_add(r, f->at + f->insn.len);
	return 0;
}

int flow_reach(const struct flow *f, const size_t *from, size_t n, const struct flow_set *stop,
	       struct flow_set *seen)
{
	struct reach r = { .f = *f, .stop = stop, .seen = seen };
	size_t i;
	int rc = 0;

	r.todo = xcalloc(f->n + 1, sizeof(*r.todo));
	for (i = 0; i < n; i++)
		reach_add(&r, from[i]);
	while (r.ntodo && !rc)
		rc = reach_step(&r);
	free(r.todo);
	return rc;
}

bool flow_may_reach(const struct flow *f, size_t from, size_t avoid, size_t goal)
{
	struct flow_set stop = flow_set(f), seen = flow_set(f);
	bool may;

	flow_put(&stop, avoid);
	may = flow_reach(f, &from, 1, &stop, &seen) || flow_has(&seen, goal);
	flow_free(&stop);
	flow_free(&seen);
	return may;
}

bool flow_returns(const struct flow *f, const struct flow_set *seen)
{
	struct flow at = *f;
	size_t i;

	for (i = 0; i < seen->n; i++)
		if (seen->has[i] && !flow_decode(&at, i) && at.insn.opcode == RET)
			return true;
	return false;
}

/* --- the question to the runtime's tracer --- */

bool flow_is_test_of(const struct x86_insn *insn, unsigned int reg)
{
	return insn->opcode == 0x85 && (insn->rex & 8) && !insn->has_mem && insn->reg == reg &&
	       insn->rm == reg;
}

/* xor %reg,%reg */
static bool flow_clears(const struct x86_insn *insn, unsigned int reg)
{
	return insn->opcode == XOR && !insn->has_mem && insn->reg == reg && insn->rm == reg;
}

/*
 * Goes on from @at, in straight code and over jumps, to the test of trace.ok(), which tests RBX.
 * @set: the call of the tracer has set RBX. If it has not, an instruction on the way must clear
 * RBX.
 */
static int find_ok(struct flow *f, size_t at, bool set)
{
	int i;

	for (i = 0; i < MAX_WAY && !flow_skip_padding(f, at); i++) {
		if (flow_is_test_of(&f->insn, X86_RBX))
			return set ? 0 : -ENOTSUP;
		at = f->at + f->insn.len;
		if (f->insn.opcode == JMP8 || f->insn.opcode == JMP32)
			at = flow_branch_target(f);
		else if (x86_is_branch(&f->insn) || x86_ends_flow(&f->insn))
			return -ENOTSUP;
		else if (flow_clears(&f->insn, X86_RBX) && !set)
			set = true;
		else if (x86_written(&f->insn) & 1 << X86_RBX)
			return -ENOTSUP;
	}
	return -ENOTSUP;
}

/*
 * @f is at the test of the flag. Finds the jump after it and the call on the side with the flag
 * set, and checks that both sides meet.
 */
static int find_call(struct flow *f, struct trace_hook *ret)
{
	size_t set, unset, met;

	if (flow_skip_padding(f, f->at + f->insn.len) || !x86_is_jcc(&f->insn))
		return -ENOTSUP;
	set = flow_branch_target(f);
	unset = f->at + f->insn.len;
	if (x86_jcc_cond(&f->insn) == X86_COND_E) {
		unset = set;
		set = f->at + f->insn.len;
	} else if (x86_jcc_cond(&f->insn) != X86_COND_NE) {
		return -ENOTSUP;
	}
	if (find_ok(f, unset, false))
		return -ENOTSUP;
	met = f->at;
	if (flow_skip_padding(f, set) || !flow_calls(f, "runtime.traceAcquireEnabled"))
		return -ENOTSUP;
	ret->call = f->start + f->at;
	ret->callee = "runtime.traceAcquireEnabled";
	return find_ok(f, f->at + f->insn.len, true) || f->at != met ? -ENOTSUP : 0;
}

static bool is_flag_test(const struct x86_insn *insn)
{
	return insn->opcode == 0x80 && (insn->reg & 7) == X86_CMP && !insn->imm &&
	       insn->len == HOOK_TEST_LEN && x86_has_mem(insn, X86_RIP, insn->disp);
}

int flow_asks_tracer(struct flow *f, struct trace_hook *ret)
{
	size_t first = f->at;

	*ret = (struct trace_hook){0};
	if (flow_calls(f, "runtime.traceAcquire")) {
		ret->call = f->start + first;
		ret->callee = "runtime.traceAcquire";
		return 0;
	}
	if (!is_flag_test(&f->insn))
		return -ENOTSUP;
	ret->test = f->start + first;
	ret->flag = ret->test + f->insn.len + (uint64_t)(int64_t)f->insn.disp;
	return find_call(f, ret) || flow_may_reach(f, 0, first, ret->call - f->start) ? -ENOTSUP :
											0;
}
