// SPDX-License-Identifier: Apache-2.0
/* image: the stacks that the code of --attach inline walks, their ends, and the hints by which it walks deep ones. */
#define _GNU_SOURCE
#include "inline_call.h"

#include <pthread.h>

static void stacks_are_as_deep_as_asked_for(void)
{
	uint64_t whole;

	begin(1, 8);
	make_chain(200);
	change(thread.g0, thread.g, 2, 4);
	CHECK_EQ(stack_record(1)->n, 127);
	whole = long_record(0)->stack;
	CHECK(!(whole & (STACK_KEY_SHORT | STACK_KEY_CUT | STACK_KEY_ENTRY)));
	fake_shared->stacks = STACKS_SHORT;
	change(thread.g0, thread.g, 2, 4);
	CHECK(long_record(2)->stack & STACK_KEY_SHORT);
	CHECK_EQ(stack_record(3)->n, SHORT_STACK);
	fake_shared->stacks = STACKS_NONE;
	change(thread.g0, thread.g, 2, 4);
	CHECK_EQ(long_record(4)->stack, 0);
	CHECK_EQ(records(), 5);
	fake_end();
}

/* A frame pointer that is outside of the stack, not an address, or not aligned to a word ends the chain. */
static void a_chain_that_leaves_the_stack_ends_there(void)
{
	static const uint64_t outside[] = { 8, 4096, 0x7fffffffffff, 0xffff800000000000, ~0ULL - 7, ~0ULL, 1 };
	uint64_t *f = thread.stack + STACK / 8 - 512;
	size_t i;

	for (i = 0; i < sizeof(outside) / sizeof(*outside) + 3; i++) {
		begin(1, 8);
		make_chain(2);
		f[2] = i < sizeof(outside) / sizeof(*outside) ? outside[i] :
		       i % 3 == 0 ? addr_of(thread.stack) - 8 :
		       i % 3 == 1 ? addr_of(thread.stack) + STACK - 8 : addr_of(f) + 4;
		change(thread.g0, thread.g, 2, 4);
		check_stack(0, STACK_PARK, 0xfff, 2);
		CHECK(!(long_record(0)->stack & STACK_KEY_CUT));
		fake_end();
	}
}

/* The walk ends when it has as many frames as a stack may have. */
static void a_chain_that_is_a_circle(void)
{
	uint64_t *f = thread.stack + STACK / 8 - 512;

	begin(1, 8);
	make_chain(1);
	f[0] = addr_of(f);
	change(thread.g0, thread.g, 2, 4);
	CHECK_EQ(stack_record(1)->n, 127);
	fake_end();
}

/* --- hints of deep stacks --- */

enum { ROOM = 16384, BEYOND = 8 * 65536 };	/* bytes of a stack; and beside it, as far as a wrong hint may lead */

