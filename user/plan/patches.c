// SPDX-License-Identifier: Apache-2.0
/*
 * patches: a plan for `--attach inline`. In: a plan as plan_make() has it. Out: the same one, in
 * which frequent probes sit at instructions with an operand that can be patched, and for those that
 * do not the reason. A probe at the start of a function goes to the calls of it, if nothing but
 * these calls leads to the function: one that came another way would be missed.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "plan/internal.h"

/* Indexed by enum inline_program. */
static const enum program inline_programs[INLINE_PROGRAMS] = {
#define INLINE_PROGRAM(name) [INLINE_##name] = PROGRAM_##name,
#include "inline.def"
#undef INLINE_PROGRAM
};

enum program plan_inline_program(enum inline_program which)
{
	return inline_programs[which];
}

/* Groups that can be frequent, of which no program is in inline.def. */
static const struct {
	enum group group;
	const char *name;
} outside[] = {
	{ GROUP_SWEEP, "group sweep" },
	{ GROUP_LABELS, "group labels" },
	{ GROUP_STACKS, "group stacks" },
	{ GROUP_SPANS, "group spans" },
	{ GROUP_OBJECTS, "group objects" },
};

struct work {
	struct plan *p;
	const struct gobin *b;
	struct vec starts;	/* uint64_t: of functions that have a probe at their start */
	struct vec refs;	/* struct reference: to these */
};

static struct probe_point *patches_point_at(const struct plan *p, size_t i)
{
	return vec_at(&p->points, struct probe_point, i);
}

size_t plan_inline_count(const struct plan *p)
{
	size_t i, n = 0;

	for (i = 0; i < p->points.len; i++)
		n += patches_point_at(p, i)->patch != PATCH_NONE;
	return n;
}

static bool patches_is_noted(const struct plan *p, const char *function)
{
	size_t i;

	for (i = 0; i < p->not_inline.len; i++)
		if (!strcmp(vec_at(&p->not_inline, struct not_inline, i)->function, function))
			return true;
	return false;
}

void plan_note_not_inline(struct plan *p, const char *function, const char *fmt, ...)
{
	struct not_inline *note;
	va_list ap;

	if (patches_is_noted(p, function))
		return;
	note = vec_push(&p->not_inline, sizeof(*note));
	note->function = function;
	va_start(ap, fmt);
	vsnprintf(note->why, sizeof(note->why), fmt, ap);
	va_end(ap);
}

bool plan_patch_call(const struct gobin *b, struct probe_point *point)
{
	uint64_t target;

	if (!code_is_call(b, point->addr, &target))
		return false;
	point->patch = PATCH_CALL;
	point->patch_target = target;
	point->len = ARCH_CALL_LEN;
	memcpy(point->bytes, gobin_bytes(b, point->addr, ARCH_CALL_LEN), ARCH_CALL_LEN);
	return true;
}

/* --- from the start of a function to its calls --- */

static bool patches_is_at_start(const struct work *w, const struct probe_point *point,
			       struct gobin_func *fn)
{
	uint64_t target;

	return !code_is_call(w->b, point->addr, &target) && !gobin_func_at(w->b, point->addr, fn);
}

static void patches_add_start(struct work *w, uint64_t addr)
{
	size_t i;

	for (i = 0; i < w->starts.len; i++)
		if (*vec_at(&w->starts, uint64_t, i) == addr)
			return;
	*(uint64_t *)vec_push(&w->starts, sizeof(addr)) = addr;
}

/*
 * Does the program move its probe? With uprobes the probe is at the start of a function, inline at
 * an instruction.
 */
static bool patches_moves(enum inline_program which)
{
	return which != INLINE_NONE && which != INLINE_casgstatus && which != INLINE_syscall_exit &&
	       which != INLINE_coroswitch && which != INLINE_assist_end &&
	       which != INLINE_heap_goal;
}

static enum inline_program inline_program_of(enum program program)
{
	size_t i;

	for (i = INLINE_NONE + 1; i < INLINE_PROGRAMS; i++)
		if (inline_programs[i] == program)
			return (enum inline_program)i;
	return INLINE_NONE;
}

static void find_starts(struct work *w)
{
	struct gobin_func fn;
	size_t i;

	for (i = 0; i < w->p->points.len; i++) {
		const struct probe_point *point = patches_point_at(w->p, i);

		if ((patches_moves(inline_program_of(point->program)) ||
		     point->program == PROGRAM_coroswitch) &&
		    patches_is_at_start(w, point, &fn))
			patches_add_start(w, fn.addr);
	}
}

