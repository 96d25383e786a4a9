// SPDX-License-Identifier: Apache-2.0
/* unwind: see unwind.h. */
#include "stacks/unwind.h"

#include <stdlib.h>
#include <string.h>

#include "live/memory.h"

/* bytes of a stack read at a time, beyond those that were read already */
enum { PIECE = 16 << 10 };

/* The role of a pc's function in a traceback. */
enum role {
	ROLE_CALLS,		/* a function that calls, and is called, with a return address */
	ROLE_TOP,		/* the first function of a stack: goexit (abi.FuncFlagTopFrame) */
	ROLE_INJECTED,		/* a signal handler put its call on the stack (isInjectedCall) */
};

struct fact {
	uint64_t entry;
	int32_t delta;
	enum role role;
};

struct unwind_window {
	uint64_t at;
	size_t n;
	uint8_t bytes[PIECE];
};

static enum role role_of(const char *name)
{
	static const struct {
		const char *name;
		enum role role;
	} roles[] = {
		{ "runtime.goexit", ROLE_TOP },
		{ "runtime.mstart", ROLE_TOP },
		{ "runtime.rt0_go", ROLE_TOP },
		{ "runtime.mcall", ROLE_TOP },
		{ "runtime.morestack", ROLE_TOP },
		{ "runtime.sigpanic", ROLE_INJECTED },
		{ "runtime.asyncPreempt", ROLE_INJECTED },
		{ "runtime.debugCallV1", ROLE_INJECTED },
		{ "runtime.debugCallV2", ROLE_INJECTED },
	};
	size_t i, n;

	for (i = 0; i < sizeof(roles) / sizeof(*roles); i++) {
		n = strlen(roles[i].name);
		if (!strncmp(name, roles[i].name, n) && (!name[n] || !strcmp(name + n, ".abi0")))
			return roles[i].role;
	}
	return ROLE_CALLS;
}

static const struct fact *fact_of(struct unwinder *u, uint64_t pc)
{
	uint64_t *known = map64_get(&u->known, pc);
	struct symbol_function fn;
	struct fact *fact;

	if (known)
		return vec_at(&u->facts, struct fact, *known);
	if (!symbolizer_function(u->symbols, pc, &fn))
		return NULL;
	*map64_put(&u->known, pc, NULL) = u->facts.len;
	fact = vec_push(&u->facts, sizeof(*fact));
	*fact = (struct fact){ fn.entry, fn.sp_delta, role_of(fn.name) };
	return fact;
}

bool unwind_injects(struct unwinder *u, uint64_t pc)
{
	const struct fact *f = fact_of(u, pc);

	return f && f->role == ROLE_INJECTED;
}

uint64_t unwind_entry(struct unwinder *u, uint64_t pc)
{
	const struct fact *f = fact_of(u, pc);

	return f ? f->entry : 0;
}

static bool from_bytes(const uint8_t *bytes, size_t n, uint64_t offset, uint64_t *ret)
{
	if (n < sizeof(*ret) || offset > n - sizeof(*ret))
		return false;
	memcpy(ret, bytes + offset, sizeof(*ret));
	return true;
}

static bool read_window(struct unwinder *u, const struct unwind_start *from, uint64_t at)
{
	struct unwind_window *w = u->window;

	if (!w)
		w = u->window = xcalloc(1, sizeof(*w));
	w->at = at;
	w->n = from->hi - at < PIECE ? from->hi - at : PIECE;
	if (!memory_read(u->proc, at, w->bytes, w->n))
		w->n = 0;
	return w->n;
}

static bool unwind_word_at(struct unwinder *u, const struct unwind_start *from, uint64_t at,
			   uint64_t *ret)
{
	if (at < from->lo || at > from->hi || from->hi - at < sizeof(*ret) || !u->words_left)
		return false;
	u->words_left--;
	if (from_bytes(from->bytes, from->n, at - from->sp, ret))
		return true;
	if (!u->window || at < u->window->at || at - u->window->at + sizeof(*ret) > u->window->n) {
		if (!read_window(u, from, at))
			return false;
	}
	return from_bytes(u->window->bytes, u->window->n, at - u->window->at, ret);
}

