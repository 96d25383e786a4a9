// SPDX-License-Identifier: Apache-2.0
/* regions: see regions.h. */
#include "plan/regions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "plan/internal.h"
#include "symbol/pclntab.h"

enum {
	RETURNS_MOST = 512,	/* of one function: each one is a probe */
	/*
	 * Inlined calls of the program that are visited. A hostile file can give one tree to all
	 * functions; a program of 100 MB has some 1.5 million.
	 */
	INLINED_MOST = 5000000,
};

/*
 * Packages of the runtime. Their functions run on the system stack and in signal handlers, where no
 * goroutine runs; with locks of the scheduler held; or in the middle of a goroutine's switch.
 */
static const char *const regions_runtime[] = {
	"runtime.", "runtime/internal/", "internal/runtime/", "internal/abi.", "internal/cpu.",
	"internal/bytealg.", "internal/goarch.", "sync/atomic.", "runtime/cgo.", "_cgo", "_rt0",
	"gosave_systemstack_switch",
};

static bool regions_of_runtime(const char *name)
{
	size_t i;

	for (i = 0; i < COUNT(regions_runtime); i++)
		if (!strncmp(name, regions_runtime[i], strlen(regions_runtime[i])))
			return true;
	return false;
}

static bool regions_has_wildcard(const char *pattern)
{
	return strpbrk(pattern, "*?") != NULL;
}

const char *region_pattern_wrong(const char *pattern)
{
	if (!*pattern || strlen(pattern) >= REC_TEXT_MAX)
		return "takes the name of a function, as 'main.(*Cart).Total'";
	if (regions_of_runtime(pattern))
		return "is for functions of the program: those of the runtime run where no "
		       "goroutine does";
	return NULL;
}

/* --- which functions --- */

/* What one pattern finds in the function table. */
struct region_search {
	const struct gobin *b;
	const char *pattern;
	struct vec found;	/* struct pclntab_func */
	size_t matches, runtime, inlined;
	bool exact;		/* a function has the pattern as its name: only that one counts */
	char near[128];		/* a name that has the pattern in it; "" none */
};

static bool regions_matches(const struct region_search *s, const char *name)
{
	return s->exact ? !strcmp(name, s->pattern) : glob_match(s->pattern, name);
}

static void regions_note_near(struct region_search *s, const struct pclntab_func *f)
{
	if (!s->near[0] && f->kind == FUNC_NORMAL && !regions_has_wildcard(s->pattern) &&
	    !regions_of_runtime(f->name) && strlen(f->name) < sizeof(s->near) &&
	    strstr(f->name, s->pattern))
		snprintf(s->near, sizeof(s->near), "%s", f->name);
}

static void regions_take(struct region_search *s, const struct pclntab_func *f)
{
	if (!regions_matches(s, f->name)) {
		regions_note_near(s, f);
		return;
	}
	if (regions_of_runtime(f->name)) {
		s->runtime++;
		return;
	}
	if (f->kind == FUNC_WRAPPER)
		return;
	s->matches++;
	if (s->found.len < REGIONS_MOST)
		*(struct pclntab_func *)vec_push(&s->found, sizeof(*f)) = *f;
}

static void regions_search(struct region_search *s)
{
	const struct pclntab *t = gobin_table(s->b);
	struct gobin_func fn;
	size_t i;

	s->exact = !gobin_any_func(s->b, s->pattern, &fn);
	for (i = 0; i < pclntab_funcs(t); i++) {
		struct pclntab_func f;

		if (pclntab_func(t, i, &f))
			regions_take(s, &f);
	}
}

/* --- inlined copies --- */

struct inlined_count {
	struct plan *plan;
	const char *pattern;	/* or, if there is no plan, this one */
	size_t n, left;		/* @left: calls that may still be visited */
};

static bool regions_count_inlined(void *ctx, const char *name, int32_t call)
{
	struct inlined_count *c = ctx;
	size_t i;

	if (!c->plan)
		c->n += glob_match(c->pattern, name);
	for (i = 0; c->plan && i < c->plan->regions.len; i++) {
		struct plan_region *r = vec_at(&c->plan->regions, struct plan_region, i);

		r->inlined += !strcmp(r->name, name);
	}
	return --c->left > 0;
}

