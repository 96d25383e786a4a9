// SPDX-License-Identifier: Apache-2.0
/*
 * image_measure: the price of a record of the code for --attach inline, measured by running that
 * code in executable memory of gotap's own, with a made-up goroutine, thread and ring.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/vec.h"
#include "gooffsets.h"
#include "inline/image.h"

enum {
	CALLS = 100,		/* in a batch, which takes some microseconds */
	BATCHES = 400,		/* the fastest batch counts: the others were disturbed */
	FRAMES = 32,
	CHUNKS = 16,		/* of the ring: room for the records of a batch */
	FIELD = 16,		/* between the fields of the structs of the made-up runtime */
	OBJECT = sizeof(struct go_offsets) / sizeof(uint32_t) * FIELD,
	STACK = 4096,
	PAGE = 4096,
	FENCED = 1,		/* site of a record with a fence (bpf/inline/order.h) */
	/* Offsets in the shared memory. */
	SEEN = 2 * PAGE,
	HINTS = SEEN + 8 * INLINE_SEEN,
	RINGS = HINTS + INLINE_HINTS * sizeof(struct inline_hints) +
		INLINE_MS * sizeof(struct inline_m),
};

static const struct go_offsets offsets = {
#define F(member, type, path, since) .member = offsetof(struct go_offsets, member) / 4 * FIELD,
	GO_OFFSETS(F)
#undef F
};

#define AT(object, member) (*(uint64_t *)((object) + offsets.member))

struct bench {
	_Alignas(16) uint8_t g[OBJECT], g0[OBJECT], m[OBJECT];
	uint64_t stack[2 * FRAMES], system[STACK / 8];
	uint8_t *code, *shared;
	size_t code_size, shared_size;
	struct ring_state *state;
};

