// SPDX-License-Identifier: Apache-2.0
/* image: the records that the code of --attach inline makes of calls of the runtime, and the rings they are in. */
#define _GNU_SOURCE
#include "inline_call.h"

#include <sched.h>

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

/* On the goroutine's own stack the leaf is the call of casgstatus itself, and the chain of frames begins in rbp. */
static void a_wake_up_by_a_goroutine_itself(void)
{
	begin(1, 8);
	make_chain(2);
	/* the caller's frame lies above the call on the stack */
	thread.stack[STACK / 16] = AT(thread.g, g_sched_bp);
	thread.stack[STACK / 16 + 1] = 0x999;
	change(thread.g, thread.other, 4, 1);
	check_head(REC_GO_READY, 18, thread.other, 0);
	CHECK_EQ(stack_record(1)->n, 4);
	CHECK_EQ(stack_record(1)->pcs[0], addr_of(stub_returns));
	CHECK_EQ(stack_record(1)->pcs[1], 0x999);
	CHECK_EQ(stack_record(1)->pcs[3], 0x1001);
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

/*
 * Running to runnable, by a call that is none of the known sites: the goroutine was preempted. If that was in the
 * prologue of a function, the return address to its caller is on top of the stack.
 */
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
	CHECK_EQ(stack_record(1)->n, 3);
	CHECK_EQ(stack_record(1)->pcs[1], 0xabc);
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
 * Up to Go 1.20 the stack of a system call begins two frames above the call in reentersyscall; systemstack leaves a
 * return address on top of the stack; and there is no g.syncSafePoint, but a g.asyncSafePoint that says the opposite.
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
	CHECK_EQ(stack_record(1)->n, 4);
	CHECK_EQ(stack_record(1)->pcs[1], 0xabc);
	fake_end();
	abi = GO_ABI_PUSH;
}

/*
 * Before Go 1.24 a goroutine gets its id after this change of status: the next one of the P's cache, if that has one
 * left.
 */
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
	CHECK_EQ(record(2)->sub, REC_EXIT_SAME_P | REC_EXIT_HOOK);
	CHECK_EQ(long_record(2)->arg, addr_of(thread.p));
	fake_end();
}

/*
 * The hook calls the runtime's tracer only if that is on. If not, it returns false in its place, with recording on or
 * off.
 */
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
	CHECK(record(0)->sub & REC_EXIT_HOOK);
	CHECK(record(1)->sub & REC_EXIT_HOOK);
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

/* A CPU with a number beyond the last ring uses that ring. The test may run on any CPU. */
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

/* m.procid is 0 only for m0, until its thread has begun to run Go code: that thread's id is the process id. */
static void a_thread_without_a_number_is_the_first_one(void)
{
	begin(1, 8);
	AT(thread.m, m_procid) = 0;
	change(thread.g0, thread.g, 1, 2);
	CHECK_EQ(record(0)->tid, TGID);
	fake_end();
}

static struct inline_m *m_of_thread(void)
{
	return (struct inline_m *)((uint8_t *)fake_shared + fake_shared->hints +
				   INLINE_HINTS * sizeof(struct inline_hints));
}

/*
 * Each record of a thread is later than the one before, also if the processor were to read its counter too early: the
 * last time is then in the future. Those with a fence and those without one have the same rule.
 */
static void times_of_a_thread_rise(void)
{
	enum { EARLY = 1 << 21 };
	struct inline_m *m;
	uint64_t last;

	begin(1, 8);
	m = m_of_thread();
	change(thread.g0, thread.g, 1, 2);
	CHECK_EQ(m->last, record(0)->time);
	CHECK(m->last <= __builtin_ia32_rdtsc());
	m->last = last = __builtin_ia32_rdtsc() + EARLY;
	change(thread.g0, thread.g, 2, 6);
	CHECK_EQ(record(1)->kind, REC_GO_DEAD);
	CHECK_EQ(record(1)->time, last + 1);
	change(thread.g0, thread.g, 1, 2);
	CHECK_EQ(record(2)->time, last + 2);
	CHECK_EQ(m->last, last + 2);
	fake_end();
}

/* A time that no processor can be ahead by is damage, or of before a suspend. */
static void a_last_time_far_ahead_means_nothing(void)
{
	struct inline_m *m;

	begin(1, 8);
	m = m_of_thread();
	m->last = __builtin_ia32_rdtsc() + (1ULL << 32);
	change(thread.g0, thread.g, 2, 6);
	CHECK(record(0)->time <= __builtin_ia32_rdtsc());
	CHECK_EQ(m->last, record(0)->time);
	m->last = UINT64_MAX;
	change(thread.g0, thread.g, 2, 6);
	CHECK(record(1)->time <= __builtin_ia32_rdtsc());
	fake_end();
}

/* Behind the last M lies a page that nobody may touch. */
static void an_m_without_a_place_has_a_record_all_the_same(void)
{
	static const uint64_t ids[] = { INLINE_MS - 1, INLINE_MS, INLINE_MS + 64, 1ULL << 32, UINT64_MAX };
	uint64_t before;
	size_t i;

	begin(1, 8);
	for (i = 0; i < 5; i++) {
		AT(thread.m, m_id) = ids[i];
		before = __builtin_ia32_rdtsc();
		change(thread.g0, thread.g, 2, 6);
		CHECK(record(i)->time > before && record(i)->time <= __builtin_ia32_rdtsc());
	}
	CHECK(m_of_thread()[INLINE_MS - 1].last != 0);
	fake_end();
}

int main(void)
{
	return unit_main((struct unit_case[]){
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
		UNIT(times_of_a_thread_rise),
		UNIT(a_last_time_far_ahead_means_nothing),
		UNIT(an_m_without_a_place_has_a_record_all_the_same),
		{0},
	});
}
