// SPDX-License-Identifier: Apache-2.0
/*
 * image: the code that --attach inline puts into a program, in a fake one (inline_fake.h): it is called as Go code
 * calls, and leaves the program as it was and the right records behind.
 */
#define _GNU_SOURCE
#include "inline_fake.h"

#include <pthread.h>
#include <sched.h>

/* What a Go function may have in registers at a call, and the stack pointer there. */
struct registers {
	uint64_t ax, bx, cx, dx, si, di, bp, r8, r9, r10, r11, r14, r15;
	uint64_t x[16][2];
};

void call_stub(const struct registers *in, struct registers *out, const void *stub, void *sp);
extern char stub_returns[];

/* Loads @in, calls @stub on the stack at @sp, and stores what the registers are then to @out. */
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

enum { RETURN = 8 };		/* bytes of stack that the call itself takes */

static struct fake_thread thread;
static struct registers regs, after;
static uint8_t flag;
/* Of the images to come: */
static uint32_t abi;		/* enum go_abi */
static bool goid_before_status = true;
static bool without_rdpid;

/* The sites that the cases use, one of each program, and a trace hook. */
enum { HOOK = INLINE_PROGRAMS };

static struct site_slot slots[SITE_SLOTS];

/* The call in call_stub() is a site of all these classes. */
static const struct {
	uint8_t old, new_;
	struct site_class class;
} classes[] = {
	{ 2, 4, { REC_GO_PARK, 0, STACK_PARK } },
	{ 4, 1, { REC_GO_READY, 0, STACK_READY } },
	{ 2, 1, { REC_GO_STOP, REC_STOP_GOSCHED, STACK_STOP } },
	{ 6, 1, { REC_GO_CREATE, 0, STACK_CREATE } },
	{ 2, 6, { REC_GO_DEAD, 0, 0 } },
	{ 2, 3, { REC_SYS_ENTER, 0, STACK_SYSCALL } },
	{ 3, 2, { REC_SYS_EXIT, 0, 0 } },
	{ 9, 1, { REC_GO_STOP, 0, STACK_STOP } },
	{ 0, 0, { REC_P_START, REC_PSTART_EXITSYSCALL, 0 } },
};

/* Fills the table with a multiplier that gives each class a slot of its own. */
static uint64_t fill_slots(void)
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

static void begin(uint32_t n_states, uint32_t chunks)
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
static void call(size_t site, const uint8_t *g)
{
	void *sp = g == thread.g ? thread.stack + STACK / 16 : thread.system + STACK / 16;

	regs.r14 = addr_of(g);
	if (!regs.bp)
		regs.bp = addr_of(sp);	/* of a frame of no size */
	call_stub(&regs, &after, fake_code + image_stub(site), sp);
}

/* casgstatus(gp, old, new) */
static void change(const uint8_t *g, const uint8_t *gp, uint64_t old, uint64_t new_)
{
	regs.ax = addr_of(gp);
	regs.bx = old;
	regs.cx = new_;
	call(INLINE_casgstatus, g);
}

/* The @i-th record of the first ring; NULL: there are not so many. */
static const struct rec *record(size_t i)
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

static size_t records(void)
{
	size_t n = 0;

	while (record(n))
		n++;
	return n;
}

static const struct rec_long *long_record(size_t i)
{
	return (const struct rec_long *)record(i);
}

/* A chain of @n frames on the goroutine's stack; returns its first frame pointer. */
static uint64_t make_chain(size_t n)
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