/* Visits the trees of inlined calls of all functions. */
static void regions_each_inlined(const struct gobin *b, struct inlined_count *c)
{
	const struct pclntab *t = gobin_table(b);
	size_t i;

	c->left = INLINED_MOST;
	for (i = 0; i < pclntab_funcs(t) && c->left; i++) {
		struct pclntab_func f;

		if (pclntab_func(t, i, &f))
			pclntab_each_inlined(t, &f, regions_count_inlined, c);
	}
}

/* --- points --- */

static int regions_add_point(struct plan *p, const struct gobin *b, const struct plan_region *r,
			     enum program program, uint32_t offset, const char *site,
			     struct error *err)
{
	struct probe_point point = { .program = program, .function = r->name,
				     .addr = r->addr + offset, .region = r->number };

	snprintf(point.site, sizeof(point.site), "%s", site);
	return plan_add_point(p, b, &point, err);
}

/* The ends first: a probe at an end without one at the begin does no harm. */
static int regions_add_points(struct plan *p, const struct gobin *b, const struct plan_region *r,
			      const struct function_sites *sites, struct error *err)
{
	char site[80];
	size_t i;
	int result = 0;

	for (i = 0; i < sites->ends.len && !result; i++) {
		uint32_t at = *vec_at(&sites->ends, uint32_t, i);

		snprintf(site, sizeof(site), "ret at +0x%x", at);
		result = regions_add_point(p, b, r, PROGRAM_region_end, at, site, err);
	}
	return result ? result : regions_add_point(p, b, r, PROGRAM_region_begin, sites->begin,
						   sites->begin_text, err);
}

static bool regions_has(const struct plan *p, uint64_t addr)
{
	size_t i;

	for (i = 0; i < p->regions.len; i++)
		if (vec_at(&p->regions, struct plan_region, i)->addr == addr)
			return true;
	return false;
}

static int regions_check_size(const struct plan *p, const struct pclntab_func *f,
			      const struct function_sites *sites, struct error *err)
{
	if (sites->ends.len > RETURNS_MOST)
		return error_set(err, -ENOTSUP, "%s has %zu returns, each of which takes a probe: "
				 "at most %d", f->name, sites->ends.len, RETURNS_MOST);
	if (p->points.len + sites->ends.len >= REGION_POINTS_MOST)
		return error_set(err, -E2BIG, "the regions have more than %d returns, each of "
				 "which takes a probe", REGION_POINTS_MOST);
	return 0;
}

/* Assembly may use the registers that lead to the goroutine for other things. */
static bool regions_is_assembly(const struct gobin *b, const struct pclntab_func *f)
{
	struct source_frame frames[SOURCE_MAX_INLINE];
	size_t n = pclntab_expand(gobin_table(b), f->entry, frames), len;

	len = n ? strlen(frames[n - 1].file) : 0;
	return len > 2 && !strcmp(frames[n - 1].file + len - 2, ".s");
}

static int regions_add(struct plan *p, const struct gobin *b, const struct pclntab_func *f,
		       struct error *err)
{
	struct gobin_func fn = { f->name, f->entry, f->end - f->entry };
	struct plan_region region = {
		.name = f->name, .name_at = pclntab_name_address(gobin_table(b), f->name),
		.addr = fn.addr, .size = fn.size, .number = (uint32_t)p->regions.len + 1,
	};
	struct function_sites sites;
	int r;

	if (regions_is_assembly(b, f))
		return error_set(err, -ENOTSUP, "%s is assembly code, in which no goroutine can be "
				 "told: give the function that calls it", f->name);
	r = function_sites_find(b, &fn, &sites, err);
	if (!r)
		r = regions_check_size(p, f, &sites, err);
	if (!r) {
		region.returns = (uint32_t)sites.ends.len;
		region.drop_taken = sites.drop_taken;
		region.begin_is_stepped = sites.begin_is_stepped;
		region.ends_are_stepped = sites.ends_are_stepped;
		r = regions_add_points(p, b, &region, &sites, err);
	}
	if (!r)
		*(struct plan_region *)vec_push(&p->regions, sizeof(region)) = region;
	function_sites_free(&sites);
	return r;
}

/* --- one pattern --- */