static bool refers_to(const struct work *w, const struct reference *ref,
		      const struct gobin_func *fn)
{
	return *vec_at(&w->starts, uint64_t, ref->to) == fn->addr;
}

/* Do only calls lead to @fn, and not so many that the sites would not do? */
static bool is_only_called(struct work *w, const struct gobin_func *fn)
{
	size_t i, calls = 0;

	for (i = 0; i < w->refs.len; i++) {
		const struct reference *ref = vec_at(&w->refs, struct reference, i);

		if (!refers_to(w, ref, fn))
			continue;
		if (ref->kind != REFERENCE_CALL) {
			plan_note_not_inline(w->p, fn->name, "it is %s at 0x%llx%s%.40s",
					     reference_kind_name(ref->kind),
					     (unsigned long long)ref->addr,
					     *ref->func.name ? ", in " : "", ref->func.name);
			return false;
		}
		calls++;
	}
	if (!calls)
		plan_note_not_inline(w->p, fn->name, "nothing in the program's code calls it");
	else if (plan_inline_count(w->p) + calls > INLINE_SITES)
		plan_note_not_inline(w->p, fn->name, "it is called at %zu places, too many", calls);
	else
		return true;
	return false;
}

static bool all_are_only_called(struct work *w, enum program program)
{
	struct gobin_func fn;
	bool all = false;
	size_t i;

	for (i = 0; i < w->p->points.len; i++) {
		const struct probe_point *point = patches_point_at(w->p, i);

		if (point->program != program || !patches_is_at_start(w, point, &fn))
			continue;
		if (!is_only_called(w, &fn))
			return false;
		all = true;
	}
	return all;
}

static int add_call(struct work *w, enum program program, const struct gobin_func *fn,
		    const struct reference *ref, struct error *err)
{
	struct probe_point point = { .program = program,
				     .function = ref->func.name,
				     .addr = ref->addr };

	snprintf(point.site, sizeof(point.site), "call of %.50s at +0x%x", fn->name,
		 (unsigned int)(ref->addr - ref->func.addr));
	if (!plan_patch_call(w->b, &point))
		return error_set(err, -ENOTSUP, "%s has changed while it was read",
				 gobin_path(w->b));
	return plan_add_point(w->p, w->b, &point, err);
}

static int add_calls(struct work *w, enum program program, const struct gobin_func *fn,
		     struct error *err)
{
	size_t i;
	int r = 0;

	for (i = 0; i < w->refs.len && !r; i++)
		if (refers_to(w, vec_at(&w->refs, struct reference, i), fn))
			r = add_call(w, program, fn, vec_at(&w->refs, struct reference, i), err);
	return r;
}

static void remove_point(struct plan *p, size_t i)
{
	memmove(patches_point_at(p, i), patches_point_at(p, i + 1),
		(p->points.len - i - 1) * sizeof(struct probe_point));
	p->points.len--;
}

/*
 * All that are at a start, or none: the program knows of all of its probes together whether it runs
 * at a call or behind it.
 */
static int move_program(struct work *w, enum inline_program which, struct error *err)
{
	enum program program = inline_programs[which];
	size_t i, left = w->p->points.len;
	struct gobin_func fn;
	int r = 0;

	if (!all_are_only_called(w, program))
		return 0;
	for (i = 0; left && !r; left--) {
		if (patches_point_at(w->p, i)->program != program ||
		    !patches_is_at_start(w, patches_point_at(w->p, i), &fn)) {
			i++;
			continue;
		}
		remove_point(w->p, i);
		r = add_calls(w, program, &fn, err);
	}
	w->p->at_calls |= 1u << which;
	return r;
}

/* A probe that sits at a call in any case: of preemptPark, where -pgo has inlined it. */
static void patch_calls(struct plan *p, const struct gobin *b)
{
	size_t i;

	for (i = 0; i < p->points.len; i++)
		if (patches_moves(inline_program_of(patches_point_at(p, i)->program)))
			plan_patch_call(b, patches_point_at(p, i));
}

