// SPDX-License-Identifier: Apache-2.0
/*
 * frames: the frames of the stacks of records. The records of a program have few addresses: each is
 * looked up once, and a stack is a row of numbers. See view.h.
 */
#include <string.h>

#include "base/map64.h"
#include "cmd/heap/view.h"

enum { CALLS = 128 };	/* more than SOURCE_MAX_INLINE frames of one address */

/* The frames of one return address, the innermost inlined call first: n of v->calls. */
struct heap_place {
	uint32_t first, n;
};

/* A place as a value of v->by_pc. */
static uint64_t frames_pack(struct heap_place p)
{
	return (uint64_t)p.first << 32 | p.n;
}

static struct heap_place frames_unpack(uint64_t v)
{
	return (struct heap_place){ (uint32_t)(v >> 32), (uint32_t)v };
}

static bool frames_is_of_runtime(const char *func)
{
	return !strncmp(func, "runtime.", 8) || !strncmp(func, "internal/runtime/", 17);
}

static bool frames_is_goexit(const char *func)
{
	return !strcmp(func, "runtime.goexit");
}

/* One name has one address, that of the symbolizer. */
static uint32_t frames_function(struct heap_view *v, const char *func)
{
	bool is_new;
	uint64_t *at = map64_put(&v->by_function, (uintptr_t)func, &is_new);

	if (is_new)
		*at = v->by_function.len - 1;
	return (uint32_t)*at;
}

static void frames_keep_call(struct heap_view *v, const struct call *c, uint64_t pc)
{
	struct heap_call *to = vec_push(&v->calls, sizeof(*to));
	const struct frame *f = &c->frame;

	*to = (struct heap_call){
		.frame = { f->func, f->file, f->line, pc - 1, c->inlined },
		.function = frames_function(v, f->func),
		.of_runtime = frames_is_of_runtime(f->func),
		.is_goexit = frames_is_goexit(f->func),
	};
}

static __attribute__((noinline)) struct heap_place frames_look_up(struct heap_view *v, uint64_t pc)
{
	struct heap_place ret = { .first = (uint32_t)v->calls.len };
	struct call found[CALLS];
	size_t i;

	ret.n = (uint32_t)symbolizer_calls(v->symbols, &pc, 1, found, CALLS);
	for (i = 0; i < ret.n; i++)
		frames_keep_call(v, &found[i], pc);
	*map64_put(&v->by_pc, pc, NULL) = frames_pack(ret);
	return ret;
}

static inline struct heap_place frames_place(struct heap_view *v, uint64_t pc)
{
	const uint64_t *at = map64_get(&v->by_pc, pc);

	return at ? frames_unpack(*at) : frames_look_up(v, pc);
}

static const struct heap_frame *frames_at(const struct heap_view *v, size_t i)
{
	return &vec_at(&v->calls, struct heap_call, i)->frame;
}

/* Are the frames of @inner from @k on those of @outer? */
static bool frames_continue(const struct heap_view *v, struct heap_place inner, size_t k,
			    struct heap_place outer)
{
	size_t i;

	if (!outer.n || inner.n - k != outer.n)
		return false;
	for (i = 0; i < outer.n; i++) {
		const struct heap_frame *a = frames_at(v, inner.first + k + i);
		const struct heap_frame *b = frames_at(v, outer.first + i);

		if (a->func != b->func || a->file != b->file || a->line != b->line)
			return false;
	}
	return true;
}

/*
 * The stacks of the heap profile, and up to Go 1.22 all stacks, have an address for each inlined
 * call (runtime.callers), others have one for all calls that are inlined into one function
 * (fpTracebackPartialExpand). As runtime.CallersFrames does, this tells them apart by the next
 * address: whether it stands for the call around the inlined one.
 */
size_t heap_calls(struct heap_view *v, const struct heap_record *r,
		  uint32_t out[static HEAP_FRAMES])
{
	const uint64_t *pcs = vec_at(&v->profile.pcs, uint64_t, r->first);
	struct heap_place here, next = {0};
	size_t i, n = 0;
	uint32_t k;

	if (r->n)
		next = frames_place(v, pcs[0]);
	for (i = 0; i < r->n; i++) {
		here = next;
		next = i + 1 < r->n ? frames_place(v, pcs[i + 1]) : (struct heap_place){0};
		if (here.n && n < HEAP_FRAMES)
			out[n++] = here.first;
		for (k = 1; k < here.n && n < HEAP_FRAMES; k++) {
			if (frames_continue(v, here, k, next))
				break;
			out[n++] = here.first + k;
		}
	}
	return n;
}

size_t heap_shown_calls(const struct heap_view *v, const uint32_t *calls, size_t *n)
{
	const struct heap_call *all = v->calls.data;
	size_t i;

	if (*n > 1 && all[calls[*n - 1]].is_goexit)
		--*n;
	for (i = 0; i < *n && v->form->kind == HEAP_MEMORY; i++)
		if (!all[calls[i]].of_runtime)
			return i;
	return 0;
}

size_t heap_frames(struct heap_view *v, const struct heap_record *r,
		   struct heap_frame out[static HEAP_FRAMES])
{
	static uint32_t numbers[HEAP_FRAMES];
	size_t i, n = heap_calls(v, r, numbers);

	for (i = 0; i < n; i++)
		out[i] = *frames_at(v, numbers[i]);
	return n;
}

size_t heap_shown_frames(const struct heap_view *v, const struct heap_frame *frames, size_t *n)
{
	size_t i;

	if (*n > 1 && frames_is_goexit(frames[*n - 1].func))
		--*n;
	for (i = 0; i < *n && v->form->kind == HEAP_MEMORY; i++)
		if (!frames_is_of_runtime(frames[i].func))
			return i;
	return 0;
}

void heap_frames_free(struct heap_view *v)
{
	vec_free(&v->calls);
	map64_free(&v->by_pc);
	map64_free(&v->by_function);
}
