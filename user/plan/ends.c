// SPDX-License-Identifier: Apache-2.0
/* ends: probes where a function ends, for plan.c (internal.h). */
#include <errno.h>
#include <stdio.h>

#include "plan/internal.h"
#include "target/ends.h"

static int ends_add(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
		    const struct gobin_func *fn, const struct vec *at, const char *what,
		    struct error *err)
{
	size_t i;
	int r = 0;

	for (i = 0; i < at->len && !r; i++) {
		uint32_t offset = *vec_at(at, uint32_t, i);
		struct probe_point point = { .program = spec->program, .function = spec->function,
					     .addr = fn->addr + offset };

		snprintf(point.site, sizeof(point.site), "%.60s at +0x%x", what, offset);
		r = plan_add_point(p, b, &point, err);
	}
	return r;
}

/* Finds the ends of @fn with those that @spec names. */
static int ends_of(const struct gobin *b, const struct probe_spec *spec,
		   const struct gobin_func *fn, struct vec *calls, struct vec *returns,
		   struct error *err)
{
	const char *callee = spec->where.callee;
	struct gobin_func last = {0};

	if (callee && gobin_any_func(b, callee, &last))
		return error_set(err, -ENOTSUP, "%s does not call %s", spec->function, callee);
	if (ends_find(b, fn, last.addr, calls, returns))
		return error_set(err, -ENOTSUP, "the code of %s is unlike that of any known Go",
				 spec->function);
	return 0;
}

int plan_add_returns(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
		     const struct gobin_func *fn, struct error *err)
{
	struct vec calls = {0}, returns = {0};
	int r = ends_of(b, spec, fn, &calls, &returns, err);

	if (!r && !returns.len)
		r = error_set(err, -ENOENT, "%s does not return", spec->function);
	if (!r)
		r = ends_add(p, b, spec, fn, &returns, "return", err);
	vec_free(&calls);
	vec_free(&returns);
	return r;
}

int plan_add_at_calls(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
		      const struct gobin_func *fn, struct error *err)
{
	struct vec calls = {0}, returns = {0};
	char text[64];
	int r = ends_of(b, spec, fn, &calls, &returns, err);

	if (!r && !calls.len)
		r = error_set(err, -ENOTSUP, "%s does not call %s", spec->function,
			      spec->where.callee);
	snprintf(text, sizeof(text), "call of %.50s", spec->where.callee);
	if (!r)
		r = ends_add(p, b, spec, fn, &calls, text, err);
	vec_free(&calls);
	vec_free(&returns);
	return r;
}
