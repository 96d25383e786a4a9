/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inline_call: calls the code that --attach inline puts into a program as Go code does, in a fake program
 * (inline_fake.h), and compares the registers after the call and the records.
 */
#ifndef GOTAP_TESTS_INLINE_CALL_H
#define GOTAP_TESTS_INLINE_CALL_H

#include "inline_fake.h"
#include "unit_random.h"
#include "sites.h"

/* The registers that may have a meaning for Go code at a call; the stack pointer is given apart. */
struct registers {
	uint64_t ax, bx, cx, dx, si, di, bp, r8, r9, r10, r11, r14, r15;
	uint64_t x[16][2];
};

void call_stub(const struct registers *in, struct registers *out, const void *stub, void *sp);
extern char stub_returns[];

/* Loads the registers from @in, calls @stub on the stack at @sp, and stores the registers to @out. */
__asm__(".bss\n"
	"saved_out: .quad 0\n"
	"saved_stub: .quad 0\n"
	"saved_sp: .quad 0\n"
	".text\n"
	".globl call_stub, stub_returns\n"
	"call_stub:\n"
	"push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
	"mov %rsi, saved_out(%rip)\n"
	"mov %rdx, saved_stub(%rip)\n"
	"mov %rsp, saved_sp(%rip)\n"
	"mov %rcx, %rsp\n"
	".set i, 0\n"
	".irp x, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
	"movups 104 + 16 * \\x(%rdi), %xmm\\x\n"
	".endr\n"
	"mov 0(%rdi), %rax; mov 8(%rdi), %rbx; mov 16(%rdi), %rcx; mov 24(%rdi), %rdx\n"
	"mov 32(%rdi), %rsi; mov 48(%rdi), %rbp; mov 56(%rdi), %r8; mov 64(%rdi), %r9\n"
	"mov 72(%rdi), %r10; mov 80(%rdi), %r11; mov 88(%rdi), %r14; mov 96(%rdi), %r15\n"
	"mov 40(%rdi), %rdi\n"
	"call *saved_stub(%rip)\n"
	"stub_returns:\n"
	"mov saved_out(%rip), %r12\n"
	"mov %rsp, %r13\n"
	"mov %rax, 0(%r12); mov %rbx, 8(%r12); mov %rcx, 16(%r12); mov %rdx, 24(%r12)\n"
	"mov %rsi, 32(%r12); mov %rdi, 40(%r12); mov %rbp, 48(%r12); mov %r8, 56(%r12)\n"
	"mov %r9, 64(%r12); mov %r10, 72(%r12); mov %r11, 80(%r12); mov %r14, 88(%r12); mov %r15, 96(%r12)\n"
	".irp x, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
	"movups %xmm\\x, 104 + 16 * \\x(%r12)\n"
	".endr\n"
	"mov saved_sp(%rip), %rsp\n"
	"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
	"ret\n");

enum { RETURN = 8 };		/* bytes of stack: the return address of the call */

static struct fake_thread thread;
static struct registers regs, after;
static uint8_t flag;
/* Knobs of the images that the next begin() makes: */
static uint32_t abi;		/* enum go_abi */
static bool goid_before_status = true;
static bool without_rdpid;

/* The cases use a site of each program, with the number of the program, and behind them a trace hook. */
enum { HOOK = INLINE_PROGRAMS };

static struct site_slot slots[SITE_SLOTS];

/* For the site table the call in call_stub() is a call site with all these changes of status. */
static const struct {
	uint8_t old, new_;
	struct site_class class;
} classes[] = {
	{ 2, 4, { REC_GO_PARK, 0, STACK_PARK, 0 } },
	{ 4, 1, { REC_GO_READY, 0, STACK_READY, 0 } },
	{ 2, 1, { REC_GO_STOP, REC_STOP_GOSCHED, STACK_STOP, 0 } },
	{ 6, 1, { REC_GO_CREATE, 0, STACK_CREATE, 0 } },
	{ 2, 6, { REC_GO_DEAD, 0, 0, 0 } },
	{ 2, 3, { REC_SYS_ENTER, 0, STACK_SYSCALL, 0 } },
	{ 3, 2, { REC_SYS_EXIT, 0, 0, 0 } },
	{ 9, 1, { REC_GO_STOP, 0, STACK_STOP, 0 } },
	{ 0, 0, { REC_P_START, REC_PSTART_EXITSYSCALL, 0, 0 } },
};

/* Fills the table; returns a multiplier that gives each class a slot of its own. */
static inline uint64_t fill_slots(void)
{
	uint64_t multiplier = 0x9e3779b97f4a7c15;
	size_t i;

	for (;; multiplier += 2) {
		memset(slots, 0, sizeof(slots));
		for (i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
			uint64_t key = SITE_KEY(addr_of(stub_returns), classes[i].old, classes[i].new_);
			struct site_slot *s = &slots[SITE_SLOT(key, multiplier)];

			if (s->key)
				break;
			*s = (struct site_slot){ .key = key, .class = classes[i].class };
		}
		if (i == sizeof(classes) / sizeof(*classes))
			return multiplier;
	}
}

