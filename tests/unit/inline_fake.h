/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inline_fake: a target for the code of --attach inline, inside the test: the image executable in the test's own
 * memory, shared memory as gotap would give it, and just enough of a Go runtime: a g, its g0, their m and a p. Every
 * field of the runtime has a place of its own (16 bytes times its number), so that a read of the wrong one shows.
 */
#ifndef GOTAP_TESTS_INLINE_FAKE_H
#define GOTAP_TESTS_INLINE_FAKE_H

#include "unit.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/vec.h"
#include "gooffsets.h"
#include "inline/image.h"

enum {
	FIELD = 16,
	OBJECT = sizeof(struct go_offsets) / sizeof(uint32_t) * FIELD,
	STACK = 16384,
	TID = 4711, TGID = 4700,
};

static const struct go_offsets fake_off = {
#define F(member, type, path, since) .member = offsetof(struct go_offsets, member) / 4 * FIELD,
	GO_OFFSETS(F)
#undef F
};

/* A field of a struct of the runtime. */
#define AT(object, member) (*(uint64_t *)((object) + fake_off.member))

struct fake_thread {
	_Alignas(16) uint8_t g[OBJECT], g0[OBJECT], m[OBJECT], p[OBJECT], other[OBJECT];
	uint64_t stack[STACK / 8], system[STACK / 8];
};

static struct image fake_image;
static uint8_t *fake_code;
static struct inline_control *fake_control;
static struct inline_shared *fake_shared;
static struct ring_state *fake_states;
static uint8_t *fake_chunks;
static size_t fake_size;

static inline uint64_t addr_of(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static inline void fake_thread_init(struct fake_thread *t, uint32_t tid)
{
	memset(t, 0, sizeof(*t));
	AT(t->g, g_m) = AT(t->g0, g_m) = addr_of(t->m);
	AT(t->m, m_curg) = addr_of(t->g);
	AT(t->m, m_g0) = addr_of(t->g0);
	AT(t->m, m_p) = addr_of(t->p);
	AT(t->m, m_procid) = tid;
	AT(t->p, p_id) = 3;
	AT(t->g, g_goid) = 17;
	AT(t->other, g_goid) = 18;
	AT(t->g, g_stack_lo) = addr_of(t->stack);
	AT(t->g, g_stack_hi) = addr_of(t->stack) + STACK;
	AT(t->g0, g_stack_lo) = addr_of(t->system);
	AT(t->g0, g_stack_hi) = addr_of(t->system) + STACK;
	AT(t->g0, g_sched_sp) = addr_of(t->system) + STACK - 64;
}

/*
 * Shared memory with @n_states rings of @chunks chunks each. Before and behind its states, its keys, its hints and
 * its chunks lie pages that nobody may touch.
 */
static inline void fake_share(uint32_t n_states, uint32_t chunks)
{
	enum { PAGE = 4096 };
	uint64_t states = 2 * PAGE, seen, hints, first, end;
	uint8_t *at;
	uint32_t i;

	seen = (states + n_states * sizeof(*fake_states) + 2 * PAGE - 1) & ~(PAGE - 1ULL);
	hints = seen + 8ULL * INLINE_SEEN + PAGE;
	first = hints + INLINE_HINTS * sizeof(struct inline_hints) + INLINE_MS * sizeof(struct inline_m) + PAGE;
	end = first + (uint64_t)n_states * chunks * RING_CHUNK;
	fake_size = end + PAGE;
	at = mmap(NULL, fake_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(at + PAGE, PAGE, PROT_NONE);
	mprotect(at + seen - PAGE, PAGE, PROT_NONE);
	mprotect(at + hints - PAGE, PAGE, PROT_NONE);
	mprotect(at + first - PAGE, PAGE, PROT_NONE);
	mprotect(at + end, PAGE, PROT_NONE);
	fake_shared = (struct inline_shared *)at;
	fake_states = (struct ring_state *)(at + states);
	fake_chunks = at + first;
	*fake_shared = (struct inline_shared){
		.magic = INLINE_MAGIC, .alive = TID, .on = 1, .n_states = n_states,
		.states = states, .seen = seen, .hints = hints, .chunks = first, .size = end,
	};
	for (i = 0; i < n_states; i++)
		fake_states[i] = (struct ring_state){ .first_chunk = i * chunks, .chunks = chunks };
}

#define PUT(name, type, value) image_put(&fake_image, #name, &(type){ value }, sizeof(type))

/* The image with the knobs of a Go 1.27 program; the caller sets sites and other knobs, then calls fake_load(). */
static inline void fake_make(uint32_t n_states, uint32_t chunks)
{
	fake_share(n_states, chunks);
	image_init(&fake_image);
	image_put(&fake_image, "off", &fake_off, sizeof(fake_off));
	PUT(target_tgid, uint32_t, TGID);
	PUT(stack_depth, uint32_t, 127);
	PUT(goid_before_status, bool, true);
	PUT(syscall_bp, bool, true);
	PUT(site_multiplier, uint64_t, 1);
	image_set_layout(&fake_image, fake_shared);
}

static inline void fake_load(void)
{
	fake_code = mmap(NULL, fake_image.size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(fake_code, fake_image.code, fake_image.size);
	fake_control = (struct inline_control *)(fake_code + fake_image.size);
	fake_control->shared = addr_of(fake_shared);
	mprotect(fake_code, fake_image.size, PROT_READ | PROT_EXEC);
}

static inline void fake_end(void)
{
	munmap(fake_code, fake_image.size + 4096);
	munmap(fake_shared, fake_size);
	image_free(&fake_image);
}

/* A function that does nothing but count its calls: where the original calls lead. */
void fake_landing(void);
extern uint64_t fake_landed;

__asm__(".data\n"
	".globl fake_landed\n"
	"fake_landed: .quad 0\n"
	".text\n"
	".globl fake_landing\n"
	"fake_landing:\n"
	"\tincq fake_landed(%rip)\n"
	"\tret\n");

/*
 * Calls a stub with @g in r14, its arguments in registers, as Go code does; any number of threads may call at the
 * same time. The 128 bytes are the red zone, which the compiler may use below the stack pointer. The stub keeps r15.
 */
static inline void fake_call(const void *stub, const uint8_t *g, uint64_t ax, uint64_t bx, uint64_t cx)
{
	__asm__ volatile("sub $128, %%rsp\n\t"
			 "mov %%r14, %%r15\n\t"
			 "mov %[g], %%r14\n\t"
			 "call *%[stub]\n\t"
			 "mov %%r15, %%r14\n\t"
			 "add $128, %%rsp"
			 : "+a"(ax), "+b"(bx), "+c"(cx)
			 : [stub] "r"(stub), [g] "r"(g)
			 : "r12", "r13", "r15", "memory", "cc");
}

static inline void fake_site(size_t i, enum inline_program program)
{
	struct inline_site s = { .target = addr_of(fake_landing), .program = program };

	image_set_site(&fake_image, i, &s);
}

#endif