/* The stack that record @i names follows it: @first, then the @n frames of make_chain(). */
static void check_stack(size_t i, enum stack_class class, uint64_t first, size_t n)
{
	const struct rec_long *l = long_record(i);
	const struct rec_stack *s = (const struct rec_stack *)record(i + 1);
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

/* The only record but for a stack, which comes before it if the record is an annotation. */
static const struct rec *head(void)
{
	const struct rec *r = record(0);

	return r && r->kind == REC_STACK ? record(1) : r;
}

static void check_head(enum rec_kind kind, uint64_t id, const void *ptr, uint8_t sub)
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

/* --- the program is left as it was --- */

static void fill_registers(void)
{
	uint64_t *word = (uint64_t *)&regs;
	size_t i;

	for (i = 0; i < sizeof(regs) / 8; i++)
		word[i] = 0x0101010101010101 * (i + 1);
}

static void check_registers(void)
{
	CHECK(!memcmp(&regs, &after, sizeof(regs)));
	CHECK_EQ(fake_landed, 1);
}

static void registers_survive_each_program(void)
{
	size_t i;

	for (i = 0; i <= INLINE_PROGRAMS; i++) {
		begin(1, 8);
		make_chain(3);
		flag = 1;	/* the hook goes on to the function, too */
		fill_registers();
		/* what programs follow: pointers to structs of the runtime, a frame, texts */
		regs.ax = regs.bx = addr_of(thread.g);
		regs.cx = regs.si = regs.di = addr_of(thread.m);
		regs.bp = 0;
		AT(thread.g, g_coroarg) = addr_of(&thread.other);
		call(i, i % 2 ? thread.g : thread.g0);
		check_registers();
		fake_end();
	}
}

static void registers_survive_where_nothing_is_recorded(void)
{
	begin(1, 1);
	fill_registers();
	fake_shared->on = 0;
	call(INLINE_casgstatus, thread.g);
	check_registers();
	fake_control->shared = 0;
	fake_landed = 0;
	call(INLINE_casgstatus, thread.g);
	check_registers();
	CHECK_EQ(fake_states->hits, 0);
	fake_end();
}

/* Nothing above or below the stack pointer changes but the return address, and that the call itself wrote. */
static void the_stack_of_a_goroutine_is_not_touched(void)
{
	uint64_t before[STACK / 8];
	size_t i, at = STACK / 16 - RETURN / 8;

	begin(1, 8);
	for (i = 0; i < STACK / 8; i++)
		thread.stack[i] = 0x5555000000000000 + i;
	regs.ax = addr_of(thread.g);
	make_chain(30);
	memcpy(before, thread.stack, sizeof(before));
	change(thread.g, thread.g, 2, 4);
	before[at] = addr_of(stub_returns);
	CHECK(!memcmp(before, thread.stack, sizeof(before)));
	CHECK_EQ(records(), 2);
	fake_end();
}

/* The whole use of the system stack, by the record with the longest way: a log with a new stack. */
static void a_kilobyte_of_the_system_stack_is_enough(void)
{
	static char text[2000];
	size_t i, used = 0;

	begin(1, 8);
	make_chain(3);
	memset(thread.system, 0xaa, sizeof(thread.system));
	regs.bx = regs.di = addr_of(text);
	regs.cx = regs.si = sizeof(text);
	regs.bp = AT(thread.g, g_sched_bp);
	call(INLINE_user_log, thread.g);
	for (i = 0; i < STACK / 8 - 8; i++)
		if (thread.system[i] != 0xaaaaaaaaaaaaaaaa && !used)
			used = STACK - 64 - 8 * i;
	CHECK(used > 0 && used <= 1024);
	fake_end();
}

/* On a system stack that is nearly used up a record is lost, and counted, and nothing is written below the stack. */
static void a_stack_without_room_costs_the_record(void)
{
	uint64_t *lo = &thread.system[STACK / 16 - 60];
	size_t i;
	int own;

	for (own = 0; own < 2; own++) {
		begin(1, 8);
		make_chain(3);
		memset(thread.system, 0xaa, sizeof(thread.system) / 2);
		AT(thread.g0, g_stack_lo) = addr_of(lo);
		AT(thread.g0, g_sched_sp) = addr_of(&thread.system[STACK / 16]);
		change(own ? thread.g0 : thread.g, thread.g, 2, 4);
		CHECK_EQ(fake_landed, 1);
		CHECK_EQ(records(), 0);
		CHECK_EQ(fake_states->lost, 1);
		for (i = 0; &thread.system[i] < lo; i++)
			CHECK_EQ(thread.system[i], 0xaaaaaaaaaaaaaaaa);
		fake_end();
	}
}

/* --- the records --- */

static void a_park_has_its_reason_and_stack(void)
{
	begin(1, 8);
	make_chain(3);
	AT(thread.g, g_waitreason) = 14;
	AT(thread.m, m_wait_trace_skip) = 2;
	change(thread.g0, thread.g, 2, 4);
	check_head(REC_GO_PARK, 17, thread.g, 14);
	check_stack(0, STACK_PARK, 0xfff, 3);
	CHECK_EQ(record(1)->flags, 2);
	CHECK_EQ(records(), 2);
	change(thread.g0, thread.g, 2, 4);
	CHECK_EQ(records(), 3);		/* the stack is known */
	CHECK_EQ(long_record(2)->stack, long_record(0)->stack);
	CHECK(record(2)->time > record(0)->time);
	fake_end();
}

static void a_wake_up_has_the_stack_of_who_wakes(void)
{
	begin(1, 8);
	make_chain(2);
	change(thread.g0, thread.other, 4, 1);
	check_head(REC_GO_READY, 18, thread.other, 0);
	check_stack(0, STACK_READY, 0xfff, 2);
	fake_end();
}

/* On its own stack the leaf is the call itself, and the chain begins in rbp. */
static void a_wake_up_by_a_goroutine_itself(void)
{
	begin(1, 8);
	make_chain(2);
	/* the frame lies in the stack above the call */
	thread.stack[STACK / 16] = AT(thread.g, g_sched_bp);
	thread.stack[STACK / 16 + 1] = 0x999;
	change(thread.g, thread.other, 4, 1);
	check_head(REC_GO_READY, 18, thread.other, 0);
	CHECK_EQ(((const struct rec_stack *)record(1))->n, 4);
	CHECK_EQ(((const struct rec_stack *)record(1))->pcs[0], addr_of(stub_returns));
	CHECK_EQ(((const struct rec_stack *)record(1))->pcs[1], 0x999);
	CHECK_EQ(((const struct rec_stack *)record(1))->pcs[3], 0x1001);
	fake_end();
}

static void nobody_wakes_without_a_stack(void)
{
	begin(1, 8);
	make_chain(2);
	AT(thread.m, m_curg) = 0;
	change(thread.g0, thread.other, 4, 1);
	check_head(REC_GO_READY, 18, thread.other, 0);
	CHECK_EQ(long_record(0)->stack, 0);
	CHECK_EQ(records(), 1);
	fake_end();
}

static void a_stop_has_its_reason(void)
{
	begin(1, 8);
	make_chain(1);
	change(thread.g0, thread.g, 2, 1);
	check_head(REC_GO_STOP, 17, thread.g, REC_STOP_GOSCHED);
	check_stack(0, STACK_STOP, 0xfff, 1);
	CHECK_EQ(record(0)->flags, 0);
	fake_end();
}

/* Of a caller that nobody knows: preempted; where that was in a prologue its caller is on top of the stack. */
static void a_preempted_goroutine(void)
{
	begin(1, 8);
	make_chain(1);
	AT(thread.p, p_gc_mark_worker_mode) = 2;
	AT(thread.g, g_sync_safe_point) = 1;
	AT(thread.g, g_sched_sp) = addr_of(&thread.stack[100]);
	thread.stack[100] = 0xabc;
	thread.system[STACK / 16 + 1] = 0x777;	/* goschedImpl's return address */
	change(thread.g0, thread.g, 9, 1);
	check_head(REC_GO_STOP, 17, thread.g, REC_STOP_PREEMPTED);
	CHECK_EQ(record(0)->flags, 1 + 2);
	CHECK_EQ(((const struct rec_stack *)record(1))->n, 3);
	CHECK_EQ(((const struct rec_stack *)record(1))->pcs[1], 0xabc);
	fake_end();
}

static void a_start_and_an_end(void)
{
	begin(1, 8);
	change(thread.g0, thread.g, 1, 2);
	check_head(REC_GO_START, 17, thread.g, 0);
	change(thread.g0, thread.g, 2, 6);
	CHECK_EQ(record(1)->kind, REC_GO_DEAD);
	CHECK_EQ(records(), 2);
	fake_end();
}

static void a_goroutine_is_created(void)
{
	begin(1, 8);
	make_chain(2);
	AT(thread.other, g_startpc) = 0x4444;
	change(thread.g0, thread.other, 6, 1);
	check_head(REC_GO_CREATE, 18, thread.other, 0);
	CHECK_EQ(long_record(0)->arg, 0x4444);
	check_stack(0, STACK_CREATE, 0xfff, 2);
	fake_end();
}

static void other_changes_make_no_record(void)
{
	begin(1, 8);
	change(thread.g0, thread.g, 3, 7);
	CHECK_EQ(fake_landed, 1);
	CHECK_EQ(fake_states->hits, 1);
	CHECK_EQ(fake_states->position, 0);
	fake_end();
}

static void syscalls_up_to_go_1_25(void)
{
	begin(1, 8);
	make_chain(2);
	AT(thread.m, m_syscalltick) = 5;
	AT(thread.p, p_syscalltick) = 6;
	change(thread.g, thread.g, 2, 3);
	check_head(REC_SYS_ENTER, 17, thread.g, 0);
	check_stack(0, STACK_SYSCALL, 0xfff, 2);
	change(thread.g, thread.g, 3, 2);
	CHECK_EQ(record(2)->kind, REC_SYS_EXIT);
	CHECK_EQ(record(2)->sub, 1);
	CHECK_EQ(long_record(2)->arg, addr_of(thread.p));
	fake_end();
}

/*
 * Up to Go 1.20 the stack begins two frames above the call in reentersyscall; systemstack leaves a return address on top
 * of the stack; and there is no g.syncSafePoint, but a g.asyncSafePoint that says the opposite.
 */
static void stacks_up_to_go_1_20(void)
{
	uint64_t *frame = &thread.stack[STACK / 16];

	abi = GO_ABI_CHECK;
	begin(1, 8);
	frame[0] = addr_of(frame + 2);
	frame[2] = make_chain(2);
	change(thread.g, thread.g, 2, 3);
	check_head(REC_SYS_ENTER, 17, thread.g, 0);
	check_stack(0, STACK_SYSCALL, 0xfff, 2);
	fake_end();

	begin(1, 8);
	make_chain(2);
	AT(thread.g, g_sched_sp) = addr_of(&thread.stack[100]);
	thread.stack[100] = 0xabc;
	change(thread.g0, thread.other, 4, 1);
	check_head(REC_GO_READY, 18, thread.other, 0);
	CHECK_EQ(((const struct rec_stack *)record(1))->n, 4);
	CHECK_EQ(((const struct rec_stack *)record(1))->pcs[1], 0xabc);
	fake_end();
	abi = GO_ABI_PUSH;
}

/* Before Go 1.24 a goroutine gets its id behind the change: it is the next one of its P, if that is known. */
static void a_goroutine_is_created_before_it_has_its_id(void)
{
	goid_before_status = false;
	begin(1, 8);
	AT(thread.p, p_goidcache) = 55;
	(&AT(thread.p, p_goidcache))[1] = 64;
	change(thread.g0, thread.other, 6, 1);
	check_head(REC_GO_CREATE, 55, thread.other, 0);
	AT(thread.p, p_goidcache) = 64;
	change(thread.g0, thread.other, 6, 1);
	CHECK_EQ(record(1)->id, 0);
	CHECK_EQ(record(1)->flags, 18);
	fake_end();
	goid_before_status = true;
}

/* reentersyscall(pc, sp, bp), and the trace hook of exitsyscall. */
static void syscalls_since_go_1_26(void)
{
	begin(1, 8);
	regs.ax = 0x888;
	regs.cx = make_chain(2);
	call(INLINE_syscall_enter, thread.g);
	check_head(REC_SYS_ENTER, 17, thread.g, 0);
	check_stack(0, STACK_SYSCALL, 0x888, 2);
	AT(thread.m, m_syscalltick) = AT(thread.p, p_syscalltick) = 5;
	call(HOOK, thread.g);
	CHECK_EQ(record(2)->kind, REC_SYS_EXIT);
	CHECK_EQ(record(2)->sub, 1);
	CHECK_EQ(long_record(2)->arg, addr_of(thread.p));
	fake_end();
}

/* The runtime's own tracer is asked only if it is on; if not, the hook says so, whether it records or not. */
static void the_trace_hook_minds_the_program_own_tracing(void)
{
	int on;

	begin(1, 8);
	for (on = 0; on < 2; on++) {
		fake_shared->on = (uint32_t)on;
		fill_registers();
		regs.bp = 0;
		flag = 0;
		fake_landed = 0;
		call(HOOK, thread.g);
		CHECK_EQ(fake_landed, 0);
		CHECK_EQ(after.ax | after.bx, 0);
		flag = 1;
		call(HOOK, thread.g);
		CHECK_EQ(fake_landed, 1);
		CHECK_EQ(after.ax, regs.ax);
		CHECK_EQ(fake_states->hits, 2 * on);
	}
	CHECK(!(record(0)->sub & REC_EXIT_ASKED));
	CHECK(record(1)->sub & REC_EXIT_ASKED);
	CHECK_EQ(*(fake_code + image_true_byte()), 1);
	fake_end();
}

static void processors_come_and_go(void)
{
	begin(1, 8);
	regs.ax = addr_of(thread.p);
	call(INLINE_proc_start, thread.g0);
	check_head(REC_P_START, 3, thread.p, REC_PSTART_EXITSYSCALL);
	call(INLINE_proc_stop, thread.g0);
	CHECK_EQ(record(1)->kind, REC_P_STOP);
	CHECK_EQ(record(1)->ptr, addr_of(thread.p));
	call(INLINE_proc_handoff, thread.g0);
	CHECK_EQ(record(2)->kind, REC_P_HANDOFF);
	regs.bx = addr_of(thread.m);
	regs.cx = addr_of(thread.p);
	call(INLINE_proc_steal, thread.g0);
	CHECK_EQ(record(3)->kind, REC_P_STEAL);
	CHECK_EQ(long_record(3)->arg, TID);
	fake_end();
}

static void a_goroutine_stops_for_a_scan(void)
{
	begin(1, 8);
	make_chain(2);
	regs.ax = addr_of(thread.g);
	call(INLINE_preempt_park, thread.g0);
	check_head(REC_GO_PREEMPT_PARK, 17, thread.g, 0);
	check_stack(0, STACK_PREEMPT, 0xfff, 2);
	fake_end();
}

/* The call is that of mcall, on the goroutine's own stack. */
static void coroutines_switch(void)
{
	uint64_t coro = addr_of(thread.other);

	begin(1, 8);
	AT(thread.g, g_coroarg) = addr_of(&coro);
	call(INLINE_coroswitch, thread.g);
	check_head(REC_GO_SWITCH, 17, thread.g, 0);
	CHECK_EQ(long_record(0)->arg, addr_of(thread.other));
	CHECK_EQ(long_record(0)->stack, 18);
	*(uint8_t *)&AT(thread.g, g_coroexit) = 1;
	call(INLINE_coroswitch, thread.g);
	CHECK_EQ(record(1)->kind, REC_GO_SWITCH_DEAD);
	fake_end();
}

static void an_assist_begins(void)
{
	begin(1, 8);
	make_chain(2);
	AT(thread.g, g_sched_sp) = addr_of(thread.stack) + STACK - 640;
	regs.ax = addr_of(thread.g);
	call(INLINE_assist_begin, thread.g0);
	check_head(REC_ASSIST_BEGIN, 17, (void *)640, 0);
	check_stack(0, STACK_ASSIST, 0xfff, 2);
	fake_end();
}

static void the_heap_grows(void)
{
	static uint8_t controller[OBJECT];

	begin(1, 8);
	AT(controller, gcc_heap_live) = 1 << 20;
	regs.ax = addr_of(controller);
	regs.bx = 8192;
	call(INLINE_heap_update, thread.g0);
	check_head(REC_HEAP_ALLOC, 0, (void *)8192, 0);
	CHECK_EQ(long_record(0)->arg, (1 << 20) + 8192);
	regs.bx = 0;
	call(INLINE_heap_update, thread.g0);
	CHECK_EQ(records(), 1);
	fake_end();
}

/* Texts of any length: what is longer than the format takes is cut. */
static void annotations_have_their_texts(void)
{
	static const size_t lengths[] = { 0, 1, 63, 64, 65, 255, 256, 257, 1023, 1024, 5000 };
	static char text[5000], message[] = "message";
	const struct rec_user *u;
	size_t i, n;

	memset(text, 't', sizeof(text));
	for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		begin(1, 8);
		n = lengths[i] > REC_TEXT_MAX ? REC_TEXT_MAX : lengths[i];
		regs.ax = 99;
		regs.bx = addr_of(text);
		regs.cx = lengths[i];
		regs.di = addr_of(message);
		regs.si = strlen(message);
		call(INLINE_user_log, thread.g);
		check_head(REC_USER_LOG, 99, text, 0);
		u = (const struct rec_user *)head();
		CHECK_EQ(u->len[0], n);
		CHECK_EQ(u->len[1], 7);
		CHECK(!memcmp(u->text, text, n) && !memcmp(u->text + n, message, 7));
		CHECK_EQ(fake_shared->texts_missing, 0);
		fake_end();
	}
}