/* Adds a frame. The outer frames are a ring, until unwind_finish(). */
static void unwind_add_frame(struct unwound *ret, uint64_t pc, uint64_t i)
{
	if (i < UNWIND_INNER)
		ret->pcs[i] = pc;
	else
		ret->pcs[UNWIND_INNER + (i - UNWIND_INNER) % UNWIND_OUTER] = pc;
}

static void unwind_finish(struct unwound *ret, uint64_t total)
{
	uint64_t outer[UNWIND_OUTER];
	size_t i, first;

	ret->n = total < UNWIND_MAX ? total : UNWIND_MAX;
	ret->left_out = total - ret->n;
	if (!ret->left_out)
		return;
	first = (total - UNWIND_INNER) % UNWIND_OUTER;
	memcpy(outer, ret->pcs + UNWIND_INNER, sizeof(outer));
	for (i = 0; i < UNWIND_OUTER; i++)
		ret->pcs[UNWIND_INNER + i] = outer[(first + i) % UNWIND_OUTER];
}

/* Where a traceback has got to. */
struct unwind_place {
	uint64_t pc, sp;
	uint64_t link;		/* as in struct unwind_start */
	bool first;		/* the innermost frame */
	bool trap;		/* @pc is where the function was interrupted */
};

/* Goes to the caller, for an architecture of which calls store the return address on the stack. */
static bool unwind_above(struct unwinder *u, const struct unwind_start *from,
			 const struct fact *f, struct unwind_place *p)
{
	if (!unwind_word_at(u, from, p->sp + (uint32_t)f->delta, &p->pc))
		return false;
	p->sp += (uint32_t)f->delta + sizeof(p->pc);
	p->trap = f->role == ROLE_INJECTED;
	return true;
}

/*
 * Goes to the caller, for an architecture with a link register (runtime/traceback.go,
 * resolveInternal() and next(), usesLR). A function stores the register at the bottom of its frame
 * as it makes it. One without a frame may have it still: the innermost one, and one that a signal
 * handler interrupted. The handler stores the register at a multiple of 16 bytes above the frame of
 * the function that it calls.
 */
static bool unwind_linked(struct unwinder *u, const struct unwind_start *from,
			  const struct fact *f, struct unwind_place *p)
{
	enum { STACK_ALIGN = 16 };
	uint64_t bottom = p->sp;

	p->sp += (uint32_t)f->delta;
	if (!f->delta && p->link)
		p->pc = p->link;
	else if ((!f->delta && (p->trap || !p->first)) ||
		 !unwind_word_at(u, from, bottom, &p->pc))
		return false;
	p->link = 0;
	p->first = false;
	p->trap = f->role == ROLE_INJECTED;
	if (!p->trap)
		return true;
	if (!unwind_word_at(u, from, p->sp, &p->link))
		return false;
	p->sp += STACK_ALIGN;
	/* a call of an address that has no code was interrupted */
	if (!fact_of(u, p->pc)) {
		p->pc = p->link;
		p->link = 0;
	}
	return true;
}

void unwind(struct unwinder *u, const struct unwind_start *from, struct unwound *ret)
{
	struct unwind_place p = { from->pc, from->sp, from->link, true, from->trap };
	uint64_t total = 0;

	if (u->window)
		/* the window has bytes of another stack, or of an earlier time */
		u->window->n = 0;
	ret->cut = true;
	ret->trap = from->trap;
	for (;;) {
		const struct fact *f = fact_of(u, p.pc);
		/* facts move when others are added */
		struct fact here;

		if (!f)
			break;
		here = *f;
		unwind_add_frame(ret, p.pc + (p.trap || p.pc == here.entry), total++);
		ret->cut = here.role != ROLE_TOP;
		if (!ret->cut || here.delta < 0 ||
		    !(u->arch->has_link ? unwind_linked : unwind_above)(u, from, &here, &p))
			break;
	}
	unwind_finish(ret, total);
}

void unwinder_free(struct unwinder *u)
{
	map64_free(&u->known);
	vec_free(&u->facts);
	free(u->window);
}
