// SPDX-License-Identifier: Apache-2.0
/* trace_flag: see target/trace_flag.h. */
#include "target/trace_flag.h"

#include <errno.h>
#include <string.h>

#include "target/callsites.h"
#include "target/code_ops.h"
#include "target/x86/walk.h"

enum {
	MAX_PATH = 32,		/* most instructions from the jump to the call, which are twelve */
	MAX_SITES = 64,		/* most sites of one event, which are six; bounds hostile files */
	CALL = 0xe8, JMP8 = 0xeb, JMP32 = 0xe9,
	MOV_TO_REG = 0x8b, MOV_BYTE = 0xc6, MOV_IMM_EAX = 0xb8, REX_W = 8,
};

struct search {
	enum trace_flag_event event;
	uint64_t flag;			/* trace.enabled */
	uint64_t trace_event;		/* runtime.traceEvent */
	/* traceHeapAlloc or traceNextGC or traceHeapGoal; address 0: inlined everywhere */
	struct gobin_func wrapper;
	uint64_t variable;
};

/* The path from a jump to its first call. */
struct path {
	uint64_t target;	/* of the call; 0: there is none */
	uint64_t variable;	/* the last variable that was read */
	int64_t event;		/* first argument; ABI0 has it on the stack, later releases in AX */
};

static void flag_path_step(struct path *p, const struct walk *w)
{
	const struct x86_insn *insn = &w->insn;
	bool names = x86_has_mem(insn, X86_RIP, insn->disp) && insn->rex & REX_W;

	if (names &&
	    (insn->opcode == MOV_TO_REG || (x86_is_alu_imm(insn, X86_CMP) && insn->imm == -1)))
		p->variable = walk_rip_address(w);
	else if (insn->opcode == MOV_BYTE && x86_has_mem(insn, X86_RSP, 0))
		p->event = insn->imm;
	else if (insn->opcode == MOV_IMM_EAX)
		p->event = insn->imm;
}

/*
 * Follows the code from @w to the first call. Conditional jumps on the way are not taken: they lead
 * to the same event.
 */
static struct path flag_path_of(struct walk w)
{
	struct path p = { .event = -1 };
	int i;

	for (i = 0; i < MAX_PATH && walk_decode(&w); i++) {
		if (w.insn.opcode == CALL) {
			p.target = walk_branch_target(&w);
			return p;
		}
		if (w.insn.opcode == JMP8 || w.insn.opcode == JMP32) {
			w.at += w.insn.len + (uint64_t)w.insn.imm;
			continue;
		}
		if (x86_ends_flow(&w.insn))
			break;
		flag_path_step(&p, &w);
		w.at += w.insn.len;
	}
	return p;
}

/*
 * Returns the variable that the wrapper records. The path does not take the jump of the wrapper's
 * stack check.
 */
static uint64_t variable_of_wrapper(const struct gobin *b, const struct search *s)
{
	struct path p = { 0 };
	struct walk w;

	if (walk_open_func(&w, b, &s->wrapper) || !walk_decode(&w))
		return 0;
	p = flag_path_of(w);
	return p.target == s->trace_event && p.event == (int64_t)s->event ? p.variable : 0;
}

/* Returns the variable, or 0 if the path does not lead to the event. */
static uint64_t path_variable(const struct gobin *b, const struct search *s, const struct path *p)
{
	if (s->wrapper.addr && p->target == s->wrapper.addr)
		return variable_of_wrapper(b, s);
	return p->target == s->trace_event && p->event == (int64_t)s->event ? p->variable : 0;
}

static int search_function(const struct gobin *b, struct search *s, const struct gobin_func *fn,
			   struct vec *ret)
{
	struct walk w, into;
	struct path p;
	uint64_t variable;
	size_t jump;
	bool more;

