// SPDX-License-Identifier: Apache-2.0
/*
 * plan: see plan.h. Here: the probes (probes.def) and the knobs; call sites are in
 * sites.c, what -pgo has inlined in inlining.c.
 */
#define _GNU_SOURCE
#include "plan/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "symbol/pclntab.h"
#include "target/assist.h"
#include "target/callsites.h"
#include "target/exitsyscall.h"
#include "target/offsets.h"
#include "target/prologue.h"
#include "target/ready_skip.h"
#include "target/stackalloc.h"
#include "target/x86_insn.h"

static const struct probe_spec probe_specs[] = {
#define PROBE(program, function, group, ...) \
	{ PROGRAM_##program, function, GROUP_##group, __VA_ARGS__ },
#include "plan/probes.def"
#undef PROBE
};

/*
 * Programs that sit at a call and not at the start of a function. AT the call of
 * @callee in the probed function; right AFTER it, where its results are in
 * registers; or after every CALL of the probed function, wherever it is.
 * These run rarely: an instruction that the kernel must step through does not matter.
 */
enum call_place { AT_CALL, AFTER_CALL, AFTER_CALLS };

static const struct call_spec {
	enum program program;
	enum call_place place;
	const char *callee;
} call_specs[] = {
	/* The runtime's tracer tells the end just before this call (1.19 to 1.27). */
	{ PROGRAM_stw_end, AT_CALL, "runtime.wakep" },
	/* gcControllerCommit: the goal that it has just traced is the second result. */
	{ PROGRAM_heap_goal, AFTER_CALL, "runtime.(*gcControllerState).trigger" },
	{ PROGRAM_assist_end, AFTER_CALLS, NULL },	/* up to Go 1.21 */
	{ PROGRAM_sweep_freed, AT_CALL, "runtime.newMarkBits" },
	{ PROGRAM_sweep_looked, AT_CALL, "runtime.(*activeSweep).end" },
	{ PROGRAM_sweep_chunk, AFTER_CALL, "runtime.(*mheap).reclaimChunk" },
};

const char *program_name(enum program p)
{
	static const char *const names[PROGRAMS] = {
		"casgstatus", "proc_start", "proc_stop", "preempt_park", "syscall_enter",
		"syscall_exit", "proc_steal", "proc_handoff", "coroswitch", "procs_change",
		"stw_begin", "stw_end", "gc_begin", "assist_begin", "assist_end", "heap_update",
		"heap_reset", "heap_goal",
		"sweep_span", "sweep_freed", "sweep_call", "sweep_looked", "sweep_chunk",
		"user_task_begin", "user_task_end", "user_region", "user_log", "gstack_alloc",
		"gstack_free", "span_alloc", "span_free", "host_enter", "host_result",
		"host_runqput", "host_list", "host_syscall", "host_sys_exit", "host_p_stop",
		"host_heap", "host_assist",
	};

	return names[p];
}

const char *plan_group_function(enum group g, size_t i)
{
	size_t j;

	for (j = 0; j < COUNT(probe_specs); j++)
		if (probe_specs[j].group == g && !i--)
			return probe_specs[j].function;
	return NULL;
}

enum group plan_group_of(enum program program)
{
	size_t i;

	for (i = 0; i < COUNT(probe_specs); i++)
		if (probe_specs[i].program == program)
			return probe_specs[i].group;
	return GROUP_SCHED;	/* inlining.def */
}

bool plan_wants(const struct plan *p, enum group group, int since, int until)
{
	return (p->groups & 1u << group) && release_in(p->minor, since, until);
}

/* --- probe sites --- */

static enum go_abi abi_of(int minor)
{
	return release_has(minor, RELEASE_FRAME_PUSH) ? GO_ABI_PUSH :
	       release_has(minor, RELEASE_REGISTER_ARGS) ? GO_ABI_CHECK : GO_ABI_STACK;
}

/* Is @site what bpf/goabi.h takes for granted? */
static bool site_fits(const struct plan *p, enum program program, const struct site *site)
{
	const uint16_t used = 1 << X86_RAX | 1 << X86_RBX | 1 << X86_RCX | 1 << X86_RDI |
			      1 << X86_RSI | 1 << X86_R14;

	if (p->abi == GO_ABI_PUSH)
		return site->kind == SITE_PUSH_RBP && !site->frame;
	if (p->abi == GO_ABI_CHECK && (site->lost_regs & used))
		return false;
	if (program == PROGRAM_casgstatus)
		return site->kind == SITE_JCC && site->frame && !site->drop_taken;
	return site->drop_taken && !site->frame;
}

static int find_prologue(const struct plan *p, const struct gobin *b, enum program program,
			 const struct gobin_func *fn, uint32_t *offset, char text[80],
			 struct error *err)
{
	struct site site;
	int r = prologue_site_of(b, fn, &site, err);

	if (r)
		return r;
	if (!site_fits(p, program, &site))
		return error_set(err, -ENOTSUP, "the start of %s is unlike that of any known Go "
				 "(%s)", fn->name, site.text);
	*offset = site.offset;
	memcpy(text, site.text, sizeof(site.text));
	return 0;
}

static int find_exit_jump(struct plan *p, const struct gobin *b, uint32_t *offset, char text[80],
			  struct error *err)
{
	struct exit_site site;
	int r = exitsyscall_site(b, &p->offsets, &site, err);

	if (r)
		return r;
	p->exitsyscall_p_reg = site.pp_reg;
	*offset = site.offset;
	snprintf(text, 80, "%s at +0x%x", site.cond == 4 ? "je" : "jne", site.offset);
	return 0;
}

static int find_stack_jump(struct plan *p, const struct gobin *b, uint32_t *offset,
			   char text[80], struct error *err)
{
	struct stackalloc_site site;
	int r = stackalloc_site(b, &site, err);

	if (r)
		return r;
	p->gstack_lo = site.lo;
	p->gstack_size = site.size;
	*offset = site.offset;
	snprintf(text, 80, "jump at +0x%x", site.offset);
	return 0;
}

int plan_add_point(struct plan *p, const struct gobin *b, struct probe_point *point,
		   struct error *err)
{
	int r = gobin_file_offset(b, point->addr, &point->file_offset);

	if (r)
		return error_set(err, r, "%s lies outside the file", point->function);
	*(struct probe_point *)vec_push(&p->points, sizeof(*point)) = *point;
	return 0;
}

int plan_add_entry(struct plan *p, const struct gobin *b, enum program program,
		   const struct gobin_func *fn, uint64_t *addr, struct error *err)
{
	struct probe_point point = { .program = program, .function = fn->name };
	uint32_t offset;
	int r = find_prologue(p, b, program, fn, &offset, point.site, err);

	if (r)
		return r;
	*addr = point.addr = fn->addr + offset;
	return plan_add_point(p, b, &point, err);
}

static const struct call_spec *call_spec_of(enum program program)
{
	size_t i;

	for (i = 0; i < COUNT(call_specs); i++)
		if (call_specs[i].program == program)
			return &call_specs[i];
	return NULL;
}

static int add_after_calls(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
			   const struct gobin_func *fn, struct error *err)
{
	struct vec calls = {0};
	size_t i;
	int r = 0;

	callsites_find(b, fn->addr, &calls);
	for (i = 0; i < calls.len && !r; i++) {
		const struct callsite *c = vec_at(&calls, struct callsite, i);
		struct probe_point point = { .program = spec->program, .function = c->func.name,
					     .addr = c->return_addr };

		snprintf(point.site, sizeof(point.site), "after call of %s", spec->function);
		r = plan_add_point(p, b, &point, err);
	}
	if (!calls.len)
		r = error_set(err, -ENOENT, "nobody calls %s", spec->function);
	vec_free(&calls);
	return r;
}

/* The instructions that only an assist gets to; -ENOTSUP up to Go 1.21, or if they are not found. */
static int add_assist_ends(struct plan *p, const struct gobin *b, const struct gobin_func *fn,
			   struct error *err)
{
	struct vec ends = {0};
	size_t i;
	int r = -ENOTSUP;

	if (p->offsets.g_in_mark_assist != GO_OFFSET_NONE)
		r = assist_ends(b, fn, (int32_t)p->offsets.g_in_mark_assist, &ends);
	for (i = 0; i < ends.len && !r; i++) {
		uint32_t offset = *vec_at(&ends, uint32_t, i);
		struct probe_point point = { .program = PROGRAM_assist_end, .function = fn->name,
					     .addr = fn->addr + offset };

		snprintf(point.site, sizeof(point.site), "movb $0,inMarkAssist at +0x%x", offset);
		r = plan_add_point(p, b, &point, err);
	}
	vec_free(&ends);
	return r;
}

static int add_call_point(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
			  const struct call_spec *call, const struct gobin_func *fn,
			  struct error *err)
{
	struct probe_point point = { .program = spec->program, .function = spec->function };
	struct gobin_func callee;
	uint64_t ret = 0;

	if (spec->program == PROGRAM_assist_end && !add_assist_ends(p, b, fn, err))
		return 0;
	if (call->place == AFTER_CALLS)
		return add_after_calls(p, b, spec, fn, err);
	if (!gobin_func(b, call->callee, &callee))
		ret = callsites_first(b, fn, callee.addr);
	if (!ret)
		return error_set(err, -ENOENT, "%s does not call %s", spec->function, call->callee);
	point.addr = call->place == AT_CALL ? ret - 5 : ret;
	snprintf(point.site, sizeof(point.site), "%scall of %s at +0x%x",
		 call->place == AT_CALL ? "" : "after ", call->callee,
		 (unsigned int)(point.addr - fn->addr));
	return plan_add_point(p, b, &point, err);
}

static int add_point(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
		     struct error *err)
{
	struct probe_point point = { .program = spec->program, .function = spec->function };
	const struct call_spec *call = call_spec_of(spec->program);
	struct gobin_func fn;
	uint32_t offset = 0;
	int r;

	if (gobin_func(b, spec->function, &fn))
		return error_set(err, -ENOENT, "%s is not in the binary", spec->function);
	if (call)
		return add_call_point(p, b, spec, call, &fn, err);
	if (spec->program == PROGRAM_syscall_exit)
		r = find_exit_jump(p, b, &offset, point.site, err);
	else if (spec->program == PROGRAM_gstack_alloc)
		r = find_stack_jump(p, b, &offset, point.site, err);
	else
		r = find_prologue(p, b, spec->program, &fn, &offset, point.site, err);
	if (r)
		return r;
	point.addr = fn.addr + offset;
	return plan_add_point(p, b, &point, err);
}

void plan_note_missing(struct plan *p, const char *function, const char *lacks,
		       const struct error *why)
{
	struct missing_probe *missing;
	size_t i;

	for (i = 0; i < p->missing.len; i++)
		if (!strcmp(vec_at(&p->missing, struct missing_probe, i)->function, function))
			return;
	missing = vec_push(&p->missing, sizeof(*missing));
	missing->function = function;
	missing->lacks = lacks;
	snprintf(missing->why, sizeof(missing->why), "%.127s", why->text);
}

int plan_lacks(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
	       const struct error *why, struct error *err)
{
	if (spec->need == REQUIRED)
		return error_set(err, -ENOTSUP, "cannot probe '%s' (%s): %.300s", gobin_path(b),
				 gobin_go_version(b), why->text);
	plan_note_missing(p, spec->function, spec->lacks, why);
	return 0;
}

static bool group_has_probes(const struct plan *p, enum group g)
{
	size_t i;

	for (i = 0; i < COUNT(probe_specs); i++)
		if (probe_specs[i].group == g &&
		    plan_wants(p, g, probe_specs[i].since, probe_specs[i].until))
			return true;
	return false;
}

/* A group of which this release has nothing: asked for, it must not just be silent. */
static void note_empty_groups(struct plan *p, const struct gobin *b)
{
	struct error why, unused;
	size_t i;

	for (i = 0; i < COUNT(probe_specs); i++) {
		const struct probe_spec *spec = &probe_specs[i];

		if (!(p->groups & 1u << spec->group) || group_has_probes(p, spec->group))
			continue;
		error_set(&why, -ENOTSUP, "from Go 1.%d on", spec->since);
		plan_lacks(p, b, spec, &why, &unused);
	}
}

static int add_points(struct plan *p, const struct gobin *b, struct error *err)
{
	size_t i;

	for (i = 0; i < COUNT(probe_specs); i++) {
		const struct probe_spec *spec = &probe_specs[i];
		struct error why;
		int r;

		if (!plan_wants(p, spec->group, spec->since, spec->until))
			continue;
		r = add_point(p, b, spec, &why);
		if (!r || (r == -ENOENT && spec->need == IF_LINKED))
			continue;
		if (r == -ENOENT && plan_host_probed(p, b, spec->function))
			continue;
		r = plan_lacks(p, b, spec, &why, err);
		if (r)
			return r;
	}
	return plan_probe_hosts(p, b, probe_specs, COUNT(probe_specs), err);
}

/* Assembly functions carry the suffix of their ABI in the symbol table. */
static int find_assembly(const struct gobin *b, const char *name, struct gobin_func *ret)
{
	char abi0[64];

	if (!gobin_func(b, name, ret))
		return 0;
	snprintf(abi0, sizeof(abi0), "%s.abi0", name);
	return gobin_func(b, abi0, ret);
}

/*
 * runtime.systemstack (asm_amd64.s) has one indirect call through RDI, of the
 * function that it runs on the system stack. It leaves systemstack_switch + 8
 * in g.sched.pc. Up to Go 1.20 it has no frame of its own to find there.
 */
static void find_systemstack(struct plan *p, const struct gobin *b)
{
	static const uint8_t call_rdi[] = { 0xff, 0xd7 };
	struct gobin_func fn, leaf;
	const uint8_t *code, *at;

	if (p->abi != GO_ABI_PUSH || find_assembly(b, "runtime.systemstack", &fn) ||
	    find_assembly(b, "runtime.systemstack_switch", &leaf))
		return;
	code = gobin_bytes(b, fn.addr, fn.size);
	at = code ? memmem(code, fn.size, call_rdi, sizeof(call_rdi)) : NULL;
	if (!at || memmem(at + 2, fn.size - (size_t)(at + 2 - code), call_rdi, sizeof(call_rdi)))
		return;
	p->systemstack_return = fn.addr + (uint64_t)(at + 2 - code);
	p->systemstack_pc = leaf.addr + 8;
}

static void find_roots(struct plan *p, const struct gobin *b)
{
	if (gobin_table(b))
		pclntab_text_range(gobin_table(b), &p->text_start, &p->text_end);
	gobin_data_range(b, &p->data_start, &p->data_end);
	if (gobin_data_symbol(b, "runtime.allgs", &p->allgs))
		p->allgs = 0;
	if (gobin_data_symbol(b, "runtime.allp", &p->allp))
		p->allp = 0;
	if (gobin_data_symbol(b, "runtime.gcphase", &p->gcphase))
		p->gcphase = 0;
	if (gobin_data_symbol(b, "runtime.mheap_", &p->mheap))
		p->mheap = stackalloc_mheap(b);
}

int plan_make(struct plan *p, const struct gobin *b, unsigned int groups, struct error *err)
{
	int r;

	*p = (struct plan){
		.minor = gobin_go_minor(b),
		.go_version = gobin_go_version(b),
		.groups = groups,
		.heap_live_reg = -1,
	};
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
	p->abi = abi_of(p->minor);
	p->goid_before_status = release_has(p->minor, RELEASE_EARLY_GOID);
	p->syscall_bp = release_has(p->minor, RELEASE_SYSCALL_BP);
	if (ready_skip_slot(b, &p->ready_skip_slot, NULL))
		p->ready_skip_slot = 0;
	find_roots(p, b);
	find_systemstack(p, b);
	note_empty_groups(p, b);
	r = add_points(p, b, err);
	if (!r)
		r = plan_sites(p, b, err);
	return r;
}

void plan_release(struct plan *p)
{
	vec_free(&p->points);
	vec_free(&p->sites);
	vec_free(&p->missing);
}