static void tasks_and_regions(void)
{
	static char type[] = "type of a task";
	static const struct { enum inline_program program; uint64_t mode; enum rec_kind kind; uint64_t arg; } rows[] = {
		{ INLINE_user_task_begin, 55, REC_USER_TASK_BEGIN, 55 },
		{ INLINE_user_task_end, 0, REC_USER_TASK_END, 0 },
		{ INLINE_user_region, 0, REC_USER_REGION_BEGIN, 0 },
		{ INLINE_user_region, 1, REC_USER_REGION_END, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct rec_user *u;
		bool has_text = rows[i].kind != REC_USER_TASK_END;

		begin(1, 8);
		regs.ax = 98;
		regs.bx = rows[i].mode;
		regs.cx = addr_of(type);
		regs.di = sizeof(type);
		call(rows[i].program, thread.g);
		check_head(rows[i].kind, 98, has_text ? type : NULL, 0);
		u = (const struct rec_user *)head();
		CHECK_EQ(u->arg, rows[i].arg);
		CHECK_EQ(u->len[0], has_text ? sizeof(type) : 0);
		CHECK(!has_text || !memcmp(u->text, type, sizeof(type)));
		fake_end();
	}
}

/* A CPU beyond the last ring takes that one: the test may run on any. */
static void check_rings_of_cpus(void)
{
	cpu_set_t all, one;
	uint32_t cpu, n = 2;

	sched_getaffinity(0, sizeof(all), &all);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		begin(n, 8);
		change(thread.g0, thread.g, 1, 2);
		CHECK_EQ(fake_states[cpu < n ? cpu : n - 1].hits, 1);
		CHECK_EQ(fake_states[0].hits + fake_states[1].hits, 1);
		CHECK_EQ(fake_chunks[(cpu < n ? cpu : n - 1) * 8 * RING_CHUNK + offsetof(struct rec, kind)], REC_GO_START);
		fake_end();
	}
	sched_setaffinity(0, sizeof(all), &all);
}

