// SPDX-License-Identifier: Apache-2.0
/*
 * pgo: builds with profile-guided inlining. In: the inline trees. Out: probes in the functions
 * into which a probed call was inlined (pgo.def); where there is no such probe, an error or a line
 * of the report. Nothing that was inlined goes unnoticed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/internal.h"
#include "target/inlined.h"

enum place { ENTRY, RESULT, AT_RUNQPUT, LIST, SYSCALL, BEHIND_CAS, UNSEEN };

enum { NONE = REC_NONE };

struct inlined_spec {
	const char *into, *caller;
	uint8_t old, new_;
	int since, until;
	enum place place;
	struct site_class class;
};

struct lacks_spec {
	const char *caller, *lacks;
};

struct harmless_spec {
	const char *caller;	/* a function, or the beginning of the names of several */
	int since, until;
};

struct probed_spec {
	const char *function, *into;
	int since, until;
	enum program program;
	const char *at_call;
	struct site_class class;
};

static const struct inlined_spec inlined_specs[] = {
#define INLINED(into, caller, old, new_, since, until, place, kind, sub, stack) \
	{ into, caller, old, new_, since, until, place, { kind, sub, stack, 0 } },
#define LACKS(...)
#define HARMLESS(...)
#define PROBED(...)
#include "plan/pgo.def"
#undef INLINED
#undef LACKS
};

static const struct lacks_spec lacks_specs[] = {
#define INLINED(...)
#define LACKS(caller, lacks) { caller, lacks },
#include "plan/pgo.def"
#undef LACKS
#undef HARMLESS
};

static const struct harmless_spec harmless_specs[] = {
#define LACKS(...)
#define HARMLESS(caller, since, until) { caller, since, until },
#include "plan/pgo.def"
#undef HARMLESS
#undef PROBED
};

