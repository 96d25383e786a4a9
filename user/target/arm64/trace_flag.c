// SPDX-License-Identifier: Apache-2.0
/*
 * trace_flag: see target/trace_flag.h; for arm64. Only 1.15 of the releases up to 1.18 was there to
 * try it on; they pass arguments on the stack up to 1.17.
 */
#include <errno.h>

#include "target/arm64/walk.h"
#include "target/code_ops.h"

enum {
	ARM64_FLAG_PATH = 48,	/* most instructions from the jump to the call */
	ARM64_FLAG_SITES = 64,	/* most sites of one event; bounds hostile files */
};

struct arm64_flag_search {
	enum trace_flag_event event;
	uint64_t flag;			/* trace.enabled */
	uint64_t trace_event;		/* runtime.traceEvent */
	struct gobin_func wrapper;	/* address 0: inlined everywhere */
	uint64_t variable;
};

/* The path from a jump to its first call. */
struct arm64_flag_path {
	uint64_t target;	/* of the call; 0: there is none */
	uint64_t variable;	/* the last variable of 64 bits that was read */
	int64_t event;		/* the first argument */
	int64_t constants[32];
	uint32_t known;
};

static void arm64_flag_step(struct arm64_flag_path *p, const struct arm64_walk *w)
{
	const struct arm64_insn *insn = &w->insn;

	if (insn->op == ARM64_LOAD && insn->size == 8 && !insn->vector && arm64_operand(w))
		p->variable = arm64_operand(w);
	if (insn->op == ARM64_STORE && insn->size == 1 && arm64_has_mem(insn, ARM64_SP, 8) &&
	    (p->known >> insn->rd & 1))
		p->event = p->constants[insn->rd];
	p->known &= ~insn->written;
	if (insn->op != ARM64_CONST || insn->rd == ARM64_ZERO)
		return;
	p->constants[insn->rd] = insn->imm;
	p->known |= 1u << insn->rd;
	if (insn->rd == ARM64_R0 && gobin_register_args(w->b))
		p->event = insn->imm;
}

/*
 * Follows the code from @w to the first call. Conditional jumps on the way are not taken: they lead
 * to the same event.
 */
static struct arm64_flag_path arm64_flag_path_of(struct arm64_walk w)
{
	struct arm64_flag_path p = { .event = -1 };
	int i;

	for (i = 0; i < ARM64_FLAG_PATH && arm64_decode_at(&w); i++) {
		if (w.insn.op == ARM64_BL) {
			p.target = arm64_target(&w);
			return p;
		}
		if (w.insn.op == ARM64_B) {
			w.at = arm64_target_offset(&w);
			continue;
		}
		if (arm64_ends_flow(&w.insn))
			break;
		arm64_flag_step(&p, &w);
		arm64_next(&w);
	}
	return p;
}

static bool arm64_is_event(const struct arm64_flag_search *s, const struct arm64_flag_path *p)
{
	return p->target == s->trace_event && p->event == (int64_t)s->event;
}

/* Returns the variable, or 0 if the path does not lead to the event. */
static uint64_t arm64_flag_variable(const struct gobin *b, const struct arm64_flag_search *s,
				    const struct arm64_flag_path *p)
{
	struct arm64_flag_path in;
	struct arm64_walk w;

	if (!s->wrapper.addr || p->target != s->wrapper.addr)
		return arm64_is_event(s, p) ? p->variable : 0;
	if (arm64_open_func(&w, b, &s->wrapper) || !arm64_decode_at(&w))
		return 0;
	in = arm64_flag_path_of(w);
	return arm64_is_event(s, &in) ? in.variable : 0;
}

static bool arm64_flag_known(const struct vec *sites, uint64_t addr)
{
	size_t i;

	for (i = 0; i < sites->len; i++)
		if (vec_at(sites, struct trace_flag_site, i)->addr == addr)
			return true;
	return false;
}