static void each_cpu_has_its_ring(void)
{
	check_rings_of_cpus();
	without_rdpid = true;
	check_rings_of_cpus();
	without_rdpid = false;
}

/* Only m0 has none, until its thread has begun to run Go. */
static void a_thread_without_a_number_is_the_first_one(void)
{
	begin(1, 8);
	AT(thread.m, m_procid) = 0;
	change(thread.g0, thread.g, 1, 2);
	CHECK_EQ(record(0)->tid, TGID);
	fake_end();
}

/* --- stacks --- */

static void stacks_are_as_deep_as_asked_for(void)
{
	uint64_t whole;

	begin(1, 8);
	make_chain(200);
	change(thread.g0, thread.g, 2, 4);
	CHECK_EQ(((const struct rec_stack *)record(1))->n, 127);
	whole = long_record(0)->stack;
	CHECK(!(whole & (STACK_KEY_SHORT | STACK_KEY_CUT | STACK_KEY_ENTRY)));
	fake_shared->stacks = STACKS_SHORT;
	change(thread.g0, thread.g, 2, 4);
	CHECK(long_record(2)->stack & STACK_KEY_SHORT);
	CHECK_EQ(((const struct rec_stack *)record(3))->n, SHORT_STACK);
	fake_shared->stacks = STACKS_NONE;
	change(thread.g0, thread.g, 2, 4);
	CHECK_EQ(long_record(4)->stack, 0);
	CHECK_EQ(records(), 5);
	fake_end();
}