static int patches_move_to_calls(struct work *w, struct error *err)
{
	size_t i;
	int r;

	find_starts(w);
	r = references_find(w->b, w->starts.data, w->starts.len, &w->refs);
	if (r) {
		plan_note_not_inline(
			w->p, "runtime",
			"the program cannot be searched for what leads to its functions");
		return 0;
	}
	for (i = 0; i < INLINE_PROGRAMS && !r; i++)
		if (patches_moves((enum inline_program)i))
			r = move_program(w, (enum inline_program)i, err);
	patch_calls(w->p, w->b);
	return r;
}

/* --- coroswitch_m, which only mcall calls, in coroswitch and coroexit --- */

/*
 * The one place in data that has the address of @fn: its function value. 0 if anything else leads
 * to it.
 */
static uint64_t function_value(struct work *w, const struct gobin_func *fn)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < w->refs.len; i++) {
		const struct reference *ref = vec_at(&w->refs, struct reference, i);

		if (!refers_to(w, ref, fn))
			continue;
		if (ref->kind != REFERENCE_POINTER || (value && value != ref->addr))
			return 0;
		value = ref->addr;
	}
	return value;
}

static int add_mcall(struct work *w, const struct gobin_func *mcall, const struct reference *ref,
		     struct error *err)
{
	struct probe_point point = { .program = PROGRAM_coroswitch, .function = ref->func.name };

	if (!code_is_argument(w->b, ref->addr, mcall->addr, &point.addr) ||
	    !plan_patch_call(w->b, &point))
		return -ENOENT;
	snprintf(point.site, sizeof(point.site), "call of runtime.mcall at +0x%x",
		 (unsigned int)(point.addr - ref->func.addr));
	return plan_add_point(w->p, w->b, &point, err);
}

/*
 * A point at each call of mcall that the function value is for; -ENOENT if it is used in another
 * way.
 */
static int add_mcalls(struct work *w, uint64_t value, struct error *err)
{
	struct vec refs = {0};
	struct gobin_func mcall;
	size_t i;
	int r = -ENOENT;

	if (!gobin_func(w->b, "runtime.mcall", &mcall) && !references_find(w->b, &value, 1, &refs))
		for (i = 0, r = refs.len ? 0 : -ENOENT; i < refs.len && !r; i++)
			r = add_mcall(w, &mcall, vec_at(&refs, struct reference, i), err);
	vec_free(&refs);
	return r;
}

static size_t find_point(const struct plan *p, enum program program)
{
	size_t i;

	for (i = 0; i < p->points.len && patches_point_at(p, i)->program != program; i++)
		;
	return i;
}

static int move_coroswitch(struct work *w, struct error *err)
{
	size_t at = find_point(w->p, PROGRAM_coroswitch), n = w->p->points.len;
	struct gobin_func fn;
	uint64_t value;
	int r;

	if (at == n || gobin_func_at(w->b, patches_point_at(w->p, at)->addr, &fn))
		return 0;
	value = function_value(w, &fn);
	r = value ? add_mcalls(w, value, err) : -ENOENT;
	if (r == -ENOENT) {
		w->p->points.len = n;
		plan_note_not_inline(w->p, fn.name,
				     "it is not only called by mcall in coroswitch and coroexit");
		return 0;
	}
	w->p->coro_start = *patches_point_at(w->p, at);
	remove_point(w->p, at);
	w->p->at_calls |= 1u << INLINE_coroswitch;
	return r;
}

/* --- questions to the runtime's tracer --- */

static int add_hook_call(struct work *w, enum program program, const struct trace_hook *hook,
			 const struct gobin_func *fn, struct error *err)
{
	struct probe_point point = { .program = program, .function = fn->name, .addr = hook->call };

	snprintf(point.site, sizeof(point.site), "call of %s at +0x%x", hook->callee,
		 (unsigned int)(hook->call - fn->addr));
	plan_patch_call(w->b, &point);
	return plan_add_point(w->p, w->b, &point, err);
}

static int add_flag_test(struct work *w, enum program program, const struct trace_hook *hook,
			 const struct gobin_func *fn, struct error *err)
{
	struct probe_point point = {
		.program = program, .function = fn->name, .addr = hook->test,
		.patch = PATCH_FLAG, .len = HOOK_TEST_LEN, .patch_target = hook->flag,
	};

	snprintf(point.site, sizeof(point.site), "test of trace.enabled at +0x%x",
		 (unsigned int)(hook->test - fn->addr));
	memcpy(point.bytes, gobin_bytes(w->b, hook->test, HOOK_TEST_LEN), HOOK_TEST_LEN);
	return plan_add_point(w->p, w->b, &point, err);
}