static int regions_not_found(const struct region_search *s, struct error *err)
{
	struct inlined_count c = { .pattern = s->pattern };

	if (s->runtime)
		return error_set(err, -ENOTSUP, "--region '%s' matches functions of the runtime "
				 "only: they run where no goroutine does", s->pattern);
	regions_each_inlined(s->b, &c);
	if (c.n)
		return error_set(err, -ENOENT, "--region '%s': the compiler has inlined it in %zu "
				 "place%s, and it has no code of its own; mark it //go:noinline",
				 s->pattern, c.n, c.n == 1 ? "" : "s");
	if (s->near[0])
		return error_set(err, -ENOENT, "--region '%s' matches no function of '%s'; it has "
				 "'%s'", s->pattern, gobin_path(s->b), s->near);
	return error_set(err, -ENOENT, "--region '%s' matches no function of '%s': names "
			 "are those of stacks, as 'main.(*Cart).Total'", s->pattern,
			 gobin_path(s->b));
}

/* Adds what the search has found. One that a wildcard names and that does not go is a note. */
static int regions_add_found(struct plan *p, const struct region_search *s, struct error *err)
{
	bool only_notes = !s->exact && s->found.len > 1;
	size_t i, added = 0;

	for (i = 0; i < s->found.len; i++) {
		const struct pclntab_func *f = vec_at(&s->found, struct pclntab_func, i);
		int r = 0;

		if (regions_has(p, f->entry)) {
			added++;
			continue;
		}
		if (p->regions.len == REGIONS_MOST)
			return error_set(err, -E2BIG, "--region matches more than %d functions in "
					 "all: give narrower patterns", REGIONS_MOST);
		r = regions_add(p, s->b, f, err);
		if (r && (!only_notes || r != -ENOTSUP))
			return r;
		if (r)
			plan_note_missing(p, f->name, "its calls", err);
		added += !r;
	}
	return added ? 0 : -ENOTSUP;
}

static int regions_add_pattern(struct plan *p, const struct gobin *b, const char *pattern,
			       struct error *err)
{
	struct region_search s = { .b = b, .pattern = pattern };
	int r;

	regions_search(&s);
	if (!s.matches)
		r = regions_not_found(&s, err);
	else if (s.matches > REGIONS_MOST)
		r = error_set(err, -E2BIG, "--region '%s' matches %zu functions, at most %d can be "
			      "regions: give a narrower pattern", pattern, s.matches, REGIONS_MOST);
	else
		r = regions_add_found(p, &s, err);
	vec_free(&s.found);
	return r;
}

int plan_add_regions(struct plan *p, const struct gobin *b, const char *const *patterns, size_t n,
		     struct error *err)
{
	struct inlined_count c = { .plan = p };
	size_t i;
	int r = 0;

	if (n && !gobin_table(b))
		return error_set(err, -ENOTSUP, "'%s' has no function table that can be read: "
				 "--region needs it", gobin_path(b));
	for (i = 0; i < n && !r; i++)
		r = regions_add_pattern(p, b, patterns[i], err);
	if (!r && n)
		regions_each_inlined(b, &c);
	return r;
}

static void regions_note_values(struct plan *p, const struct plan_region *r)
{
	struct error why;

	if (r->values.nargs || r->values.nresults)
		return;
	error_set(&why, -ENOENT, "%s", r->values.known ?
		  "it has no integers, booleans, strings or errors" :
		  "the DWARF data does not have the function");
	plan_note_missing(p, r->name, "its arguments", &why);
}

int plan_region_values(struct plan *p, const struct gobin *b, struct error *err)
{
	struct func_values *values = xcalloc(p->regions.len + 1, sizeof(*values));
	const char *names[REGIONS_MOST];
	size_t i;
	int r;

	for (i = 0; i < p->regions.len; i++)
		names[i] = vec_at(&p->regions, struct plan_region, i)->name;
	r = func_values_read(b, names, p->regions.len, values, err);
	for (i = 0; i < p->regions.len && !r; i++) {
		struct plan_region *region = vec_at(&p->regions, struct plan_region, i);

		region->values = values[i];
		regions_note_values(p, region);
	}
	free(values);
	return r ? error_prefix(err, "--region-args: '%s'", gobin_path(b)) : 0;
}
