// SPDX-License-Identifier: Apache-2.0
/*
 * patches: a plan for `--attach inline`. In: a plan as plan_make() has it. Out: the same one, in
 * which frequent probes sit at instructions with an operand that can be patched, and for those that
 * do not the reason. A probe at the start of a function goes to the calls of it, if nothing but
 * these calls leads to the function: one that came another way would be missed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "plan/patches.h"

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
	{ GROUP_HTTP, "group http" },
	{ GROUP_GRPC, "group grpc" },
	{ GROUP_ALLOC, "group alloc" },
	{ GROUP_STACKS, "group stacks" },
	{ GROUP_SPANS, "group spans" },
	{ GROUP_OBJECTS, "group objects" },
};

/* --- from the start of a function to its calls --- */

static bool patches_is_at_start(const struct patches *w, const struct probe_point *point,
			       struct gobin_func *fn)
{
	uint64_t target;

	return !code_is_call(w->b, point->addr, &target) && !gobin_func_at(w->b, point->addr, fn);
}

static void patches_add_start(struct patches *w, uint64_t addr)
{
	size_t i;

	for (i = 0; i < w->starts.len; i++)
		if (*vec_at(&w->starts, uint64_t, i) == addr)
			return;
	*(uint64_t *)vec_push(&w->starts, sizeof(addr)) = addr;
}

/*
 * Returns whether the program's probe moves: from the start of a function, with uprobes, to the
 * calls of it, with inline code.
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

static void find_starts(struct patches *w)
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

/* Returns whether only calls lead to @fn, and no more than there can be sites. */
static bool is_only_called(struct patches *w, const struct gobin_func *fn)
{
	size_t i, calls = 0;

	for (i = 0; i < w->refs.len; i++) {
		const struct reference *ref = vec_at(&w->refs, struct reference, i);

		if (!patches_refers_to(w, ref, fn))
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

static bool all_are_only_called(struct patches *w, enum program program)
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

static int add_call(struct patches *w, enum program program, const struct gobin_func *fn,
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

static int add_calls(struct patches *w, enum program program, const struct gobin_func *fn,
		     struct error *err)
{
	size_t i;
	int r = 0;

	for (i = 0; i < w->refs.len && !r; i++)
		if (patches_refers_to(w, vec_at(&w->refs, struct reference, i), fn))
			r = add_call(w, program, fn, vec_at(&w->refs, struct reference, i), err);
	return r;
}

/*
 * Moves all probes of the program that sit at a start, or none: the program has one flag for all of
 * its probes that says whether they sit at calls.
 */
static int move_program(struct patches *w, enum inline_program which, struct error *err)
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
		patches_remove(w->p, i);
		r = add_calls(w, program, &fn, err);
	}
	w->p->at_calls |= 1u << which;
	return r;
}

/*
 * Code in the target may look for the pattern of a request only where a ServeMux has stored a
 * request for sure (bpf/http_route.h). False: it may have to look elsewhere.
 */
static bool patches_is_safe(struct plan *p, const struct probe_point *point)
{
	if (point->program != PROGRAM_http_route || !p->http_mux_start || p->http_mux_return)
		return true;
	plan_note_not_inline(p, point->function,
			     "code in the program cannot read the request in the frame of "
			     "net/http.(*ServeMux).ServeHTTP safely");
	return false;
}

/* Patches calls that have the probe in any case, as those of preemptPark where -pgo inlined it. */
static void patch_calls(struct plan *p, const struct gobin *b)
{
	size_t i;

	for (i = 0; i < p->points.len; i++) {
		struct probe_point *point = patches_point_at(p, i);

		if (patches_moves(inline_program_of(point->program)) && patches_is_safe(p, point))
			plan_patch_call(b, point);
	}
}

static int patches_move_to_calls(struct patches *w, struct error *err)
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

/*
 * Gives each of the two points of a test and its call the index of the other, once no more points
 * come or go.
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
	patches_remove_all(p, program);
	*(struct probe_point *)vec_push(&p->points, sizeof(*start)) = *start;
	plan_note_not_inline(p, start->function, "a plugin has it in another form");
	*start = (struct probe_point){0};
}

void plan_inline_like(struct plan *p, const struct plan *plugin)
{
	size_t exit;

	if (p->coro_start.file_offset && !plugin->coro_start.file_offset &&
	    patches_find(plugin, PROGRAM_coroswitch) < plugin->points.len) {
		patches_put_back(p, PROGRAM_coroswitch, &p->coro_start);
		p->at_calls &= ~(1u << INLINE_coroswitch);
	}
	if (p->exit_jump.file_offset && !plugin->exit_jump.file_offset) {
		exit = patches_find(p, PROGRAM_syscall_exit);
		if (patches_point_at(p, exit)->patch == PATCH_FLAG)
			patches_remove(p, exit + 1);
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
 * Keeps the uprobe of such a call. A point without a patch has a link of its own in the kernel
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

/* Notes each frequent probe that is not patched and has no note yet. */
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
	struct patches w = { .p = p, .b = b };
	int r = 0;

	if (gobin_arch(b)->id != GOARCH_AMD64) {
		plan_note_not_inline(p, "runtime", "code in the target is made for amd64 only");
		return 0;
	}
	if (p->abi == GO_ABI_STACK) {
		plan_note_not_inline(p, "runtime", "Go up to 1.16 passes arguments on the stack");
		return 0;
	}
	r = patches_move_to_calls(&w, err);
	if (!r)
		r = patches_move_coroswitch(&w, err);
	if (!r)
		r = patches_move_syscall_exit(&w, err);
	if (!r)
		r = patches_move_assist_end(&w, err);
	if (!r)
		r = patches_move_heap_goal(&w, err);
	pair_hooks(p);
	inline_keep_torn(p);
	if (!r)
		note_rest(p);
	vec_free(&w.starts);
	vec_free(&w.refs);
	return r;
}
