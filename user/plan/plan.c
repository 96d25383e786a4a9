// SPDX-License-Identifier: Apache-2.0
/*
 * plan: see plan.h. Here: the probes (probes.def) and the knobs; call sites are in
 * sites.c, what -pgo has inlined in pgo.c, and points.c has what these add to the plan.
 */
#define _GNU_SOURCE
#include "plan/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "symbol/pclntab.h"
#include "target/http_layout.h"
#include "target/offsets.h"
#include "target/profile_vars.h"

/* The column "where" of probes.def. */
static add_points_fn plan_at_entry, plan_add_at_call, add_after_call, add_assist_ends,
	add_exit_jump, add_stack_jump, add_first, add_heap_asked, add_goal_asked, add_object_jump,
	add_method_call, plan_at_status;

#define ENTRY { plan_at_entry, NULL }
#define AT_CALL(callee) { plan_add_at_call, callee }
#define AFTER_CALL(callee) { add_after_call, callee }
#define AT_CALLS(callee) { plan_add_at_calls, callee }
#define RETURNS { plan_add_returns, NULL }
#define RETURNS_BUT(callee) { plan_add_returns, callee }
#define FIND(find) { find, NULL }
#define FIND_CALL(find, callee) { find, callee }

static const struct probe_spec probe_specs[] = {
#define PROGRAM(...)
#define PROBE(program, function, since, until, where, need, lacks) \
	{ PROGRAM_##program, function, since, until, where, need, lacks },
#include "plan/probes.def"
#undef PROGRAM
#undef PROBE
};

const char *plan_group_function(enum group g, size_t i)
{
	size_t j;

	for (j = 0; j < COUNT(probe_specs); j++)
		if (plan_group_of(probe_specs[j].program) == g && !i--)
			return probe_specs[j].function;
	return NULL;
}

/* --- probe sites --- */

static enum go_abi abi_of(const struct gobin *b)
{
	return release_has(gobin_go_minor(b), RELEASE_FRAME_PUSH) ? GO_ABI_PUSH :
	       gobin_register_args(b) ? GO_ABI_CHECK : GO_ABI_STACK;
}

/* --- where: the column of probes.def --- */

static int plan_add_at(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
		  const struct gobin_func *fn, uint32_t offset, const char *site, struct error *err)
{
	struct probe_point point = { .program = spec->program, .function = spec->function,
				     .addr = fn->addr + offset };

	snprintf(point.site, sizeof(point.site), "%s", site);
	return plan_add_point(p, b, &point, err);
}

static int plan_at_entry(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
		     const struct gobin_func *fn, struct error *err)
{
	struct entry at;

	return plan_add_entry(p, b, spec->program, fn, &at, err);
}

/* Nearly all functions of the table are of package runtime: the others need a larger index. */
static int plan_function(const struct gobin *b, const char *name, struct gobin_func *ret)
{
	return strncmp(name, "runtime", 7) ? gobin_any_func(b, name, ret) :
					     gobin_func(b, name, ret);
}

/* Returns the return address of the first call that @spec names; 0 if there is none. */
static uint64_t plan_first_call(const struct gobin *b, const struct probe_spec *spec,
			   const struct gobin_func *fn, struct error *err)
{
	struct gobin_func callee;
	uint64_t ret = 0;

	if (!plan_function(b, spec->where.callee, &callee))
		ret = callsites_first(b, fn, callee.addr);
	if (!ret)
		error_set(err, -ENOTSUP, "%s does not call %s", spec->function, spec->where.callee);
	return ret;
}

static int plan_add_at_call(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
		       const struct gobin_func *fn, struct error *err)
{
	uint64_t ret = plan_first_call(b, spec, fn, err);
	uint32_t offset = (uint32_t)(ret - gobin_arch(b)->call_len - fn->addr);
	char site[80];

	snprintf(site, sizeof(site), "call of %s at +0x%x", spec->where.callee, offset);
	return ret ? plan_add_at(p, b, spec, fn, offset, site, err) : -ENOTSUP;
}

static int add_after_call(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
			  const struct gobin_func *fn, struct error *err)
{
	uint64_t ret = plan_first_call(b, spec, fn, err);
	uint32_t offset = (uint32_t)(ret - fn->addr);
	char site[80];

	snprintf(site, sizeof(site), "after call of %s at +0x%x", spec->where.callee, offset);
	return ret ? plan_add_at(p, b, spec, fn, offset, site, err) : -ENOTSUP;
}

static int add_first(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
		     const struct gobin_func *fn, struct error *err)
{
	return plan_add_at(p, b, spec, fn, 0, "first instruction", err);
}

/*
 * The start of casgstatus, until plan_sites() finds the calls. With a link register it is not
 * needed: each word is an instruction or none, so that the calls that are found are calls.
 */
static int plan_at_status(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
		      const struct gobin_func *fn, struct error *err)
{
	return gobin_arch(b)->has_link ? 0 : plan_at_entry(p, b, spec, fn, err);
}

static int add_exit_jump(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
			 const struct gobin_func *fn, struct error *err)
{
	struct exit_site site;
	char text[80];
	int r = exitsyscall_site(b, &p->offsets, &site, err);

	if (r)
		return r;
	p->exitsyscall_p_reg = site.pp_reg;
	snprintf(text, sizeof(text), "%s at +0x%x", site.text, site.offset);
	return plan_add_at(p, b, spec, fn, site.offset, text, err);
}

static int add_stack_jump(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
			  const struct gobin_func *fn, struct error *err)
{
	struct stackalloc_site site;
	char text[80];
	int r = stackalloc_site(b, &site, err);

	if (r)
		return r;
	p->gstack_lo = site.lo;
	p->gstack_size = site.size;
	snprintf(text, sizeof(text), "jump at +0x%x", site.offset);
	return plan_add_at(p, b, spec, fn, site.offset, text, err);
}

static int add_object_jump(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
			   const struct gobin_func *fn, struct error *err)
{
	struct mallocgc_site site;
	char text[80];
	int r = mallocgc_site(b, &site, err);

	if (r)
		return r;
	p->object_addr = site.object;
	p->object_size = site.size;
	p->object_type = site.type;
	snprintf(text, sizeof(text), "jump at +0x%x", site.offset);
	return plan_add_at(p, b, spec, fn, site.offset, text, err);
}

static int add_method_call(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
			   const struct gobin_func *fn, struct error *err)
{
	uint64_t addr = code_jump_before_method(b, fn);
	char text[80];

	if (!addr)
		return error_set(err, -ENOTSUP, "%s has another form", spec->function);
	snprintf(text, sizeof(text), "jump at +0x%x", (unsigned int)(addr - fn->addr));
	return plan_add_at(p, b, spec, fn, (uint32_t)(addr - fn->addr), text, err);
}

static int add_asked(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
		     enum trace_flag_event event, uint64_t *variable, struct error *err)
{
	struct vec sites = {0};
	size_t i;
	int r = trace_flag_sites(b, event, &sites, variable, err);

	for (i = 0; i < sites.len && !r; i++) {
		const struct trace_flag_site *site = vec_at(&sites, struct trace_flag_site, i);
		struct probe_point point = { .program = spec->program, .function = site->func.name,
					     .addr = site->addr };

		snprintf(point.site, sizeof(point.site), "jump at +0x%x",
			 (unsigned int)(site->addr - site->func.addr));
		r = plan_add_point(p, b, &point, err);
	}
	vec_free(&sites);
	return r;
}

static int add_heap_asked(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
			  const struct gobin_func *fn, struct error *err)
{
	return add_asked(p, b, spec, TRACE_FLAG_HEAP, &p->heap_live_at, err);
}

static int add_goal_asked(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
			  const struct gobin_func *fn, struct error *err)
{
	return add_asked(p, b, spec, TRACE_FLAG_GOAL, &p->heap_goal_at, err);
}

static int add_after_calls(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
			   const struct gobin_func *fn, struct error *err)
{
	int n = plan_add_after_calls(p, b, spec->program, fn, NULL, err);

	if (!n)
		return error_set(err, -ENOENT, "no function calls %s", spec->function);
	return n < 0 ? n : 0;
}

/* Where gcAssistAlloc clears g.inMarkAssist; -ENOTSUP up to Go 1.21, or if that is not found. */
static int add_flag_clears(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
			   const struct gobin_func *fn, struct error *err)
{
	struct vec ends = {0};
	char text[80];
	size_t i;
	int r = -ENOTSUP;

	if (p->offsets.g_in_mark_assist != GO_OFFSET_NONE)
		r = assist_ends(b, fn, (int32_t)p->offsets.g_in_mark_assist, &ends);
	for (i = 0; i < ends.len && !r; i++) {
		uint32_t offset = *vec_at(&ends, uint32_t, i);

		snprintf(text, sizeof(text), "inMarkAssist = false at +0x%x", offset);
		r = plan_add_at(p, b, spec, fn, offset, text, err);
	}
	vec_free(&ends);
	return r;
}

static int add_assist_ends(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
			   const struct gobin_func *fn, struct error *err)
{
	if (!add_flag_clears(p, b, spec, fn, err))
		return 0;
	return add_after_calls(p, b, spec, fn, err);
}

static int plan_add_spec(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
		     struct error *err)
{
	struct gobin_func fn;

	if (plan_function(b, spec->function, &fn))
		return error_set(err, -ENOENT, "%s is not in the binary", spec->function);
	return spec->where.add(p, b, spec, &fn, err);
}

static bool group_has_probes(const struct plan *p, enum group g)
{
	size_t i;

	for (i = 0; i < COUNT(probe_specs); i++)
		if (plan_group_of(probe_specs[i].program) == g &&
		    plan_wants(p, g, probe_specs[i].since, probe_specs[i].until))
			return true;
	return false;
}

/* Reports a group that the user asked for and of which this release has nothing. */
static void note_empty_groups(struct plan *p, const struct gobin *b)
{
	struct error why, unused;
	size_t i;

	for (i = 0; i < COUNT(probe_specs); i++) {
		const struct probe_spec *spec = &probe_specs[i];

		enum group group = plan_group_of(spec->program);

		if (!(p->groups & 1u << group) || group_has_probes(p, group))
			continue;
		error_set(&why, -ENOTSUP, "from Go 1.%d on", spec->since);
		plan_lacks(p, b, spec, &why, &unused);
	}
}

/*
 * Fails for the group objects: it is recorded only if the user names it, and a trace that lacks
 * some objects would be wrong.
 */
static int check_objects(const struct plan *p, const struct gobin *b, struct error *err)
{
	enum { OBJECTS_SINCE = 22 };

	if (!(p->groups & 1u << GROUP_OBJECTS))
		return 0;
	if (p->minor < OBJECTS_SINCE)
		return error_set(err, -ENOTSUP,
				 "'%s' was built with %s: objects can be recorded from Go 1.%d on; "
				 "leave out the events of group 'objects'",
				 gobin_path(b), gobin_go_version(b), OBJECTS_SINCE);
	if (p->offsets.mspan_freeindex == GO_OFFSET_NONE ||
	    p->offsets.mspan_nelems == GO_OFFSET_NONE ||
	    p->offsets.mspan_alloc_cache == GO_OFFSET_NONE ||
	    p->offsets.mspan_gcmark_bits == GO_OFFSET_NONE)
		return error_set(err, -ENOTSUP,
				 "'%s': the fields of runtime.mspan are not known; leave out the "
				 "events of group 'objects'",
				 gobin_path(b));
	return 0;
}

static int add_points(struct plan *p, const struct gobin *b, struct error *err)
{
	size_t i;

	for (i = 0; i < COUNT(probe_specs); i++) {
		const struct probe_spec *spec = &probe_specs[i];
		struct error why;
		int r;

		if (!plan_wants(p, plan_group_of(spec->program), spec->since, spec->until))
			continue;
		r = plan_add_spec(p, b, spec, &why);
		if (!r || (r == -ENOENT && spec->need == IF_LINKED))
			continue;
		if (r == -ENOENT && plan_inlined_probed(p, b, spec->function))
			continue;
		r = plan_lacks(p, b, spec, &why, err);
		if (r)
			return r;
	}
	return plan_probe_inlined(p, b, probe_specs, COUNT(probe_specs), err);
}

/* Assembly functions carry the suffix of their ABI in the symbol table. */
int plan_find_assembly(const struct gobin *b, const char *name, struct gobin_func *ret)
{
	char abi0[64];

	if (!gobin_func(b, name, ret))
		return 0;
	snprintf(abi0, sizeof(abi0), "%s.abi0", name);
	return gobin_func(b, abi0, ret);
}

/*
 * runtime.systemstack leaves systemstack_switch + 8 in g.sched.pc. Up to Go 1.20 it has
 * no frame of its own to find the goroutine's by.
 */
static void find_systemstack(struct plan *p, const struct gobin *b)
{
	struct gobin_func fn, leaf;

	if (p->abi != GO_ABI_PUSH || plan_find_assembly(b, "runtime.systemstack", &fn) ||
	    plan_find_assembly(b, "runtime.systemstack_switch", &leaf))
		return;
	p->systemstack_return = code_systemstack_return(b, &fn);
	p->systemstack_pc = p->systemstack_return ? leaf.addr + 8 : 0;
}

/* A part that is not found leaves the objects of these waits unknown. */
static void find_waits(struct plan *p, const struct gobin *b)
{
	const struct go_offsets *off = &p->offsets;
	bool has_channels = off->hchan_dataqsiz != GO_OFFSET_NONE &&
			    off->hchan_lock != GO_OFFSET_NONE;
	bool has_sudogs = off->sudog_g != GO_OFFSET_NONE && off->sudog_elem != GO_OFFSET_NONE &&
			  off->sudog_c != GO_OFFSET_NONE &&
			  off->sudog_waitlink != GO_OFFSET_NONE;
	/*
	 * rg and wg are told apart by the words before them (bpf/wait_object.h), which needs this
	 * layout. Up to Go 1.17 pollDesc has another one.
	 */
	bool has_polls = off->poll_fd == 8 && off->poll_wg == off->poll_rg + 8;
	bool has_slot = !sema_slot(b, &p->sema_start, &p->sema_end, &p->sema_slot);
	const bool found[] = {
		[WAIT_HOW_CHANNEL] = has_channels,
		[WAIT_HOW_SELECT] = has_channels && has_sudogs,
		[WAIT_HOW_SEMA] = has_sudogs,
		[WAIT_HOW_SEMA_SLOT] = has_sudogs && has_slot,
		[WAIT_HOW_COND] = true,
		[WAIT_HOW_NETWORK] = has_polls,
	};
	unsigned int i;

	for (i = 0; i < WAIT_REASONS; i++) {
		enum wait_how how = release_wait_how(p->minor, i);

		p->wait_hows.of[i] = found[how] ? how : WAIT_HOW_NONE;
	}
}

/* Finds the code of an assembly function; leaves @range as it is if there is none. */
static void plan_find_range(const struct gobin *b, const char *name, uint64_t range[2])
{
	struct gobin_func fn;

	if (plan_find_assembly(b, name, &fn))
		return;
	range[0] = fn.addr;
	range[1] = fn.addr + fn.size;
}

/* The largest frame that @f has at any of its instructions; -1: not known. */
static int32_t plan_largest_frame(const struct gobin *b, const struct pclntab_func *f)
{
	enum { LONGEST = 1 << 16 };
	int32_t frame = -1;
	uint64_t at;

	for (at = f->entry; at < f->end && at - f->entry < LONGEST;
	     at += gobin_arch(b)->pc_quantum) {
		int32_t delta = pclntab_sp_delta(gobin_table(b), f, at);

		if (delta > frame)
			frame = delta;
	}
	return frame;
}

/*
 * A signal that becomes a panic makes the faulting instruction look as if it had called sigpanic
 * (sigctxt.preparePanic of the runtime). A call leaves its return address on the stack: the word
 * above it was on top of the stack at the fault, and is the caller if the function has no frame.
 * With a link register the handler puts that on top of the stack itself, above the whole frame of
 * sigpanic, which begins one word below its frame pointer's.
 */
static void find_sigpanic(struct plan *p, const struct gobin *b)
{
	enum { WORD = 8 };
	struct pclntab_func f;
	int32_t frame;

	plan_find_range(b, "runtime.sigpanic", p->sigpanic);
	if (!p->sigpanic[0] || !gobin_table(b) ||
	    !pclntab_func_at(gobin_table(b), p->sigpanic[0], &f))
		return;
	frame = plan_largest_frame(b, &f);
	if (!gobin_arch(b)->has_link)
		p->sigpanic_top = 2 * WORD;
	else if (frame > 0)
		p->sigpanic_top = (uint32_t)frame + WORD;
}

static void find_roots(struct plan *p, const struct gobin *b)
{
	if (gobin_table(b)) {
		pclntab_text_range(gobin_table(b), &p->text_start, &p->text_end);
		pclntab_types_range(gobin_table(b), &p->types_start, &p->types_end);
	}
	gobin_data_range(b, &p->data_start, &p->data_end);
	if (gobin_data_symbol(b, "runtime.allgs", &p->allgs))
		p->allgs = 0;
	if (gobin_data_symbol(b, "runtime.allp", &p->allp))
		p->allp = 0;
	if (gobin_data_symbol(b, "runtime.gcphase", &p->gcphase))
		p->gcphase = 0;
	if (gobin_data_symbol(b, "runtime.mheap_", &p->mheap))
		p->mheap = stackalloc_mheap(b);
	plan_find_range(b, "runtime.futex", p->futex);
	plan_find_range(b, "runtime.usleep", p->usleep);
	plan_find_range(b, "runtime.systemstack", p->systemstack);
	find_sigpanic(p, b);
	code_tls_g(b, &p->tls_g);
}

static int plan_describe_build(struct plan *p, const struct gobin *b, struct error *err)
{
	int r;

	p->minor = gobin_go_minor(b);
	p->go_version = gobin_go_version(b);
	p->heap_live_reg = -1;
	if (!p->minor)
		return error_set(err, -ENOTSUP, "'%s' does not say which release of Go built it; "
				 "if you know, give --assume-go 1.NN", gobin_path(b));
	if (p->minor < RELEASE_OLDEST)
		return error_set(err, -ENOTSUP,
				 "'%s' was built with %s: gotap traces Go 1.%d and later",
				 gobin_path(b), gobin_go_version(b), RELEASE_OLDEST);
	r = go_offsets_for(b, false, &p->offsets, &p->offsets_source, err);
	if (r)
		return r;
	p->abi = abi_of(b);
	p->arch = gobin_arch(b);
	find_roots(p, b);
	return 0;
}

static void plan_find_http(struct plan *p, const struct gobin *b)
{
	struct gobin_func fn;

	http_layout_find(b, &p->http);
	if ((p->http.request_pattern == GO_OFFSET_NONE &&
	     p->http.request_pat == GO_OFFSET_NONE) ||
	    gobin_any_func(b, "net/http.(*ServeMux).ServeHTTP", &fn))
		return;
	p->http_mux_start = fn.addr;
	p->http_mux_end = fn.addr + fn.size;
	/* in Go 1.22 a pointer leads to the pattern, and nothing says that it is one */
	if (p->http.request_pattern != GO_OFFSET_NONE &&
	    gobin_constants(b, &p->constants_start, &p->constants_end))
		p->http_mux_return = code_call_with_kept_fourth(b, &fn);
}

static void plan_find_rate(struct plan *p, const struct gobin *b)
{
	struct profile_vars vars = {0};

	profile_vars_find(b, &vars);
	p->profile_rate = vars.rate;
}

/*
 * Go up to 1.20 on arm64: when the runtime copies a goroutine to a larger stack, it does not adjust
 * the saved frame pointers. A walk by frame pointers ends there, so that stacks lack the callers.
 */
static void plan_find_stale_frames(struct plan *p, const struct gobin *b)
{
	uint8_t since = gobin_arch(b)->frames_adjusted_since;
	struct error why;

	p->stale_frames = p->minor < since;
	if (!p->stale_frames)
		return;
	error_set(&why, -ENOTSUP, "from Go 1.%u on", since);
	plan_note_missing(p, "runtime.adjustframe", "callers in stacks that have grown", &why);
}

static int plan_fill(struct plan *p, const struct gobin *b, unsigned int groups, bool for_inline,
		     struct error *err)
{
	int r;

	*p = (struct plan){ .groups = groups, .for_inline = for_inline };
	r = plan_describe_build(p, b, err);
	if (r)
		return r;
	p->goid_before_status = release_has(p->minor, RELEASE_EARLY_GOID);
	p->syscall_bp = release_has(p->minor, RELEASE_SYSCALL_BP);
	plan_find_stale_frames(p, b);
	if (ready_skip_slot(b, &p->ready_skip_slot, NULL))
		p->ready_skip_slot = 0;
	find_systemstack(p, b);
	find_waits(p, b);
	if (groups & 1u << GROUP_HTTP)
		plan_find_http(p, b);
	if (groups & 1u << GROUP_GRPC)
		plan_find_grpc(p, b);
	if (groups & 1u << GROUP_ALLOC)
		plan_find_rate(p, b);
	note_empty_groups(p, b);
	r = check_objects(p, b, err);
	if (!r)
		r = add_points(p, b, err);
	if (!r)
		r = plan_sites(p, b, err);
	if (!r && for_inline)
		r = plan_inline(p, b, err);
	return r;
}

int plan_describe(struct plan *p, const struct gobin *b, struct error *err)
{
	*p = (struct plan){0};
	return plan_describe_build(p, b, err);
}

int plan_make(struct plan *p, const struct gobin *b, unsigned int groups, struct error *err)
{
	return plan_fill(p, b, groups, false, err);
}

int plan_make_inline(struct plan *p, const struct gobin *b, unsigned int groups, struct error *err)
{
	return plan_fill(p, b, groups, true, err);
}

void plan_release(struct plan *p)
{
	vec_free(&p->not_inline);
	vec_free(&p->points);
	vec_free(&p->regions);
	vec_free(&p->sites);
	vec_free(&p->missing);
}

bool plan_has_program(const struct plan *p, enum program program)
{
	size_t i;

	for (i = 0; i < p->points.len; i++)
		if (vec_at(&p->points, struct probe_point, i)->program == program)
			return true;
	return false;
}