/* Frame pointers that lead out of the stack, below it, to nowhere, or between words are the end of the chain. */
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

/* As long as frames are asked for, and not for ever. */
static void a_chain_that_is_a_circle(void)
{
	uint64_t *f = thread.stack + STACK / 8 - 512;

	begin(1, 8);
	make_chain(1);
	f[0] = addr_of(f);
	change(thread.g0, thread.g, 2, 4);
	CHECK_EQ(((const struct rec_stack *)record(1))->n, 127);
	fake_end();
}

/* --- when nothing may be written --- */

static void is_untouched(uint64_t position)
{
	size_t i;

	CHECK_EQ(fake_states->position, position);
	for (i = 0; i < fake_shared->size - fake_shared->chunks; i++)
		if (fake_chunks[i]) {
			CHECK(!"chunks are as they were");
			return;
		}
}

static void nothing_is_recorded_unless_gotap_lives_and_wants_it(void)
{
	static const struct { uint32_t alive, on; bool shared; } rows[] = {
		{ TID, 0, true }, { 0, 1, true }, { INLINE_OWNER_DIED, 1, true },
		{ TID | INLINE_OWNER_DIED, 1, true }, { TID, 1, false },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin(1, 8);
		fake_shared->alive = rows[i].alive;
		fake_shared->on = rows[i].on;
		if (!rows[i].shared)
			fake_control->shared = 0;
		change(thread.g0, thread.g, 1, 2);
		change(thread.g, thread.g, 2, 3);
		CHECK_EQ(fake_landed, 2);
		CHECK_EQ(fake_states->hits, 0);
		is_untouched(0);
		fake_end();
	}
}