/* A stack with pages on both sides that nobody may access. */
static uint64_t *guarded_stack(void)
{
	uint8_t *at = mmap(NULL, BEYOND + ROOM + BEYOND, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(at + BEYOND, ROOM, PROT_READ | PROT_WRITE);
	return (uint64_t *)(at + BEYOND);
}

static void free_guarded(uint64_t *stack)
{
	munmap((uint8_t *)stack - BEYOND, BEYOND + ROOM + BEYOND);
}

static void give_stack(struct fake_thread *t, const uint64_t *stack)
{
	AT(t->g, g_stack_lo) = addr_of(stack);
	AT(t->g, g_stack_hi) = addr_of(stack) + ROOM;
}

static uint64_t random_below(uint64_t n)
{
	return (random_word() >> 20) % n;
}

/*
 * Makes a chain of @n frames whose last frame pointer is @end; returns the first one. The first 9 frames are the same
 * in all chains, so that these share their hints.
 */
static uint64_t random_chain(uint64_t *stack, size_t n, uint64_t end)
{
	uint64_t *f = stack + random_below(64), *first = f;
	size_t i;

	for (i = 0; i < n; i++) {
		uint64_t size = i < 9 ? 4 : 2 + random_below(12);

		f[0] = i + 1 < n ? addr_of(f + size) : end;
		f[1] = 0x1000 + i + (i < 9 ? 0 : 1000 * random_below(3));
		f += size;
	}
	return addr_of(first);
}

/* The pcs that a walk by frame pointers finds, by code of the test. */
static size_t plain_walk(const uint64_t *stack, uint64_t bp, uint64_t *pcs)
{
	size_t n = 0;

	pcs[n++] = 0xfff;
	while (n < 127 && !(bp & 7) && bp >= addr_of(stack) && bp <= addr_of(stack) + ROOM - 16) {
		const uint64_t *f = (const uint64_t *)(uintptr_t)bp;

		pcs[n++] = f[1];
		bp = f[0];
	}
	return n;
}

/*
 * The record has the frames of plain_walk(), and its key is theirs: stack_send() copies the frames and hashes them
 * without a hint, and sets r.ptr if the key differs.
 */
static uint64_t check_deep(const uint64_t *stack, uint64_t bp)
{
	const struct rec_stack *s;
	uint64_t pcs[128];
	size_t n = plain_walk(stack, bp, pcs);

	memset((uint8_t *)fake_shared + fake_shared->seen, 0, 8 * INLINE_SEEN);
	fake_states->position = 0;
	AT(thread.g, g_sched_bp) = bp;
	AT(thread.g, g_sched_pc) = 0xfff;
	change(thread.g0, thread.g, 2, 4);
	s = stack_record(1);
	CHECK(s && s->r.kind == REC_STACK);
	if (!s || s->r.kind != REC_STACK)
		return 0;
	CHECK_EQ(s->r.id, long_record(0)->stack);
	CHECK_EQ(s->r.ptr, 0);
	CHECK_EQ(s->n, n);
	CHECK(!memcmp(s->pcs, pcs, 8 * n));
	return s->r.id;
}

static uint16_t *hints(void)
{
	return ((struct inline_hints *)((uint8_t *)fake_shared + fake_shared->hints))->at;
}

enum { HINTS = INLINE_HINTS * sizeof(struct inline_hints) / sizeof(uint16_t) };

static void scribble_hints(void)
{
	static const uint16_t edges[] = { 0, 1, 2, 0x7fff, 0x8000, 0xffff, ROOM / 8 - 1, ROOM / 8, ROOM / 8 - 2 };
	uint16_t *h = hints();
	size_t i;

	for (i = 0; i < HINTS; i++)
		h[i] = i & 1 ? edges[random_below(sizeof(edges) / sizeof(*edges))] : (uint16_t)random_below(ROOM / 8);
}

/* Last frame pointers: 0, beside the stack, not aligned, no address, and back into the chain. */
static uint64_t random_end(const uint64_t *stack)
{
	const uint64_t ends[] = { 0, 0, 0, addr_of(stack) - 8, addr_of(stack) + ROOM, addr_of(stack) + ROOM - 8,
				  addr_of(stack) + 4, ~0ULL, 1ULL << 63, addr_of(stack + 64) };

	return ends[random_below(sizeof(ends) / sizeof(*ends))];
}

/* The hints may be missing, of another stack, learned, or random values that the target wrote. */
static void a_key_does_not_depend_on_hints(void)
{
	uint64_t *stack = guarded_stack(), bp, key;
	size_t i;

	begin(1, 8);
	give_stack(&thread, stack);
	for (i = 0; i < 3000; i++) {
		bp = random_chain(stack, 1 + random_below(i % 3 ? 127 : 20), random_end(stack));
		key = check_deep(stack, bp);
		CHECK_EQ(check_deep(stack, bp), key);
		if (i % 10)
			continue;
		scribble_hints();
		CHECK_EQ(check_deep(stack, bp), key);
		memset(hints(), 0, HINTS * sizeof(uint16_t));
		CHECK_EQ(check_deep(stack, bp), key);
	}
	CHECK_EQ(fake_states->lost, 0);
	fake_end();
	free_guarded(stack);
}

static void a_frame_that_changes_changes_the_key(void)
{
	uint64_t *stack = guarded_stack(), bp, key, was, *f;
	size_t i, k;

	begin(1, 8);
	give_stack(&thread, stack);
	for (i = 1; i < 90; i++) {
		bp = random_chain(stack, 100, 0);
		key = check_deep(stack, bp);
		for (f = (uint64_t *)(uintptr_t)bp, k = 0; k < i; k++)
			f = (uint64_t *)(uintptr_t)f[0];
		was = f[1]++;
		CHECK(check_deep(stack, bp) != key);
		f[1] = was;
		CHECK_EQ(check_deep(stack, bp), key);
		/* take out the next frame */
		f[0] = *(uint64_t *)(uintptr_t)f[0];
		CHECK(check_deep(stack, bp) != key);
	}
	fake_end();
	free_guarded(stack);
}

/*
 * The distances between the frames of a deep stack are learned as hints, and nothing else; a stack that is not deep
 * gives none.
 */
static void hints_are_of_deep_stacks(void)
{
	uint64_t *stack = guarded_stack(), bp, *f;
	uint16_t *h;
	size_t i, n;

	begin(1, 8);
	give_stack(&thread, stack);
	check_deep(stack, random_chain(stack + ROOM / 8 - 128, 9, 0));
	for (i = n = 0; i < HINTS; i++)
		n += hints()[i] != 0;
	CHECK_EQ(n, 0);
	bp = random_chain(stack, 60, 0);
	check_deep(stack, bp);
	for (h = hints(); h < hints() + HINTS && !*h; )
		h++;
	for (f = (uint64_t *)(uintptr_t)bp, i = 0; i < 8; i++)
		f = (uint64_t *)(uintptr_t)f[0];
	for (bp = addr_of(f); f[0]; f = (uint64_t *)(uintptr_t)f[0])
		CHECK_EQ(*h++, (f[0] - bp) / 8);
	/* a hint that agrees with the chain is not followed to a place where the plain walk ends */
	f[0] = addr_of(stack) + ROOM - 8;
	*h = (uint16_t)((f[0] - bp) / 8);
	check_deep(stack, AT(thread.g, g_sched_bp));
	fake_end();
	free_guarded(stack);
}

enum { THREADS = 3, STACKS = 2, CALLS = 3000 };

/* A thread and its two stacks. The stacks of all threads begin with the same frames. */
struct walker {
	struct fake_thread t;
	uint64_t stacks[STACKS][ROOM / 8], bp[STACKS], key[STACKS];
	pthread_t thread;
};

/* reentersyscall(pc, sp, bp), by any thread at any time. The record has the number of the stack as its goid. */
static void enter_syscall(struct walker *w, size_t stack)
{
	AT(w->t.g, g_goid) = stack;
	give_stack(&w->t, w->stacks[stack]);
	fake_call(fake_code + image_stub(INLINE_syscall_enter), w->t.g, 0xfff, 0, w->bp[stack]);
}

static void *walk_on(void *arg)
{
	struct walker *w = arg;
	size_t i;

	for (i = 0; i < CALLS; i++)
		enter_syscall(w, i / 3 % STACKS);
	return NULL;
}

static void make_walker(struct walker *w, uint32_t tid)
{
	size_t i;

	fake_thread_init(&w->t, tid);
	for (i = 0; i < STACKS; i++) {
		w->bp[i] = random_chain(w->stacks[i], 60 + i, 0);
		fake_states->position = 0;
		enter_syscall(w, i);
		w->key[i] = long_record(0)->stack;
		CHECK(w->key[i]);
	}
}

static size_t check_walkers(const struct walker *w)
{
	size_t end = (fake_states->position >> 32) * RING_UNIT, at, size, n = 0;

	for (at = 0; at < end; at += size) {
		const struct rec *r = (const struct rec *)(fake_chunks + at);

		size = record_size(r, RING_CHUNK - at % RING_CHUNK);
		if (!size || r->kind == REC_SKIP)
			size = RING_CHUNK - at % RING_CHUNK;
		if (r->kind != REC_SYS_ENTER)
			continue;
		CHECK_EQ(((const struct rec_long *)r)->stack, w[r->tid - 1].key[r->id]);
		n++;
	}
	return n;
}

/* All threads read and write the same hints at the same time. */
static void threads_that_mix_their_hints(void)
{
	static struct walker w[THREADS];
	size_t i;

	begin(1, 512);
	for (i = 0; i < THREADS; i++)
		make_walker(&w[i], (uint32_t)i + 1);
	fake_states->position = 0;
	for (i = 0; i < THREADS; i++)
		pthread_create(&w[i].thread, NULL, walk_on, &w[i]);
	for (i = 0; i < THREADS; i++)
		pthread_join(w[i].thread, NULL);
	CHECK_EQ(check_walkers(w) + fake_states->lost, THREADS * CALLS);
	fake_end();
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(stacks_are_as_deep_as_asked_for),
		UNIT(a_chain_that_leaves_the_stack_ends_there),
		UNIT(a_chain_that_is_a_circle),
		UNIT(a_key_does_not_depend_on_hints),
		UNIT(a_frame_that_changes_changes_the_key),
		UNIT(hints_are_of_deep_stacks),
		UNIT(threads_that_mix_their_hints),
		{0},
	});
}
