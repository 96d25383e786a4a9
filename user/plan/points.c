// SPDX-License-Identifier: Apache-2.0
/*
 * points: what the parts of the plan add to it: points of probes, rows of call sites, lines about
 * what is missing; and the groups of programs (probes.def). See internal.h.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "plan/internal.h"

static const struct {
	const char *name;
	enum group group;
} points_programs[PROGRAMS] = {
#define PROGRAM(name, group, builds) { #name, GROUP_##group },
#define PROBE(...)
#include "plan/probes.def"
#undef PROGRAM
#undef PROBE
};

const char *program_name(enum program p)
{
	return points_programs[p].name;
}

enum group plan_group_of(enum program program)
{
	return points_programs[program].group;
}

bool plan_wants(const struct plan *p, enum group group, int since, int until)
{
	return (p->groups & 1u << group) && release_in(p->minor, since, until);
}

/*
 * As points_site_fits(), where a call leaves its return address in a register. The stack check is
 * the site in all releases: no frame is made there, and a hit that grows the stack is dropped.
 * Programs for functions without a check may sit later: syscall_enter needs only registers, and
 * inlined_syscall finds the caller's frame by the function's own (SITE_AT_FRAME).
 */
static bool points_link_site_fits(const struct gobin *b, enum program program,
				  const struct site *site)
{
	if (program == PROGRAM_inlined_syscall)
		return site->frame && !site->drop_taken;
	if (gobin_register_args(b) && !code_keeps_arguments(b, site))
		return false;
	if (program == PROGRAM_syscall_enter)
		return site->kind == SITE_BRANCH;
	return site->drop_taken && !site->frame;
}

/* Returns whether @site has the registers that bpf/goabi.h requires. */
static bool points_site_fits(const struct plan *p, const struct gobin *b, enum program program,
			     const struct site *site)
{
	if (gobin_arch(b)->has_link)
		return points_link_site_fits(b, program, site);
	if (p->abi == GO_ABI_PUSH)
		return site->kind == SITE_FRAME && !site->frame;
	if (p->abi == GO_ABI_CHECK && !code_keeps_arguments(b, site))
		return false;
	if (program == PROGRAM_casgstatus)
		return site->kind == SITE_BRANCH && site->frame && !site->drop_taken;
	return site->drop_taken && !site->frame;
}

/*
 * Returns whether the first instruction may serve, of a function without a stack check, which the
 * kernel has to step: for functions that run when the program ends. Their programs do not ask
 * whether the stack grows, which other programs do by the flags that a stack check sets.
 */
static bool points_take_first(const struct gobin *b, enum program program,
			      const struct gobin_func *fn)
{
	return gobin_arch(b)->has_link && plan_group_of(program) == GROUP_CRASH &&
	       prologue_runs_first_once(b, fn);
}

static int points_find_prologue(const struct plan *p, const struct gobin *b, enum program program,
				const struct gobin_func *fn, struct site *ret, struct error *err)
{
	int r = prologue_site_of(b, fn, ret, err);

	if ((r || !points_site_fits(p, b, program, ret)) &&
	    points_take_first(b, program, fn)) {
		*ret = (struct site){ .text = "first instruction" };
		return 0;
	}
	if (r)
		return r;
	if (!points_site_fits(p, b, program, ret))
		return error_set(err, -ENOTSUP, "the start of %s is unlike that of any known Go "
				 "(%s)", fn->name, ret->text);
	return 0;
}

int plan_add_point(struct plan *p, const struct gobin *b, struct probe_point *point,
		   struct error *err)
{
	int r = gobin_file_offset(b, point->addr, &point->file_offset);

	if (r)
		return error_set(err, r, "%s lies outside the file", point->function);
	if (!code_may_probe(b, point->addr))
		return error_set(err, -ENOTSUP, "a probe in %s (%s) would change what it does",
				 point->function, point->site);
	*(struct probe_point *)vec_push(&p->points, sizeof(*point)) = *point;
	return 0;
}

static enum site_at points_site_at(const struct gobin *b, const struct site *site)
{
	if (!gobin_arch(b)->has_link)
		return SITE_AT_CALLER;
	return site->drop_taken ? SITE_AT_CHECK : site->frame ? SITE_AT_FRAME : SITE_AT_CALLER;
}

int plan_add_entry(struct plan *p, const struct gobin *b, enum program program,
		   const struct gobin_func *fn, struct entry *ret, struct error *err)
{
	struct probe_point point = { .program = program, .function = fn->name };
	struct site site;
	int r = points_find_prologue(p, b, program, fn, &site, err);

	if (r)
		return r;
	point.addr = fn->addr + site.offset;
	memcpy(point.site, site.text, sizeof(point.site));
	*ret = (struct entry){ .addr = point.addr, .at = points_site_at(b, &site),
			       .arguments = code_keeps_arguments(b, &site) };
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

static int points_add_after(struct plan *p, const struct gobin *b, enum program program,
			    const struct callsite *call, const char *callee, struct error *err)
{
	struct probe_point point = { .program = program, .function = call->func.name,
				     .addr = call->return_addr };

	snprintf(point.site, sizeof(point.site), "after call of %.40s at +0x%x", callee,
		 (unsigned int)(call->return_addr - call->func.addr));
	return plan_add_point(p, b, &point, err);
}

int plan_add_after_calls(struct plan *p, const struct gobin *b, enum program program,
			 const struct gobin_func *fn, const struct site_class *class,
			 struct error *err)
{
	struct vec calls = {0};
	size_t i;
	int r = 0;

	callsites_find(b, fn->addr, &calls);
	for (i = 0; i < calls.len && !r; i++) {
		const struct callsite *c = vec_at(&calls, struct callsite, i);

		r = points_add_after(p, b, program, c, fn->name, err);
		if (class)
			plan_add_site(p, c->return_addr, 0, 0, *class);
	}
	r = r ? r : (int)calls.len;
	vec_free(&calls);
	return r;
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

void plan_add_site(struct plan *p, uint64_t pc, uint8_t old, uint8_t new_,
		   struct site_class class)
{
	struct site_row *row = vec_push(&p->sites, sizeof(*row));

	*row = (struct site_row){ .pc = pc, .old = old, .new_ = new_, .class = class };
}