	if (walk_open_func(&w, b, fn))
		return -ENOTSUP;
	for (more = walk_decode(&w); more; more = walk_next(&w)) {
		into = w;
		if (!walk_is_flag_test(&w) || walk_rip_address(&w) != s->flag ||
		    !walk_into_flag(&into, &jump))
			continue;
		p = flag_path_of(into);
		variable = path_variable(b, s, &p);
		if (!variable)
			continue;
		if ((s->variable && s->variable != variable) || ret->len == MAX_SITES)
			return -ENOTSUP;
		s->variable = variable;
		*(struct trace_flag_site *)vec_push(ret, sizeof(struct trace_flag_site)) =
			(struct trace_flag_site){ *fn, fn->addr + jump };
	}
	return w.at >= w.n ? 0 : -ENOTSUP;
}

static int search_callers(const struct gobin *b, struct search *s, uint64_t called, struct vec *ret)
{
	struct vec calls = {0};
	uint64_t last = 0;
	size_t i;
	int r = 0;

	x86_callsites_find(b, called, &calls);
	for (i = 0; i < calls.len && !r; i++) {
		const struct callsite *c = vec_at(&calls, struct callsite, i);

		if (c->func.addr == last || !c->func.name[0] || c->func.addr == s->wrapper.addr)
			continue;
		last = c->func.addr;
		r = search_function(b, s, &c->func, ret);
	}
	vec_free(&calls);
	return r;
}

/* Finds the flag without a symbol: both sweepers test it before anything else. */
static uint64_t find_flag(const struct gobin *b)
{
	struct walk deduct, reclaim;
	uint64_t flag;

	if (walk_open(&deduct, b, "runtime.deductSweepCredit") ||
	    walk_open(&reclaim, b, "runtime.(*mheap).reclaim"))
		return 0;
	flag = walk_first_flag(&deduct);
	return flag == walk_first_flag(&reclaim) ? flag : 0;
}

static void find_wrapper(const struct gobin *b, struct search *s)
{
	static const char *const heap[] = { "runtime.traceHeapAlloc", NULL };
	static const char *const goal[] = { "runtime.traceNextGC", "runtime.traceHeapGoal", NULL };
	const char *const *name = s->event == TRACE_FLAG_HEAP ? heap : goal;

	while (*name && gobin_func(b, *name, &s->wrapper))
		name++;
}

static bool is_before(const struct trace_flag_site *a, const struct trace_flag_site *b)
{
	return a->addr < b->addr;
}

/*
 * Sorts the sites and removes doubles: a function that calls both the wrapper and traceEvent was
 * searched twice.
 */
static void sort_and_unite(struct vec *sites)
{
	struct trace_flag_site *s = sites->data, x;
	size_t i, j, n = 0;

	for (i = 0; i < sites->len; i++) {
		x = s[i];
		for (j = 0; j < n && s[j].addr != x.addr; j++)
			;
		if (j < n)
			continue;
		for (j = n++; j && is_before(&x, &s[j - 1]); j--)
			s[j] = s[j - 1];
		s[j] = x;
	}
	sites->len = n;
}

int x86_trace_flag_sites(const struct gobin *b, enum trace_flag_event event, struct vec *ret,
		     uint64_t *variable, struct error *err)
{
	struct search s = { .event = event, .flag = find_flag(b) };
	struct gobin_func trace_event;
	int r = 0;

	if (gobin_func(b, "runtime.traceEvent", &trace_event))
		return error_set(err, -ENOENT, "runtime.traceEvent is not in the binary");
	s.trace_event = trace_event.addr;
	find_wrapper(b, &s);
	if (s.flag)
		r = search_callers(b, &s, s.trace_event, ret);
	if (!r && s.flag && s.wrapper.addr)
		r = search_callers(b, &s, s.wrapper.addr, ret);
	if (r || !ret->len)
		return error_set(err, -ENOTSUP,
				 "the runtime of %s does not ask in the known way whether to "
				 "trace the heap",
				 gobin_go_version(b));
	sort_and_unite(ret);
	*variable = s.variable;
	return 0;
}