static void a_full_ring_counts_what_it_loses(void)
{
	uint32_t end = RING_CHUNK / RING_UNIT;

	begin(1, 1);
	fake_states->position = (uint64_t)end << 32;
	change(thread.g0, thread.g, 1, 2);
	change(thread.g0, thread.g, 1, 2);
	CHECK_EQ(fake_landed, 2);
	CHECK_EQ(fake_states->lost, 2);
	CHECK_EQ(fake_states->hits, 2);
	CHECK(fake_states->lost_first && fake_states->lost_last > fake_states->lost_first);
	is_untouched((uint64_t)end << 32);
	fake_end();
}

static void a_layout_without_rings_records_nothing(void)
{
	begin(1, 1);
	fake_end();
	fake_make(1, 1);
	image_set_layout(&fake_image, &(struct inline_shared){0});
	fake_site(INLINE_proc_handoff, INLINE_proc_handoff);
	fake_load();
	regs.ax = addr_of(thread.p);
	call(INLINE_proc_handoff, thread.g0);
	CHECK_EQ(fake_states->hits, 0);
	is_untouched(0);
	fake_end();
}

static uint64_t random_state = 88172645463325252;

static uint64_t random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Values at random, and such at the edges. */
static uint32_t hostile_word(void)
{
	static const uint32_t edges[] = { 0, 1, 2, 511, 512, 513, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffe00 };
	uint64_t r = random_word();

	return r & 1 ? edges[r / 2 % (sizeof(edges) / sizeof(*edges))] : (uint32_t)(r >> 32);
}

