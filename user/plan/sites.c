// SPDX-License-Identifier: Apache-2.0
/*
 * sites: the classes of call sites, by return address. In: the calls of casgstatus and of
 * some probed functions. Out: the classes of plan->sites (sites.def,
 * callers.def).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "plan/internal.h"
#include "symbol/pclntab.h"
#include "target/inlined.h"

struct site_spec {
	const char *caller;
	uint8_t old, new_;
	enum group group;
	int since, until;
	struct site_class class;
	enum need need;
};

static const struct site_spec site_specs[] = {
#define SITE(caller, old, new_, group, since, until, kind, sub, stack, need) \
	{ caller, old, new_, GROUP_##group, since, until, { kind, sub, stack, 0 }, need },
#include "plan/sites.def"
#undef SITE
};

struct caller_spec {
	const char *called, *caller;
	int since, until;
	struct site_class class;
};

static const struct caller_spec caller_specs[] = {
#define CALLER(called, caller, since, until, kind, sub) \
	{ called, caller, since, until, { kind, sub, 0, 0 } },
#include "plan/callers.def"
#undef CALLER
};

/* Returns whether @name is "f", or a function literal in it such as "f.func1". */
static bool is_function_or_literal(const char *name, const char *function)
{
	size_t n = strlen(function);

	return !strncmp(name, function, n) && (!name[n] || !strncmp(name + n, ".func", 5));
}

/*
 * The class of a call in @function that was inlined into @host: the one that callers.def has for
 * the call of @function in @host, else @class itself.
 */
static struct site_class class_within(const struct plan *p, const char *function,
				      const char *host, struct site_class class)
{
	size_t i;

	for (i = 0; i < COUNT(caller_specs); i++) {
		const struct caller_spec *spec = &caller_specs[i];

		if (release_in(p->minor, spec->since, spec->until) &&
		    spec->class.kind == class.kind && !strcmp(spec->called, function) &&
		    is_function_or_literal(host, spec->caller))
			class.sub = spec->class.sub;
	}
	return class;
}

static bool may_be(int constant, uint8_t value)
{
	return constant == -1 || constant == value;
}

/*
 * A call counts for the function that has it in the source, and for the function
 * into which that was inlined: all compilers inline helpers like casGToWaiting.
 */
static bool match_call(struct plan *p, const struct gobin *b, const struct site_spec *spec,
		       const struct status_call *c)
{
	const char *host = c->site.func.name;
	struct site_class class = spec->class;

	if (!may_be(c->old, spec->old) || !may_be(c->new_, spec->new_))
		return false;
	if (strcmp(host, spec->caller)) {
		if (!inlined_is_caller(b, &c->site, spec->caller))
			return false;
		class = class_within(p, spec->caller, host, class);
		if (class.kind == REC_GO_STOP && !class.sub)
			class.sub = REC_STOP_PREEMPTED;
	}
	plan_add_site(p, c->site.return_addr, spec->old, spec->new_, class);
	return true;
}

static bool match_calls(struct plan *p, const struct gobin *b, const struct site_spec *spec,
			const struct vec *calls)
{
	bool found = false;
	size_t i;

	for (i = 0; i < calls->len; i++)
		found |= match_call(p, b, spec, vec_at(calls, struct status_call, i));
	return found;
}

static void find_status_calls(const struct gobin *b, uint64_t casgstatus, struct vec *ret)
{
	struct vec sites = {0};
	size_t i;

	callsites_find(b, casgstatus, &sites);
	for (i = 0; i < sites.len; i++) {
		struct status_call *c = vec_push(ret, sizeof(*c));

		c->site = *vec_at(&sites, struct callsite, i);
		c->old = c->new_ = -1;
		if (gobin_register_args(b))
			callsite_constants(b, &c->site, &c->old, &c->new_);
	}
	vec_free(&sites);
}

static int add_casgstatus_sites(struct plan *p, const struct gobin *b, const struct vec *calls,
				struct error *err)
{
	size_t i;

	for (i = 0; i < COUNT(site_specs); i++) {
		const struct site_spec *spec = &site_specs[i];

		if (plan_wants(p, spec->group, spec->since, spec->until) &&
		    !match_calls(p, b, spec, calls) && spec->need == REQUIRED &&
		    !plan_inlined_sees(p, spec->caller, spec->old, spec->new_))
			return error_set(err, -ENOTSUP, "cannot trace '%s': %s does not call "
					 "casgstatus", gobin_path(b), spec->caller);
	}
	return 0;
}

/*
 * Finds a function outside of package runtime: gobin_func() has the names of package runtime only.
 */
static bool find_outside(const struct gobin *b, const char *name, struct gobin_func *ret)
{
	const struct pclntab *t = gobin_table(b);
	struct pclntab_func f;
	size_t i;

	for (i = 0; t && i < pclntab_funcs(t); i++)
		if (pclntab_func(t, i, &f) && !strcmp(f.name, name)) {
			*ret = (struct gobin_func){ name, f.entry, f.end - f.entry };
			return true;
		}
	return false;
}