static uint64_t addr_of(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/* The function that the stub jumps to after the program. */
void image_measure_landing(void);
__asm__(".text\n"
	".globl image_measure_landing\n"
	".hidden image_measure_landing\n"
	".type image_measure_landing, @function\n"
	"image_measure_landing:\n"
	"\tret\n"
	".size image_measure_landing, .-image_measure_landing\n");

/* Makes a call as Go does, of reentersyscall(pc, sp, bp). */
static void measure_call(const void *function, const void *g, uint64_t pc, const void *bp)
{
	uint64_t ax = pc, bx = 0, cx = addr_of(bp);

	__asm__ volatile("sub $128, %%rsp\n\t"		/* the red zone */
			 "mov %%r14, %%r15\n\t"
			 "mov %[g], %%r14\n\t"
			 "call *%[function]\n\t"
			 "mov %%r15, %%r14\n\t"
			 "add $128, %%rsp"
			 : "+a"(ax), "+b"(bx), "+c"(cx)
			 : [function] "r"(function), [g] "r"(g)
			 : "r12", "r13", "r15", "memory", "cc");
}

/*
 * Returns the time. The CPU time of the thread does not serve: on some virtual machines it goes
 * back and forth by more than a batch takes.
 */
static double measure_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/*
 * Returns the ns of a call of @function for a syscall from @pc (0: without a stack) with the chain
 * of frames at @bp.
 */
static double measure_fastest(struct bench *b, const void *function, uint64_t pc, const void *bp)
{
	double best = 1e12, begin, ns;
	int batch, i;

	for (batch = 0; batch < BATCHES; batch++) {
		begin = measure_now_ns();
		for (i = 0; i < CALLS; i++)
			measure_call(function, b->g, pc, bp);
		ns = (measure_now_ns() - begin) / CALLS;
		if (ns < best)
			best = ns;
		b->state->position = 0;
	}
	return best;
}

/* Makes the shared memory as for a target, with one ring for all CPUs. */
static void measure_share(struct bench *b, struct image *im)
{
	struct inline_shared *s = (struct inline_shared *)b->shared;

	*s = (struct inline_shared){
		.alive = 1,
		.on = 1,
		.n_states = 1,
		.states = PAGE,
		.seen = SEEN,
		.hints = HINTS,
		.chunks = RINGS,
		.size = b->shared_size,
	};
	b->state = (struct ring_state *)(b->shared + s->states);
	b->state->chunks = CHUNKS;
	image_set_layout(im, s);
}

static void fill_in(struct image *im)
{
	struct inline_site site = { .target = addr_of(image_measure_landing),
				    .program = INLINE_syscall_enter };
	struct inline_site fenced = { .target = site.target, .program = INLINE_stw_end };
	uint32_t depth = FRAMES + 1;

	image_put(im, "off", &offsets, sizeof(offsets));
	image_put(im, "stack_depth", &depth, sizeof(depth));
	image_set_site(im, 0, &site);
	image_set_site(im, FENCED, &fenced);
}

static void *measure_map(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Makes the image executable, with the control page after it. */
static int measure_load(struct bench *b, struct error *err)
{
	struct inline_control *control;
	struct image im;

	image_init(&im);
	b->code_size = im.size + PAGE;
	b->shared_size = RINGS + CHUNKS * RING_CHUNK;
	b->code = measure_map(b->code_size);
	b->shared = measure_map(b->shared_size);
	if (b->code == MAP_FAILED || b->shared == MAP_FAILED) {
		image_free(&im);
		return error_set(err, -errno,
				 "no memory to measure the price of inline records: %s",
				 strerror(errno));
	}
	measure_share(b, &im);
	fill_in(&im);
	memcpy(b->code, im.code, im.size);
	control = (struct inline_control *)(b->code + im.size);
	control->shared = addr_of(b->shared);
	image_free(&im);
	if (mprotect(b->code, b->code_size - PAGE, PROT_READ | PROT_EXEC))
		return error_set(
			err, -errno,
			"cannot measure the price of inline records, no memory can be made "
			"executable: %s",
			strerror(errno));
	return 0;
}

static void measure_unload(struct bench *b)
{
	if (b->code != MAP_FAILED)
		munmap(b->code, b->code_size);
	if (b->shared != MAP_FAILED)
		munmap(b->shared, b->shared_size);
}

/* Makes a goroutine on its thread, and the chain of frames on its stack, innermost first. */
static void make_up(struct bench *b)
{
	int i;

	AT(b->g, g_m) = addr_of(b->m);
	AT(b->g, g_stack_lo) = addr_of(b->stack);
	AT(b->g, g_stack_hi) = addr_of(b->stack) + sizeof(b->stack);
	AT(b->m, m_curg) = addr_of(b->g);
	AT(b->m, m_g0) = addr_of(b->g0);
	AT(b->g0, g_stack_lo) = addr_of(b->system);
	AT(b->g0, g_sched_sp) = addr_of(b->system) + sizeof(b->system);
	AT(b->m, m_procid) = 1;
	for (i = 0; i < FRAMES; i++) {
		b->stack[2 * i] = i + 1 < FRAMES ? addr_of(&b->stack[2 * i + 2]) : 0;
		b->stack[2 * i + 1] = (uint64_t)i + 1;
	}
}

static double measure_more(double than, double ns)
{
	return ns > than ? ns - than : 0;
}

static void inline_measure(struct bench *b, struct image_prices *ret)
{
	const void *stub = b->code + image_stub(0);
	double empty, record, fenced, one, all;

	empty = measure_fastest(b, (const void *)(uintptr_t)image_measure_landing, 0, NULL);
	record = measure_fastest(b, stub, 0, NULL);
	fenced = measure_fastest(b, b->code + image_stub(FENCED), 0, NULL);
	one = measure_fastest(b, stub, 1, &b->stack[2 * FRAMES - 2]);
	all = measure_fastest(b, stub, 1, b->stack);
	*ret = (struct image_prices){
		.record = measure_more(empty, (record + fenced) / 2),
		.stack = measure_more(record, one),
		.frame = measure_more(one, all) / (FRAMES - 1),
	};
}

int image_measure(struct image_prices *ret, struct error *err)
{
	struct bench *b = xcalloc(1, sizeof(*b));
	int rc = measure_load(b, err);

	if (!rc) {
		make_up(b);
		inline_measure(b, ret);
	}
	measure_unload(b);
	free(b);
	return rc;
}
