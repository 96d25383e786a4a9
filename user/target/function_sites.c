// SPDX-License-Identifier: Apache-2.0
/*
 * function_sites: see target/function_sites.h. A function that has returns leaves by them alone:
 * compared with objdump, none of the compiled functions of 1.15 to 1.27 has a return and a jump
 * out, but for jumps to runtime.morestack.
 */
#include "target/function_sites.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "target/code_ops.h"

/*
 * Returns the first function that @fn jumps to; false if there is none. A jump to
 * runtime.morestack comes back to the start of the function.
 */
static bool sites_jump_target(const struct gobin *b, const struct gobin_func *fn,
			      const struct function_sweep *s, struct gobin_func *to)
{
	size_t i;

	for (i = 0; i < s->jumps.len; i++) {
		uint64_t at = fn->addr + (uint64_t)*vec_at(&s->jumps, int64_t, i);

		if (gobin_func_at(b, at, to))
			to->name = "code of another language";
		if (strncmp(to->name, "runtime.morestack", strlen("runtime.morestack")))
			return true;
	}
	return false;
}

/* Are all ways out of the function returns? */
static int sites_check_ends(const struct gobin *b, const struct gobin_func *fn,
			    const struct function_sweep *s, struct error *err)
{
	struct gobin_func to;
	bool leaves = sites_jump_target(b, fn, s, &to);

	if (s->ends->len && !leaves)
		return 0;
	if (s->ends->len)
		return error_set(err, -ENOTSUP, "%s also ends by a jump to %s: not all of its ends "
				 "would be seen", fn->name, to.name);
	if (leaves)
		return error_set(err, -ENOTSUP,
				 "%s does not return itself: it jumps to %s; give that one",
				 fn->name, to.name);
	return error_set(err, -ENOTSUP, "%s has no return: it never ends, or ends by a jump to an "
			 "address that it computes", fn->name);
}

/* The first instruction: of a function without a frame, which no jump leads to. */
static int sites_take_first(const struct code_ops *ops, const struct gobin_func *fn,
			    const uint8_t *code, const struct function_sweep *s,
			    struct function_sites *ret, struct error *err)
{
	enum first_step step = ops->function_first(code, fn->size);

	if (!*vec_at(s->ends, uint32_t, 0))
		return error_set(err, -ENOTSUP, "%s does nothing: its first instruction is its "
				 "return", fn->name);
	if (step == FIRST_REFUSED || s->restarts)
		return error_set(err, -ENOTSUP,
				 "%s has no place for a probe at its begin: %s", fn->name,
				 s->restarts ? "its first instruction runs more than once a call" :
					       "the kernel does not step its first instruction");
	ret->begin = 0;
	ret->begin_is_stepped = step == FIRST_STEPPED;
	snprintf(ret->begin_text, sizeof(ret->begin_text), "first instruction");
	return 0;
}

/* In the prologue, if the stack pointer leads to the return address there. */
static bool sites_take_prologue(const struct code_ops *ops, const struct gobin_func *fn,
				const uint8_t *code, struct function_sites *ret)
{
	struct site site;

	if (ops->prologue_site(code, fn->size, &site) || site.frame ||
	    (site.kind != SITE_FRAME && !site.drop_taken))
		return false;
	ret->begin = site.offset;
	ret->drop_taken = site.drop_taken;
	memcpy(ret->begin_text, site.text, sizeof(site.text));
	return true;
}

static int sites_choose(const struct gobin *b, const struct gobin_func *fn, const uint8_t *code,
			struct function_sweep *s, struct function_sites *ret,
			struct error *err)
{
	const struct code_ops *ops = code_of(b);
	uint32_t at;
	int r;

	if (ops->function_sweep(code, fn->size, s, &at))
		return error_set(err, -ENOTSUP,
				 "%s has bytes that gotap cannot decode, at +0x%" PRIx32
				 ": its returns are not known", fn->name, at);
	r = sites_check_ends(b, fn, s, err);
	if (r || sites_take_prologue(ops, fn, code, ret))
		return r;
	return sites_take_first(ops, fn, code, s, ret, err);
}

static bool sites_any_stepped(const struct gobin *b, const struct gobin_func *fn,
			      const struct vec *offsets)
{
	size_t i;

	for (i = 0; i < offsets->len; i++)
		if (!code_is_emulated(b, fn->addr + *vec_at(offsets, uint32_t, i)))
			return true;
	return false;
}

int function_sites_find(const struct gobin *b, const struct gobin_func *fn,
			struct function_sites *ret, struct error *err)
{
	const uint8_t *code = gobin_bytes(b, fn->addr, fn->size);
	struct function_sweep s = { .ends = &ret->ends };
	int r;

	*ret = (struct function_sites){0};
	if (!code)
		return error_set(err, -ENOTSUP, "the code of %s is not in the file", fn->name);
	r = sites_choose(b, fn, code, &s, ret, err);
	if (!r)
		ret->ends_are_stepped = sites_any_stepped(b, fn, &ret->ends);
	vec_free(&s.jumps);
	return r;
}

void function_sites_free(struct function_sites *s)
{
	vec_free(&s->ends);
}