/* The test of the flag, and as the next point the call behind it. */
static int add_hook(struct work *w, enum program program, const struct trace_hook *hook,
		    const struct gobin_func *fn, struct error *err)
{
	size_t at = w->p->points.len;
	int r;

	if (!hook->test)
		return add_hook_call(w, program, hook, fn, err);
	r = add_flag_test(w, program, hook, fn, err);
	if (!r)
		r = add_hook_call(w, PROGRAM_guard, hook, fn, err);
	if (!r)
		patches_point_at(w->p, at + 1)->patch = PATCH_HOOK_CALL;
	return r;
}

/* exitsyscall since Go 1.26 asks where it has kept its P. */
static int move_syscall_exit(struct work *w, struct error *err)
{
	size_t at = find_point(w->p, PROGRAM_syscall_exit);
	struct exit_site site;
	struct trace_hook hook;
	struct gobin_func fn;
	struct error why;

	if (at == w->p->points.len || gobin_func_at(w->b, patches_point_at(w->p, at)->addr, &fn))
		return 0;
	if (exitsyscall_site(w->b, &w->p->offsets, &site, &why) ||
	    exitsyscall_hook(w->b, &site, &hook, &why)) {
		plan_note_not_inline(w->p, fn.name, "%.120s", why.text);
		return 0;
	}
	w->p->exit_jump = *patches_point_at(w->p, at);
	w->p->exit_jump_p_reg = w->p->exitsyscall_p_reg;
	remove_point(w->p, at);
	w->p->exitsyscall_p_reg = EXITSYSCALL_P_OF_M;
	return add_hook(w, PROGRAM_syscall_exit, &hook, &fn, err);
}

/*
 * gcAssistAlloc since Go 1.23 asks where an assist ends, by the flag; Go 1.22 by a counter of
 * generations.
 */
static int find_assist_hooks(const struct work *w, const struct gobin_func *fn, struct vec *ret)
{
	if (w->p->offsets.g_in_mark_assist == GO_OFFSET_NONE)
		return -ENOTSUP;
	return assist_hooks(w->b, fn, (int32_t)w->p->offsets.g_in_mark_assist, ret);
}

static void remove_points(struct plan *p, enum program program)
{
	size_t at;

	while ((at = find_point(p, program)) < p->points.len)
		remove_point(p, at);
}

static int move_assist_end(struct work *w, struct error *err)
{
	struct vec hooks = {0};
	struct gobin_func fn;
	size_t i;
	int r = 0;

	if (find_point(w->p, PROGRAM_assist_end) == w->p->points.len ||
	    gobin_func(w->b, "runtime.gcAssistAlloc", &fn))
		return 0;
	if (find_assist_hooks(w, &fn, &hooks)) {
		plan_note_not_inline(w->p, fn.name,
				     "it does not ask in the known way whether to trace");
	} else {
		remove_points(w->p, PROGRAM_assist_end);
		for (i = 0; i < hooks.len && !r; i++)
			r = add_hook(w, PROGRAM_assist_end, vec_at(&hooks, struct trace_hook, i),
				     &fn, err);
	}
	vec_free(&hooks);
	return r;
}

/* --- the heap goal, a result that gcControllerCommit still has where it calls gcPaceSweeper --- */

static int move_heap_goal(struct work *w, struct error *err)
{
	size_t at = find_point(w->p, PROGRAM_heap_goal);
	struct probe_point point = { .program = PROGRAM_heap_goal };
	struct gobin_func fn, callee;

	if (at == w->p->points.len || gobin_func(w->b, patches_point_at(w->p, at)->function, &fn))
		return 0;
	point.function = patches_point_at(w->p, at)->function;
	point.addr = code_call_with_second(w->b, &fn, patches_point_at(w->p, at)->addr);
	if (!point.addr || !plan_patch_call(w->b, &point) ||
	    gobin_func_at(w->b, point.patch_target, &callee)) {
		plan_note_not_inline(w->p, point.function, "it keeps the heap goal for no call");
		return 0;
	}
	snprintf(point.site, sizeof(point.site), "call of %.50s at +0x%x", callee.name,
		 (unsigned int)(point.addr - fn.addr));
	remove_point(w->p, at);
	return plan_add_point(w->p, w->b, &point, err);
}

/*
 * Each of the two points of a question has the index of the other, once no more points come or go.
 */
