// SPDX-License-Identifier: Apache-2.0
/*
 * patches_special: four programs of `--attach inline` that do not move to the calls of their
 * functions; each has a rule of its own. plan_inline() in patches.c calls the four rules.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "plan/patches.h"

/* --- coroswitch_m, which only mcall calls, in coroswitch and coroexit --- */

/*
 * Returns the one place in data that has the address of @fn (its function value); 0 if anything
 * else leads to @fn.
 */
static uint64_t function_value(struct patches *w, const struct gobin_func *fn)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < w->refs.len; i++) {
		const struct reference *ref = vec_at(&w->refs, struct reference, i);

		if (!patches_refers_to(w, ref, fn))
			continue;
		if (ref->kind != REFERENCE_POINTER || (value && value != ref->addr))
			return 0;
		value = ref->addr;
	}
	return value;
}

static int add_mcall(struct patches *w, const struct gobin_func *mcall, const struct reference *ref,
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
 * Adds a point at each call of mcall that gets the function value; -ENOENT if the function value
 * has another use.
 */
static int add_mcalls(struct patches *w, uint64_t value, struct error *err)
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

int patches_move_coroswitch(struct patches *w, struct error *err)
{
	size_t at = patches_find(w->p, PROGRAM_coroswitch), n = w->p->points.len;
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
	patches_remove(w->p, at);
	w->p->at_calls |= 1u << INLINE_coroswitch;
	return r;
}

/* --- questions to the runtime's tracer --- */

static int add_hook_call(struct patches *w, enum program program, const struct trace_hook *hook,
			 const struct gobin_func *fn, struct error *err)
{
	struct probe_point point = { .program = program, .function = fn->name, .addr = hook->call };

	snprintf(point.site, sizeof(point.site), "call of %s at +0x%x", hook->callee,
		 (unsigned int)(hook->call - fn->addr));
	plan_patch_call(w->b, &point);
	return plan_add_point(w->p, w->b, &point, err);
}

static int add_flag_test(struct patches *w, enum program program, const struct trace_hook *hook,
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

/* Adds a point at the test of the flag, and as the next point the call after it. */
static int add_hook(struct patches *w, enum program program, const struct trace_hook *hook,
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

/*
 * Moves the probe of exitsyscall, Go 1.26 and later, to the test of trace.enabled that it makes
 * once it has its P again.
 */
int patches_move_syscall_exit(struct patches *w, struct error *err)
{
	size_t at = patches_find(w->p, PROGRAM_syscall_exit);
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
	patches_remove(w->p, at);
	w->p->exitsyscall_p_reg = EXITSYSCALL_P_OF_M;
	return add_hook(w, PROGRAM_syscall_exit, &hook, &fn, err);
}

/*
 * Finds the tests of trace.enabled with which gcAssistAlloc ends an assist, since Go 1.23. Go 1.22
 * tests a counter of generations there.
 */
static int find_assist_hooks(const struct patches *w, const struct gobin_func *fn, struct vec *ret)
{
	if (w->p->offsets.g_in_mark_assist == GO_OFFSET_NONE)
		return -ENOTSUP;
	return assist_hooks(w->b, fn, (int32_t)w->p->offsets.g_in_mark_assist, ret);
}

int patches_move_assist_end(struct patches *w, struct error *err)
{
	struct vec hooks = {0};
	struct gobin_func fn;
	size_t i;
	int r = 0;

	if (patches_find(w->p, PROGRAM_assist_end) == w->p->points.len ||
	    gobin_func(w->b, "runtime.gcAssistAlloc", &fn))
		return 0;
	if (find_assist_hooks(w, &fn, &hooks)) {
		plan_note_not_inline(w->p, fn.name,
				     "it does not ask in the known way whether to trace");
	} else {
		patches_remove_all(w->p, PROGRAM_assist_end);
		for (i = 0; i < hooks.len && !r; i++)
			r = add_hook(w, PROGRAM_assist_end, vec_at(&hooks, struct trace_hook, i),
				     &fn, err);
	}
	vec_free(&hooks);
	return r;
}

/* --- the heap goal, a result that gcControllerCommit still has where it calls gcPaceSweeper --- */

int patches_move_heap_goal(struct patches *w, struct error *err)
{
	size_t at = patches_find(w->p, PROGRAM_heap_goal);
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
	patches_remove(w->p, at);
	return plan_add_point(w->p, w->b, &point, err);
}
