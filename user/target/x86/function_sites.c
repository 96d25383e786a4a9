// SPDX-License-Identifier: Apache-2.0
/*
 * function_sites: see target/function_sites.h. A linear sweep finds every instruction, because
 * Go's linker puts no data into its text: jump tables are read-only data (1.19 and later), and
 * padding is int3, or zeros. A function that has returns leaves by them alone: compared with
 * objdump, none of the compiled functions of 1.15 to 1.27 has a return and a jump out, but for
 * jumps to runtime.morestack.
 */
#include "target/function_sites.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "target/prologue.h"
#include "target/x86/insn.h"

/* What the sweep of one function finds. */
struct sweep {
	struct vec *ends;
	struct vec jumps;	/* int64_t: targets of jumps out of the function, from its start */
	bool restarts;		/* a jump to its first instruction */
};

static bool sweep_is_return(const struct x86_insn *insn)
{
	return insn->opcode == 0xc3;
}

static bool sweep_is_call(const struct x86_insn *insn)
{
	return insn->opcode == 0xe8;
}

/* The bytes that the linker puts between functions: int3, up to 1.15 in some places zeros. */
static bool sweep_is_padding(const uint8_t *code, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (code[i] != code[0] || (code[0] && code[0] != 0xcc))
			return false;
	return true;
}

static void sweep_take(struct sweep *s, const struct x86_insn *insn, size_t at, size_t n)
{
	int64_t target = (int64_t)(at + insn->len) + insn->imm;

	if (sweep_is_return(insn))
		*(uint32_t *)vec_push(s->ends, sizeof(uint32_t)) = (uint32_t)at;
	if (x86_is_branch(insn) && !sweep_is_call(insn)) {
		s->restarts |= !target;
		if (target < 0 || target >= (int64_t)n)
			*(int64_t *)vec_push(&s->jumps, sizeof(target)) = target;
	}
}

/* -ENOTSUP: *@at has the offset of bytes that cannot be decoded. */
static int sweep_run(struct sweep *s, const uint8_t *code, size_t n, uint32_t *at)
{
	struct x86_insn insn;
	size_t i;

	for (i = 0; i < n; i += insn.len) {
		if (x86_decode(&insn, code + i, n - i)) {
			*at = (uint32_t)i;
			return sweep_is_padding(code + i, n - i) ? 0 : -ENOTSUP;
		}
		sweep_take(s, &insn, i, n);
	}
	return 0;
}

int function_returns(const uint8_t *code, size_t n, struct vec *ends, uint32_t *at)
{
	struct sweep s = { .ends = ends };
	int r = sweep_run(&s, code, n, at);

	vec_free(&s.jumps);
	return r;
}

/*
 * Returns the first function that @fn jumps to; false if there is none. A jump to
 * runtime.morestack comes back to the start of the function.
 */
static bool sites_jump_target(const struct gobin *b, const struct gobin_func *fn,
			      const struct sweep *s, struct gobin_func *to)
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
			    const struct sweep *s, struct error *err)
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

/* Instructions that the kernel refuses to step (arch/x86/kernel/uprobes.c). */
static bool sites_can_be_stepped(const struct x86_insn *insn)
{
	return !insn->lock && insn->opcode != 0xcc && insn->opcode != 0x9c && insn->opcode != 0x9d;
}

/* The first instruction: of a function without a frame, which no jump leads to. */
static int sites_take_first(const struct gobin_func *fn, const uint8_t *code,
			    const struct sweep *s, struct function_sites *ret, struct error *err)
{
	struct x86_insn first;

	if (!*vec_at(s->ends, uint32_t, 0))
		return error_set(err, -ENOTSUP, "%s does nothing: its first instruction is its "
				 "return", fn->name);
	if (x86_decode(&first, code, fn->size) || !sites_can_be_stepped(&first) || s->restarts)
		return error_set(err, -ENOTSUP,
				 "%s has no place for a probe at its begin: %s", fn->name,
				 s->restarts ? "its first instruction runs more than once a call" :
					       "the kernel does not step its first instruction");
	ret->begin = 0;
	ret->begin_is_stepped = !x86_is_emulated(&first);
	snprintf(ret->begin_text, sizeof(ret->begin_text), "first instruction");
	return 0;
}

/* In the prologue, if the stack pointer leads to the return address there. */
static bool sites_take_prologue(const struct gobin_func *fn, const uint8_t *code,
				struct function_sites *ret)
{
	struct site site;

	if (prologue_site(code, fn->size, &site) || site.frame ||
	    (site.kind != SITE_FRAME && !site.drop_taken))
		return false;
	ret->begin = site.offset;
	ret->drop_taken = site.drop_taken;
	memcpy(ret->begin_text, site.text, sizeof(site.text));
	return true;
}

static int sites_choose(const struct gobin *b, const struct gobin_func *fn, const uint8_t *code,
			struct sweep *s, struct function_sites *ret, struct error *err)
{
	uint32_t at;
	int r;

	if (sweep_run(s, code, fn->size, &at))
		return error_set(err, -ENOTSUP,
				 "%s has bytes that gotap cannot decode, at +0x%" PRIx32
				 ": its returns are not known", fn->name, at);
	r = sites_check_ends(b, fn, s, err);
	if (r || sites_take_prologue(fn, code, ret))
		return r;
	return sites_take_first(fn, code, s, ret, err);
}

int function_sites_find(const struct gobin *b, const struct gobin_func *fn,
			struct function_sites *ret, struct error *err)
{
	const uint8_t *code = gobin_bytes(b, fn->addr, fn->size);
	struct sweep s = { .ends = &ret->ends };
	int r;

	*ret = (struct function_sites){0};
	if (!code)
		return error_set(err, -ENOTSUP, "the code of %s is not in the file", fn->name);
	r = sites_choose(b, fn, code, &s, ret, err);
	vec_free(&s.jumps);
	return r;
}

void function_sites_free(struct function_sites *s)
{
	vec_free(&s->ends);
}