static void pair_hooks(struct plan *p)
{
	size_t i;

	for (i = 0; i + 1 < p->points.len; i++) {
		if (patches_point_at(p, i)->patch != PATCH_FLAG)
			continue;
		patches_point_at(p, i)->hook = i + 1;
		patches_point_at(p, i + 1)->hook = i;
	}
}

/* --- back, for plugins --- */

static void patches_put_back(struct plan *p, enum program program, struct probe_point *start)
{
	remove_points(p, program);
	*(struct probe_point *)vec_push(&p->points, sizeof(*start)) = *start;
	plan_note_not_inline(p, start->function, "a plugin has it in another form");
	*start = (struct probe_point){0};
}

void plan_inline_like(struct plan *p, const struct plan *plugin)
{
	size_t exit;

	if (p->coro_start.file_offset && !plugin->coro_start.file_offset &&
	    find_point(plugin, PROGRAM_coroswitch) < plugin->points.len) {
		patches_put_back(p, PROGRAM_coroswitch, &p->coro_start);
		p->at_calls &= ~(1u << INLINE_coroswitch);
	}
	if (p->exit_jump.file_offset && !plugin->exit_jump.file_offset) {
		exit = find_point(p, PROGRAM_syscall_exit);
		if (patches_point_at(p, exit)->patch == PATCH_FLAG)
			remove_point(p, exit + 1);
		patches_put_back(p, PROGRAM_syscall_exit, &p->exit_jump);
		p->exitsyscall_p_reg = p->exit_jump_p_reg;
	}
	pair_hooks(p);
}

/* --- operands that lie in two pages --- */

/*
 * The kernel writes into another process page by page (__access_remote_vm() in mm/memory.c), and a
 * fatal signal can end it in between: a call would be left that leads nowhere
 * (user/inline/patch.h). Addresses in the process differ from those of the file by whole pages.
 */
static bool inline_is_torn(const struct probe_point *point)
{
	enum { PAGE = 4096, OPERAND = 4 };
	uint64_t operand = point->addr + point->len - OPERAND;

	return operand / PAGE != (operand + OPERAND - 1) / PAGE;
}

/*
 * Such a call keeps its uprobe, alone: a point without a patch has a link of its own in the kernel
 * (attach/links.c).
 */
static void inline_keep_torn(struct plan *p)
{
	size_t i;

	for (i = 0; i < p->points.len; i++) {
		struct probe_point *point = patches_point_at(p, i);

		if (point->patch != PATCH_CALL || !inline_is_torn(point))
			continue;
		point->patch = PATCH_NONE;
		plan_note_not_inline(
			p, point->function,
			"the operand of the call at 0x%llx lies in two pages of memory",
			(unsigned long long)point->addr);
	}
}

/* --- the rest --- */

static bool is_of_pgo(enum program program)
{
	return !strncmp(program_name(program), "inlined_", strlen("inlined_"));
}

/* A line for each frequent probe that stays, unless it has one. */
static void note_rest(struct plan *p)
{
	size_t i, j;

	for (i = 0; i < p->points.len; i++) {
		const struct probe_point *point = patches_point_at(p, i);

		if (point->patch)
			continue;
		if (inline_program_of(point->program))
			plan_note_not_inline(p, point->function,
					     "no instruction there has an operand to patch");
		else if (is_of_pgo(point->program))
			plan_note_not_inline(
				p, point->function,
				"-pgo has inlined a function into it that would be probed");
		for (j = 0; j < COUNT(outside); j++)
			if (plan_group_of(point->program) == outside[j].group)
				plan_note_not_inline(p, outside[j].name,
						     "its probes cannot run inside the program");
	}
}

int plan_inline(struct plan *p, const struct gobin *b, struct error *err)
{
	struct work w = { .p = p, .b = b };
	int r = 0;

	if (p->abi == GO_ABI_STACK) {
		plan_note_not_inline(p, "runtime", "Go up to 1.16 passes arguments on the stack");
		return 0;
	}
	r = patches_move_to_calls(&w, err);
	if (!r)
		r = move_coroswitch(&w, err);
	if (!r)
		r = move_syscall_exit(&w, err);
	if (!r)
		r = move_assist_end(&w, err);
	if (!r)
		r = move_heap_goal(&w, err);
	pair_hooks(p);
	inline_keep_torn(p);
	if (!r)
		note_rest(p);
	vec_free(&w.starts);
	vec_free(&w.refs);
	return r;
}