static void add_outside_caller(struct plan *p, const struct gobin *b,
			       const struct caller_spec *spec, uint64_t called)
{
	struct gobin_func caller;
	uint64_t ret = 0;

	if (find_outside(b, spec->caller, &caller))
		ret = callsites_first(b, &caller, called);
	if (ret)
		plan_add_site(p, ret, 0, 0, spec->class);
}

static void add_runtime_callers(struct plan *p, const struct gobin *b,
				const struct caller_spec *spec, uint64_t called)
{
	struct vec calls = {0};
	size_t i;

	callsites_find(b, called, &calls);
	for (i = 0; i < calls.len; i++) {
		const struct callsite *c = vec_at(&calls, struct callsite, i);

		if (is_function_or_literal(c->func.name, spec->caller))
			plan_add_site(p, c->return_addr, 0, 0, spec->class);
	}
	vec_free(&calls);
}

static void add_caller_sites(struct plan *p, const struct gobin *b)
{
	size_t i;

	for (i = 0; i < COUNT(caller_specs); i++) {
		const struct caller_spec *spec = &caller_specs[i];
		bool sweeps = spec->class.kind == REC_SWEEP_SPAN;
		struct gobin_func fn;

		if (!plan_wants(p, sweeps ? GROUP_SWEEP : GROUP_SCHED, spec->since, spec->until) ||
		    gobin_func(b, spec->called, &fn))
			continue;
		if (!strncmp(spec->caller, "runtime.", 8))
			add_runtime_callers(p, b, spec, fn.addr);
		else if (!gobin_arch(b)->has_link)
			add_outside_caller(p, b, spec, fn.addr);
	}
}

/* Returns whether there is a class for calls that return to @pc. */
static bool is_classed(const struct plan *p, uint64_t pc)
{
	size_t i;

	for (i = 0; i < p->sites.len; i++)
		if (vec_at(&p->sites, struct site_row, i)->pc == pc)
			return true;
	return false;
}

static int add_status_call(struct plan *p, const struct gobin *b, const struct callsite *c,
			   struct error *err)
{
	struct probe_point point = {
		.program = PROGRAM_casgstatus,
		.function = c->func.name,
		.addr = c->return_addr - gobin_arch(b)->call_len,
	};

	snprintf(point.site, sizeof(point.site), "call of runtime.casgstatus at +0x%x",
		 (unsigned int)(point.addr - c->func.addr));
	if (p->for_inline)
		plan_patch_call(b, &point);
	return plan_add_point(p, b, &point, err);
}

static bool all_are_calls(const struct plan *p, const struct gobin *b, const struct vec *calls)
{
	size_t i;

	for (i = 0; i < calls->len; i++) {
		const struct status_call *c = vec_at(calls, struct status_call, i);

		if (is_classed(p, c->site.return_addr) && !callsite_is_call(b, &c->site))
			return false;
	}
	return true;
}

/*
 * Up to Go 1.20 the start of casgstatus does as well; the call is there for what can only replace
 * a call. With a link register the arguments are in each release where the start has them, and the
 * start has no probe (plan_at_status() in plan.c).
 */
static bool can_sit_at_calls(const struct plan *p, const struct gobin *b)
{
	return gobin_arch(b)->has_link || p->abi == GO_ABI_PUSH ||
	       (p->for_inline && p->abi == GO_ABI_CHECK);
}

/*
 * Puts probes at the calls of casgstatus that have a class, in place of the one at its start: the
 * other calls then cost nothing, and the address of the probe names the caller. At the start the
 * program must read the caller from the stack.
 */
static int sites_move_to_calls(struct plan *p, const struct gobin *b, const struct vec *calls,
			 struct error *err)
{
	struct probe_point *points = p->points.data;
	size_t i, n = 0;
	int r = 0;

	if (!can_sit_at_calls(p, b) || !all_are_calls(p, b, calls))
		return 0;
	for (i = 0; i < p->points.len; i++)
		if (points[i].program != PROGRAM_casgstatus)
			points[n++] = points[i];
	p->points.len = n;
	for (i = 0; i < calls->len && !r; i++) {
		const struct status_call *c = vec_at(calls, struct status_call, i);

		if (is_classed(p, c->site.return_addr))
			r = add_status_call(p, b, &c->site, err);
	}
	p->at_status_calls = true;
	if (p->for_inline)
		p->at_calls |= 1u << INLINE_casgstatus;
	return r;
}

int plan_sites(struct plan *p, const struct gobin *b, struct error *err)
{
	struct vec calls = {0};
	struct gobin_func fn;
	int r;

	if (gobin_func(b, "runtime.casgstatus", &fn))
		return error_set(err, -ENOENT, "runtime.casgstatus is not in '%s'", gobin_path(b));
	find_status_calls(b, fn.addr, &calls);
	r = plan_casgstatus_inlined(p, b, &calls, err);
	if (!r)
		r = add_casgstatus_sites(p, b, &calls, err);
	if (!r)
		r = sites_move_to_calls(p, b, &calls, err);
	if (!r)
		add_caller_sites(p, b);
	vec_free(&calls);
	return r;
}