static const struct probed_spec probed_specs[] = {
#define HARMLESS(...)
#define PROBED(function, into, since, until, program, at_call, kind, sub, stack) \
	{ function, into, since, until, PROGRAM_##program, at_call, { kind, sub, stack, 0 } },
#include "plan/pgo.def"
#undef INLINED
#undef LACKS
#undef HARMLESS
#undef PROBED
};

/* --- where the probe goes in the function that it was inlined into --- */

static int pgo_add_at(struct plan *p, const struct gobin *b, enum program program,
		  const struct gobin_func *fn, uint64_t addr, const char *what, struct error *err)
{
	struct probe_point point = { .program = program, .function = fn->name, .addr = addr };

	snprintf(point.site, sizeof(point.site), "%s at +0x%x", what,
		 (unsigned int)(addr - fn->addr));
	return plan_add_point(p, b, &point, err);
}

static int add_results(struct plan *p, const struct gobin *b, const struct inlined_spec *spec,
		       const struct gobin_func *fn, struct error *err)
{
	int n = plan_add_after_calls(p, b, PROGRAM_inlined_result, fn, &spec->class, err);

	return n < 0 ? n : 0;
}

static int pgo_add_at_call(struct plan *p, const struct gobin *b, enum program program,
		       const char *callee, struct site_class class, const struct gobin_func *fn,
		       struct error *err)
{
	struct gobin_func target;
	uint64_t ret = 0;
	char what[64];

	if (!gobin_func(b, callee, &target))
		ret = callsites_first(b, fn, target.addr);
	if (!ret)
		return error_set(err, -ENOTSUP, "%s does not call %s", fn->name, callee);
	if (class.kind != NONE)
		plan_add_site(p, ret - gobin_arch(b)->call_len, 0, 0, class);
	snprintf(what, sizeof(what), "call of %.40s", callee);
	return pgo_add_at(p, b, program, fn, ret - gobin_arch(b)->call_len, what, err);
}

static int add_behind_cas(struct plan *p, const struct gobin *b, const struct inlined_spec *spec,
			  const struct gobin_func *fn, struct error *err)
{
	uint32_t offset;

	if (inlined_cas_jump(b, fn, p->offsets.g_atomicstatus, &offset))
		return error_set(err, -ENOTSUP, "%s has no single compare-and-swap", fn->name);
	plan_add_site(p, fn->addr + offset, 0, 0, spec->class);
	return pgo_add_at(p, b, PROGRAM_inlined_sys_exit, fn, fn->addr + offset,
			       "behind compare-and-swap", err);
}

static int pgo_add_entry(struct plan *p, const struct gobin *b, enum program program,
		     struct site_class class, const struct gobin_func *fn, struct error *err)
{
	struct entry at;
	int r = plan_add_entry(p, b, program, fn, &at, err);

	if (r || class.kind == NONE)
		return r;
	if (!at.arguments && class.kind == REC_SYS_ENTER && !class.sub && p->syscall_bp)
		return error_set(err, -ENOTSUP, "%s has changed its arguments (%+d)", fn->name,
				 (int)(at.addr - fn->addr));
	class.at = at.at;
	plan_add_site(p, at.addr, 0, 0, class);
	return 0;
}

static void note_unseen(struct plan *p, const struct inlined_spec *spec,
			const struct gobin_func *fn)
{
	struct error why;
	size_t i;

	error_set(&why, -ENOTSUP, "-pgo has inlined runtime.casgstatus into %s", fn->name);
	for (i = 0; i < COUNT(lacks_specs); i++)
		if (!strcmp(lacks_specs[i].caller, spec->caller))
			plan_note_missing(p, spec->caller, lacks_specs[i].lacks, &why);
}

static int add_inlined(struct plan *p, const struct gobin *b, const struct inlined_spec *spec,
		    const struct gobin_func *fn, struct error *err)
{
	switch (spec->place) {
	case ENTRY:
		return pgo_add_entry(p, b, PROGRAM_inlined_enter, spec->class, fn, err);
	case LIST:
		return pgo_add_entry(p, b, PROGRAM_inlined_list, spec->class, fn, err);
	case SYSCALL:
		return pgo_add_entry(p, b, PROGRAM_inlined_syscall, spec->class, fn, err);
	case RESULT:
		return add_results(p, b, spec, fn, err);
	case AT_RUNQPUT:
		return pgo_add_at_call(p, b, PROGRAM_inlined_runqput, "runtime.runqput",
					    spec->class, fn, err);
	case BEHIND_CAS:
		return add_behind_cas(p, b, spec, fn, err);
	case UNSEEN:
		p->unseen_unblocks = true;
		note_unseen(p, spec, fn);
	}
	return 0;
}

/* --- casgstatus --- */

/* The compiler may have inlined some of several calls in the source and not the others. */
static bool is_still_called(const struct gobin *b, const struct inlined_spec *spec,
			    const struct gobin_func *host, const struct vec *calls)
{
	size_t i;

	if (spec->place == UNSEEN)
		return false;
	for (i = 0; i < calls->len; i++) {
		const struct status_call *c = vec_at(calls, struct status_call, i);

		if (c->site.func.addr == host->addr && c->old == spec->old &&
		    (c->new_ == spec->new_ || c->new_ == -1) &&
		    inlined_is_caller(b, &c->site, spec->caller))
			return true;
	}
	return false;
}

static bool is_harmless(const struct plan *p, const char *caller)
{
	size_t i;

	for (i = 0; i < COUNT(harmless_specs); i++) {
		const struct harmless_spec *spec = &harmless_specs[i];

		if (release_in(p->minor, spec->since, spec->until) &&
		    !strncmp(caller, spec->caller, strlen(spec->caller)))
			return true;
	}
	return false;
}

static int add_caller_inlined(struct plan *p, const struct gobin *b, const char *caller,
			      const struct gobin_func *host, const struct vec *calls,
			      struct error *err)
{
	bool known = is_harmless(p, caller);
	size_t i;
	int r = 0;

	for (i = 0; i < COUNT(inlined_specs) && !r; i++) {
		const struct inlined_spec *spec = &inlined_specs[i];

		if (!release_in(p->minor, spec->since, spec->until) ||
		    strcmp(spec->into, host->name) || strcmp(spec->caller, caller))
			continue;
		known = true;
		if (is_still_called(b, spec, host, calls))
			continue;
		r = add_inlined(p, b, spec, host, err);
		p->inlined |= 1ULL << i;
	}
	if (!known)
		r = error_set(err, -ENOTSUP, "no probe is known for what %s does there", caller);
	return r;
}

static int add_casgstatus_inlined(struct plan *p, const struct gobin *b, const struct inlined *at,
			       const struct vec *calls, struct error *err)
{
	struct vec callers = {0};
	size_t i;
	int r = 0;

	inlined_callers(b, at, &callers);
	for (i = 0; i < callers.len && !r; i++)
		r = add_caller_inlined(p, b, *vec_at(&callers, const char *, i), &at->host, calls,
				       err);
	vec_free(&callers);
	if (r)
		error_prefix(err, "cannot trace '%s', built with -pgo, which put casgstatus "
			     "into %s", gobin_path(b), at->host.name);
	return r;
}

int plan_casgstatus_inlined(struct plan *p, const struct gobin *b, const struct vec *calls,
			  struct error *err)
{
	static const char *const name = "runtime.casgstatus";
	struct vec found = {0};
	size_t i;
	int r = 0;

	inlined_find(b, &name, 1, &found);
	for (i = 0; i < found.len && !r; i++)
		r = add_casgstatus_inlined(p, b, vec_at(&found, struct inlined, i), calls, err);
	vec_free(&found);
	return r;
}

bool plan_inlined_sees(const struct plan *p, const char *caller, uint8_t old, uint8_t new_)
{
	size_t i;

	for (i = 0; i < COUNT(inlined_specs); i++)
		if ((p->inlined & 1ULL << i) && inlined_specs[i].old == old &&
		    inlined_specs[i].new_ == new_ && !strcmp(inlined_specs[i].caller, caller))
			return true;
	return false;
}

_Static_assert(COUNT(inlined_specs) <= 64, "plan.inlined is a bit mask");

/* --- other probed functions --- */

static const struct probed_spec *probed_spec_of(const struct plan *p, const struct inlined *at)
{
	size_t i;

	for (i = 0; i < COUNT(probed_specs); i++) {
		const struct probed_spec *spec = &probed_specs[i];

		if (release_in(p->minor, spec->since, spec->until) &&
		    !strcmp(spec->function, at->name) && !strcmp(spec->into, at->host.name))
			return spec;
	}
	return NULL;
}

bool plan_inlined_probed(const struct plan *p, const struct gobin *b, const char *function)
{
	struct vec found = {0};
	bool all = true;
	size_t i;

	inlined_find(b, &function, 1, &found);
	for (i = 0; i < found.len; i++)
		all &= probed_spec_of(p, vec_at(&found, struct inlined, i)) != NULL;
	all &= found.len > 0;
	vec_free(&found);
	return all;
}

static int add_heap_jump(struct plan *p, const struct gobin *b, const struct inlined *at,
			 struct error *err)
{
	struct vec calls = {0};
	size_t n;
	uint32_t offset;
	int reg;

	inlined_callers(b, at, &calls);
	n = calls.len;
	vec_free(&calls);
	if (n != 1 || inlined_add_jump(b, &at->host, at->name, &offset, &reg) ||
	    !code_is_readable(b, reg) || (p->heap_live_reg >= 0 && p->heap_live_reg != reg))
		return error_set(err, -ENOTSUP, "-pgo has inlined %s into %s, in an unknown way",
				 at->name, at->host.name);
	p->heap_live_reg = reg;
	return pgo_add_at(p, b, PROGRAM_inlined_heap, &at->host, at->host.addr + offset,
			       "behind xadd", err);
}

static int add_for(struct plan *p, const struct gobin *b, const struct probed_spec *spec,
		   const struct inlined *at, struct error *err)
{
	if (spec->program == PROGRAM_inlined_heap)
		return add_heap_jump(p, b, at, err);
	if (spec->at_call)
		return pgo_add_at_call(p, b, spec->program, spec->at_call, spec->class,
					    &at->host, err);
	return pgo_add_entry(p, b, spec->program, spec->class, &at->host, err);
}

static int add_probed(struct plan *p, const struct gobin *b, const struct inlined *at,
		      const struct probe_spec *spec, struct error *err)
{
	const struct probed_spec *host = probed_spec_of(p, at);
	struct error why;
	int r;

	if (host) {
		r = add_for(p, b, host, at, &why);
		if (!r)
			return 0;
	} else {
		error_set(&why, -ENOTSUP, "-pgo has inlined %s into %s", at->name, at->host.name);
	}
	return plan_lacks(p, b, spec, &why, err);
}

static const char **pgo_names(const struct plan *p, const struct probe_spec *specs, size_t n,
			      bool outside)
{
	const char **names = xcalloc(n, sizeof(*names));
	size_t i;

	for (i = 0; i < n; i++)
		names[i] = plan_wants(p, plan_group_of(specs[i].program), specs[i].since,
				      specs[i].until) &&
					   specs[i].program != PROGRAM_casgstatus &&
					   (!outside || specs[i].need == IF_LINKED) ?
				   specs[i].function :
				   "";
	return names;
}

static int pgo_add_found(struct plan *p, const struct gobin *b, const struct probe_spec *specs,
			 const char *const *names, size_t n, const struct vec *found,
			 struct error *err)
{
	size_t i, j;
	int r = 0;

	for (i = 0; i < found->len && !r; i++) {
		const struct inlined *at = vec_at(found, struct inlined, i);

		for (j = 0; j < n && names[j] != at->name; j++)
			;
		r = add_probed(p, b, at, &specs[j], err);
	}
	return r;
}

static int pgo_probe(struct plan *p, const struct gobin *b, const struct probe_spec *specs,
		     size_t n, bool outside, struct error *err)
{
	const char **names = pgo_names(p, specs, n, outside);
	struct vec found = {0};
	int r;

	(outside ? inlined_find_outside : inlined_find)(b, names, n, &found);
	r = pgo_add_found(p, b, specs, names, n, &found, err);
	vec_free(&found);
	free(names);
	return r;
}

/* Only -pgo inlines functions of other packages that have probes: they are large. */
int plan_probe_inlined(struct plan *p, const struct gobin *b, const struct probe_spec *specs,
		     size_t n, struct error *err)
{
	int r = pgo_probe(p, b, specs, n, false, err);

	return r || !gobin_build_setting(b, "-pgo") ? r : pgo_probe(p, b, specs, n, true, err);
}
