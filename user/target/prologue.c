// SPDX-License-Identifier: Apache-2.0
/* prologue: see prologue.h; the parts that no architecture has of its own. */
#include "target/prologue.h"

#include <errno.h>

#include "target/code_ops.h"

int prologue_site_of(const struct gobin *b, const struct gobin_func *fn, struct site *ret,
		     struct error *err)
{
	const uint8_t *code = gobin_bytes(b, fn->addr, fn->size);
	int r = code ? code_of(b)->prologue_site(code, fn->size, ret) : -ERANGE;

	if (r == -ERANGE)
		return error_set(err, r, "the code of %s is not in '%s'", fn->name, gobin_path(b));
	if (r < 0)
		return error_set(err, r, "no cheap probe site at the start of %s (%s)", fn->name,
				 gobin_go_version(b));
	return 0;
}

bool prologue_runs_first_once(const struct gobin *b, const struct gobin_func *fn)
{
	const uint8_t *code = gobin_bytes(b, fn->addr, fn->size);
	struct vec ends = {0};
	struct function_sweep sweep = { .ends = &ends };
	uint32_t at;
	bool once = code && code_of(b)->function_first(code, fn->size) != FIRST_REFUSED &&
		    !code_of(b)->function_sweep(code, fn->size, &sweep, &at) && !sweep.restarts;

	vec_free(&ends);
	vec_free(&sweep.jumps);
	return once;
}