/*
 * The target may write over the states of its rings and over the head of the shared memory. Records then lie
 * anywhere in the chunks, but nowhere else: a page lies on each side of the chunks that nobody may touch.
 */
static void hostile_positions_lead_nowhere_else(void)
{
	size_t i, n = 200000;

	begin(1, 4);
	make_chain(20);
	for (i = 0; i < n; i++) {
		*fake_states = (struct ring_state){
			.position = (uint64_t)hostile_word() << 32 | hostile_word(),
			.first_chunk = hostile_word(), .chunks = hostile_word(),
		};
		fake_shared->n_states = hostile_word();
		fake_shared->states = random_word();
		fake_shared->chunks = fake_shared->seen = random_word();
		change(thread.g0, i % 2 ? thread.g : thread.other, 2, 4);
	}
	CHECK_EQ(fake_landed, n);
	fake_end();
}

/* --- hints of deep stacks --- */

enum { ROOM = 16384, BEYOND = 8 * 65536 };	/* of a stack, and of what a hint may lead to behind it */

/* A stack that nobody may touch a byte beside of. */
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

/* The chain ends with @end. All begin with the same frames, so that they share their hints; returns the first one. */
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

/* What a walk by frame pointers finds; the test's own. */
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

/* The key is that of the frames: stack_send() has copied and hashed them without a hint, and marks any other key. */
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
	s = (const struct rec_stack *)record(1);
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

/* Ends of chains: none, beside of the stack, between words, nowhere, and back into the chain. */
static uint64_t random_end(const uint64_t *stack)
{
	const uint64_t ends[] = { 0, 0, 0, addr_of(stack) - 8, addr_of(stack) + ROOM, addr_of(stack) + ROOM - 8,
				  addr_of(stack) + 4, ~0ULL, 1ULL << 63, addr_of(stack + 64) };

	return ends[random_below(sizeof(ends) / sizeof(*ends))];
}

/* Whatever the hints are: none, of another stack, learned, or what the target wrote there. */
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
		/* a frame less */
		f[0] = *(uint64_t *)(uintptr_t)f[0];
		CHECK(check_deep(stack, bp) != key);
	}
	fake_end();
	free_guarded(stack);
}