static int arm64_flag_function(const struct gobin *b, struct arm64_flag_search *s,
			       const struct gobin_func *fn, struct vec *ret)
{
	struct arm64_walk w, into;
	bool more;

	if (arm64_open_func(&w, b, fn))
		return -ENOTSUP;
	for (more = arm64_decode_at(&w); more; more = arm64_next(&w)) {
		struct arm64_flag_path p;
		uint64_t variable, jump;

		into = w;
		if (arm64_flag_test(&into) != s->flag)
			continue;
		jump = into.start + into.at;
		if (!arm64_into_flag(&into, true))
			continue;
		p = arm64_flag_path_of(into);
		variable = arm64_flag_variable(b, s, &p);
		if (!variable || arm64_flag_known(ret, jump))
			continue;
		if ((s->variable && s->variable != variable) || ret->len == ARM64_FLAG_SITES)
			return -ENOTSUP;
		s->variable = variable;
		*(struct trace_flag_site *)vec_push(ret, sizeof(struct trace_flag_site)) =
			(struct trace_flag_site){ *fn, jump };
	}
	return arm64_at_padding(&w) ? 0 : -ENOTSUP;
}

static int arm64_flag_callers(const struct gobin *b, struct arm64_flag_search *s, uint64_t called,
			      struct vec *ret)
{
	struct vec calls = {0};
	uint64_t last = 0;
	size_t i;
	int r = 0;

	arm64_callsites_find(b, called, &calls);
	for (i = 0; i < calls.len && !r; i++) {
		const struct callsite *c = vec_at(&calls, struct callsite, i);

		if (c->func.addr == last || !c->func.name[0] || c->func.addr == s->wrapper.addr)
			continue;
		last = c->func.addr;
		r = arm64_flag_function(b, s, &c->func, ret);
	}
	vec_free(&calls);
	return r;
}

/* Finds the flag without a symbol: both sweepers test it before anything else. */
static uint64_t arm64_find_flag(const struct gobin *b)
{
	struct arm64_walk deduct, reclaim;
	uint64_t flag;

	if (arm64_open(&deduct, b, "runtime.deductSweepCredit") ||
	    arm64_open(&reclaim, b, "runtime.(*mheap).reclaim"))
		return 0;
	flag = arm64_first_flag(&deduct);
	return flag == arm64_first_flag(&reclaim) ? flag : 0;
}

static void arm64_find_wrapper(const struct gobin *b, struct arm64_flag_search *s)
{
	static const char *const heap[] = { "runtime.traceHeapAlloc", NULL };
	static const char *const goal[] = { "runtime.traceNextGC", "runtime.traceHeapGoal", NULL };
	const char *const *name = s->event == TRACE_FLAG_HEAP ? heap : goal;

	while (*name && gobin_func(b, *name, &s->wrapper))
		name++;
}

static void arm64_sort_sites(struct vec *sites)
{
	struct trace_flag_site *s = sites->data, x;
	size_t i, j;

	for (i = 1; i < sites->len; i++) {
		x = s[i];
		for (j = i; j && x.addr < s[j - 1].addr; j--)
			s[j] = s[j - 1];
		s[j] = x;
	}
}

int arm64_trace_flag_sites(const struct gobin *b, enum trace_flag_event event, struct vec *ret,
			   uint64_t *variable, struct error *err)
{
	struct arm64_flag_search s = { .event = event, .flag = arm64_find_flag(b) };
	struct gobin_func trace_event;
	int r = 0;

	if (gobin_func(b, "runtime.traceEvent", &trace_event))
		return error_set(err, -ENOENT, "runtime.traceEvent is not in the binary");
	s.trace_event = trace_event.addr;
	arm64_find_wrapper(b, &s);
	if (s.flag)
		r = arm64_flag_callers(b, &s, s.trace_event, ret);
	if (!r && s.flag && s.wrapper.addr)
		r = arm64_flag_callers(b, &s, s.wrapper.addr, ret);
	if (r || !ret->len)
		return error_set(err, -ENOTSUP,
				 "the runtime of %s does not ask in the known way whether to "
				 "trace the heap",
				 gobin_go_version(b));
	arm64_sort_sites(ret);
	*variable = s.variable;
	return 0;
}
