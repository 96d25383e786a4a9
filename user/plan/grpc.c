// SPDX-License-Identifier: Apache-2.0
/*
 * grpc: the probes of group grpc of which the place must be found (probes.def), and the facts about
 * the module google.golang.org/grpc that the programs of this group need.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "plan/internal.h"
#include "symbol/pclntab.h"
#include "target/around.h"
#include "target/grpc_layout.h"

static int grpc_add_at(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
		       const struct gobin_func *fn, uint64_t addr, const char *what,
		       struct error *err)
{
	struct probe_point point = { .program = spec->program, .function = fn->name, .addr = addr };

	snprintf(point.site, sizeof(point.site), "%s at +0x%x", what,
		 (unsigned int)(addr - fn->addr));
	return plan_add_point(p, b, &point, err);
}

/* Served calls have no name without the method: they are left out, and the report says so. */
static int grpc_check_method(const struct plan *p, struct error *err)
{
	if (p->grpc.method != GO_OFFSET_NONE)
		return 0;
	return error_set(err, -ENOTSUP,
			 "its code does not show where a stream has its method, as that of grpc "
			 "1.27 to 1.83 does");
}

int plan_add_grpc_begin(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
			const struct gobin_func *fn, struct error *err)
{
	struct entry at;
	int r = grpc_check_method(p, err);

	return r ? r : plan_add_entry(p, b, spec->program, fn, &at, err);
}

int plan_add_grpc_status(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
			 const struct gobin_func *fn, struct error *err)
{
	struct entry at;

	if (p->grpc.code == GO_OFFSET_NONE)
		return error_set(err, -ENOTSUP, "(*Status).Code does not show where the code is");
	return plan_add_entry(p, b, spec->program, fn, &at, err);
}

/*
 * The function literal of @fn that it defers last, so that it runs first: the last one of which @fn
 * loads the address before @end.
 */
static int grpc_find_deferred(const struct gobin *b, const struct gobin_func *fn, uint64_t end,
			      struct gobin_func *ret)
{
	struct vec addresses = {0};
	size_t i, n = strlen(fn->name);
	int r = -ENOENT;

	around_addresses(b, fn, end, &addresses);
	for (i = addresses.len; i && r; i--) {
		uint64_t addr = *vec_at(&addresses, uint64_t, i - 1);

		if (!gobin_func_at(b, addr, ret) && ret->addr == addr &&
		    !strncmp(ret->name, fn->name, n) && ret->name[n] == '.')
			r = 0;
	}
	vec_free(&addresses);
	return r;
}

/*
 * Adds the end of a served call in the function that @fn has deferred: at its first call, if each
 * run gets there, else where it begins.
 */
static int grpc_add_deferred(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
			     const struct gobin_func *fn, uint64_t ret, struct error *err)
{
	struct gobin_func in;
	struct entry at;
	uint64_t addr;

	if (grpc_find_deferred(b, fn, ret, &in))
		return error_set(err, -ENOTSUP, "%s has no call behind handleStream", fn->name);
	addr = around_first_call(b, &in);
	if (addr)
		return grpc_add_at(p, b, spec, &in, addr, "call", err);
	return plan_add_entry(p, b, PROGRAM_grpc_deferred, &in, &at, err);
}

/*
 * Adds the end of a served call in @fn, behind its call of handleStream that returns to @ret: at a
 * direct call, of the WaitGroup, or in the function that @fn has deferred.
 */
static int grpc_add_end(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
			const struct gobin_func *fn, uint64_t ret, struct error *err)
{
	bool direct = false;
	uint64_t addr = around_call(b, fn, ret, &direct);

	if (addr && direct)
		return grpc_add_at(p, b, spec, fn, addr, "call", err);
	return grpc_add_deferred(p, b, spec, fn, ret, err);
}

/* Its callers are methods of Server and function literals in them. */
int plan_add_grpc_ends(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
		       const struct gobin_func *fn, struct error *err)
{
	const struct pclntab *t = gobin_table(b);
	size_t i, before = p->points.len, n = strlen(fn->name) - strlen("handleStream");
	int r = grpc_check_method(p, err);

	for (i = 0; t && i < pclntab_funcs(t) && !r; i++) {
		struct gobin_func caller;
		struct pclntab_func f;
		uint64_t ret;

		if (!pclntab_func(t, i, &f) || strncmp(f.name, fn->name, n))
			continue;
		caller = (struct gobin_func){ f.name, f.entry, f.end - f.entry };
		ret = callsites_first(b, &caller, fn->addr);
		if (ret)
			r = grpc_add_end(p, b, spec, &caller, ret, err);
	}
	if (!r && p->points.len == before)
		return error_set(err, -ENOTSUP, "no function calls %s", fn->name);
	return r;
}

/* The jump that tests the error of newClientStream in invoke(). */
int plan_add_grpc_refused(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
			  const struct gobin_func *fn, struct error *err)
{
	struct gobin_func callee;
	uint64_t ret = 0, jump = 0;

	if (!gobin_any_func(b, spec->where.callee, &callee))
		ret = callsites_first(b, fn, callee.addr);
	if (ret)
		jump = around_jump(b, fn, ret);
	if (!jump)
		return error_set(err, -ENOTSUP, "no jump is behind its call of newClientStream");
	return grpc_add_at(p, b, spec, fn, jump, "jump", err);
}

int plan_add_grpc_returns(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
			  const struct gobin_func *fn, struct error *err)
{
	struct vec returns = {0};
	size_t i;
	int r = around_returns(b, fn, &returns);

	if (r)
		error_set(err, r, "its returns are not known");
	for (i = 0; i < returns.len && !r; i++)
		r = grpc_add_at(p, b, spec, fn, *vec_at(&returns, uint64_t, i), "return", err);
	vec_free(&returns);
	return r;
}

/* The first call of (*clientStream).withRetry; before grpc 1.38 it is in newClientStream. */
int plan_add_grpc_stream(struct plan *p, const struct gobin *b, const struct probe_spec *spec,
			 const struct gobin_func *fn, struct error *err)
{
	struct gobin_func in, callee;
	uint64_t ret = 0;

	if (gobin_any_func(b, "google.golang.org/grpc.newClientStreamWithParams", &in))
		in = *fn;
	if (!gobin_any_func(b, spec->where.callee, &callee))
		ret = callsites_first(b, &in, callee.addr);
	if (!ret)
		return error_set(err, -ENOTSUP, "it does not call %s", spec->where.callee);
	return grpc_add_at(p, b, spec, &in, ret - gobin_arch(b)->call_len, "call of withRetry",
			   err);
}

static void grpc_find_range(const struct gobin *b, const char *name, uint64_t *start, uint64_t *end)
{
	struct gobin_func fn;

	if (gobin_any_func(b, name, &fn))
		return;
	*start = fn.addr;
	*end = fn.addr + fn.size;
}

void plan_find_grpc(struct plan *p, const struct gobin *b)
{
	struct gobin_func fn;

	grpc_layout_find(b, &p->grpc);
	if (grpc_error_method(b, &p->grpc_error))
		p->grpc_error = 0;
	if (!gobin_any_func(b, "errors.(*errorString).Error", &fn))
		p->grpc_plain_error = fn.addr;
	grpc_find_range(b, "google.golang.org/grpc.(*Server).processUnaryRPC",
			&p->grpc_unary_start, &p->grpc_unary_end);
	grpc_find_range(b, "google.golang.org/grpc.(*Server).processStreamingRPC",
			&p->grpc_stream_start, &p->grpc_stream_end);
}