static inline void begin(uint32_t n_states, uint32_t chunks)
{
	struct inline_site hook = { addr_of(fake_landing), addr_of(&flag), INLINE_syscall_exit, 0 };
	size_t i;

	fake_make(n_states, chunks);
	PUT(go_abi, uint32_t, abi);
	PUT(goid_before_status, bool, goid_before_status);
	if (without_rdpid)
		PUT(has_rdpid, bool, false);
	PUT(site_multiplier, uint64_t, fill_slots());
	image_put(&fake_image, "site_table", slots, sizeof(slots));
	for (i = 0; i < INLINE_PROGRAMS; i++)
		fake_site(i, (enum inline_program)i);
	image_set_site(&fake_image, HOOK, &hook);
	fake_load();
	fake_thread_init(&thread, TID);
	memset(&regs, 0, sizeof(regs));
	fake_landed = 0;
	flag = 0;
}

/* Calls the stub of @site as the goroutine, or as the scheduler on the system stack. */
static inline void call(size_t site, const uint8_t *g)
{
	void *sp = g == thread.g ? thread.stack + STACK / 16 : thread.system + STACK / 16;

	regs.r14 = addr_of(g);
	if (!regs.bp)
		regs.bp = addr_of(sp);	/* a frame without locals */
	call_stub(&regs, &after, fake_code + image_stub(site), sp);
}

/* casgstatus(gp, old, new) */
static inline void change(const uint8_t *g, const uint8_t *gp, uint64_t old, uint64_t new_)
{
	regs.ax = addr_of(gp);
	regs.bx = old;
	regs.cx = new_;
	call(INLINE_casgstatus, g);
}

/* The @i-th record of the first ring; NULL: there are not so many. */
static inline const struct rec *record(size_t i)
{
	size_t end = (fake_states->position >> 32) * RING_UNIT, at = 0, n;

	for (; at < end; at += n, i--) {
		const struct rec *r = (const struct rec *)(fake_chunks + at);

		n = record_size(r, end - at);
		if (!n)
			return NULL;
		if (!i)
			return r;
	}
	return NULL;
}

static inline size_t records(void)
{
	size_t n = 0;

	while (record(n))
		n++;
	return n;
}

static inline const struct rec_long *long_record(size_t i)
{
	return (const struct rec_long *)record(i);
}

/* The stack that came as record @i. */
static inline const struct rec_stack *stack_record(size_t i)
{
	return (const struct rec_stack *)record(i);
}

/* A chain of @n frames on the goroutine's stack; returns its first frame pointer. */
static inline uint64_t make_chain(size_t n)
{
	uint64_t *f = thread.stack + STACK / 8 - 512;
	size_t i;

	for (i = 0; i < n; i++, f += 2) {
		f[0] = i + 1 < n ? addr_of(f + 2) : 0;
		f[1] = 0x1000 + i;
	}
	AT(thread.g, g_sched_bp) = AT(thread.g, g_syscallbp) = addr_of(f - 2 * n);
	AT(thread.g, g_sched_pc) = AT(thread.g, g_syscallpc) = 0xfff;
	return addr_of(f - 2 * n);
}

/* Record @i names a stack, whose record comes next: pc @first, then the @n frames of make_chain(). */
static inline void check_stack(size_t i, enum stack_class class, uint64_t first, size_t n)
{
	const struct rec_long *l = long_record(i);
	const struct rec_stack *s = stack_record(i + 1);
	size_t k;

	CHECK(l && s && l->stack && s->r.kind == REC_STACK);
	if (!l || !s || s->r.kind != REC_STACK)
		return;
	CHECK_EQ(s->r.id, l->stack);
	CHECK_EQ(s->r.sub, class);
	CHECK_EQ(s->r.ptr, 0);
	CHECK_EQ(s->n, n + 1);
	CHECK_EQ(s->pcs[0], first);
	for (k = 0; k < n; k++)
		CHECK_EQ(s->pcs[k + 1], 0x1000 + k);
}

/* The record that is no stack: an annotation comes behind its stack, all others before it. */
static inline const struct rec *head(void)
{
	const struct rec *r = record(0);

	return r && r->kind == REC_STACK ? record(1) : r;
}

static inline void check_head(enum rec_kind kind, uint64_t id, const void *ptr, uint8_t sub)
{
	const struct rec *r = head();

	CHECK(r);
	if (!r)
		return;
	CHECK_EQ(r->kind, kind);
	CHECK_EQ(r->id, id);
	CHECK_EQ(r->ptr, addr_of(ptr));
	CHECK_EQ(r->sub, sub);
	CHECK_EQ(r->tid, TID);
	CHECK(r->time);
	CHECK_EQ(fake_landed, 1);
	CHECK_EQ(fake_states->hits, 1);
	CHECK_EQ(fake_states->lost, 0);
}

static inline void fill_registers(void)
{
	uint64_t *word = (uint64_t *)&regs;
	size_t i;

	for (i = 0; i < sizeof(regs) / 8; i++)
		word[i] = 0x0101010101010101 * (i + 1);
}

static inline void check_registers(void)
{
	CHECK(!memcmp(&regs, &after, sizeof(regs)));
	CHECK_EQ(fake_landed, 1);
}

static uint64_t random_state = 88172645463325252;

static inline uint64_t random_word(void)
{
	return unit_random(&random_state);
}

#endif