/* The words where a deep stack has its frames, and no others, are learned; a stack that is not deep learns none. */
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
	/* a hint that is right leads nowhere where no hint would */
	f[0] = addr_of(stack) + ROOM - 8;
	*h = (uint16_t)((f[0] - bp) / 8);
	check_deep(stack, AT(thread.g, g_sched_bp));
	fake_end();
	free_guarded(stack);
}

enum { THREADS = 3, STACKS = 2, CALLS = 3000 };

/* A thread and its stacks: two, all of which begin with the same frames as those of the other threads. */
struct walker {
	struct fake_thread t;
	uint64_t stacks[STACKS][ROOM / 8], bp[STACKS], key[STACKS];
	pthread_t thread;
};

/* As reentersyscall(pc, sp, bp) is called, by any thread at any time; the goid says of which stack the record is. */
static void enter_syscall(struct walker *w, size_t stack)
{
	const void *stub = fake_code + image_stub(INLINE_syscall_enter);
	uint64_t ax = 0xfff, bx = 0, cx = w->bp[stack];

	AT(w->t.g, g_goid) = stack;
	give_stack(&w->t, w->stacks[stack]);
	__asm__ volatile("sub $128, %%rsp\n\t"
			 "mov %%r14, %%r15\n\t"
			 "mov %[g], %%r14\n\t"
			 "call *%[stub]\n\t"
			 "mov %%r15, %%r14\n\t"
			 "add $128, %%rsp"
			 : "+a"(ax), "+b"(bx), "+c"(cx)
			 : [stub] "r"(stub), [g] "r"(w->t.g)
			 : "r12", "r13", "r15", "memory", "cc");
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

/* They learn hints in the same place at once. */
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

/* The numbers are for whoever runs this by hand; that they depend on the machine is no fault. */
static void prices_are_measured(void)
{
	struct error err = {0};
	struct image_prices p = {0};

	CHECK_EQ(image_measure(&p, &err), 0);
	printf("# a record %.1f ns, its stack %.1f ns, a frame %.2f ns\n", p.record, p.stack, p.frame);
	CHECK(p.record > 0);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(registers_survive_each_program),
		UNIT(registers_survive_where_nothing_is_recorded),
		UNIT(the_stack_of_a_goroutine_is_not_touched),
		UNIT(a_kilobyte_of_the_system_stack_is_enough),
		UNIT(a_stack_without_room_costs_the_record),
		UNIT(a_park_has_its_reason_and_stack),
		UNIT(a_wake_up_has_the_stack_of_who_wakes),
		UNIT(a_wake_up_by_a_goroutine_itself),
		UNIT(nobody_wakes_without_a_stack),
		UNIT(a_stop_has_its_reason),
		UNIT(a_preempted_goroutine),
		UNIT(a_start_and_an_end),
		UNIT(a_goroutine_is_created),
		UNIT(other_changes_make_no_record),
		UNIT(a_goroutine_is_created_before_it_has_its_id),
		UNIT(stacks_up_to_go_1_20),
		UNIT(syscalls_up_to_go_1_25),
		UNIT(syscalls_since_go_1_26),
		UNIT(the_trace_hook_minds_the_program_own_tracing),
		UNIT(processors_come_and_go),
		UNIT(a_goroutine_stops_for_a_scan),
		UNIT(coroutines_switch),
		UNIT(an_assist_begins),
		UNIT(the_heap_grows),
		UNIT(annotations_have_their_texts),
		UNIT(tasks_and_regions),
		UNIT(each_cpu_has_its_ring),
		UNIT(a_thread_without_a_number_is_the_first_one),
		UNIT(stacks_are_as_deep_as_asked_for),
		UNIT(a_chain_that_leaves_the_stack_ends_there),
		UNIT(a_chain_that_is_a_circle),
		UNIT(nothing_is_recorded_unless_gotap_lives_and_wants_it),
		UNIT(a_full_ring_counts_what_it_loses),
		UNIT(a_layout_without_rings_records_nothing),
		UNIT(hostile_positions_lead_nowhere_else),
		UNIT(a_key_does_not_depend_on_hints),
		UNIT(a_frame_that_changes_changes_the_key),
		UNIT(hints_are_of_deep_stacks),
		UNIT(threads_that_mix_their_hints),
		UNIT(prices_are_measured),
		{0},
	});
}
