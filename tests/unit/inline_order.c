// SPDX-License-Identifier: Apache-2.0
/*
 * image: in which order the code of --attach inline fences, reserves and takes the time (bpf/inline/order.h). No value
 * of a record shows a fence that is missing: a child makes the call, and the test looks at each instruction of the image
 * that the child comes to.
 */
#define _GNU_SOURCE
#include "inline_call.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* f: LFENCE, r: LOCK CMPXCHG with any registers, which reserves, t: RDTSC; 0: another instruction. */
static char sign_at(uint64_t ip)
{
	const uint8_t *p = fake_code + (ip - addr_of(fake_code));

	if (ip - addr_of(fake_code) >= fake_image.size)
		return 0;
	if (!memcmp(p, "\x0f\xae\xe8", 3))
		return 'f';
	if (p[0] == 0xf0 && (p[1] & 0xf0) == 0x40 && !memcmp(p + 2, "\x0f\xb1", 2))
		return 'r';
	return memcmp(p, "\x0f\x31", 2) ? 0 : 't';
}

static void step_all(pid_t child, char *seen, size_t size)
{
	struct user_regs_struct r;
	size_t n = 0;
	int status;
	char sign;

	waitpid(child, &status, 0);
	while (WIFSTOPPED(status)) {
		ptrace(PTRACE_GETREGS, child, NULL, &r);
		sign = sign_at(r.rip);
		if (sign && n + 1 < size)
			seen[n++] = sign;
		ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
		waitpid(child, &status, 0);
	}
	seen[n] = 0;
}

/* Calls the stub of @site as @g with the registers that are set, and returns the signs in their order. */
static const char *order_of(size_t site, const uint8_t *g)
{
	static char seen[16];
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		call(site, g);
		_exit(0);
	}
	step_all(child, seen, sizeof(seen));
	return seen;
}

static const char *order_of_change(const uint8_t *g, const uint8_t *gp, uint64_t old, uint64_t new_)
{
	regs.ax = addr_of(gp);
	regs.bx = old;
	regs.cx = new_;
	return order_of(INLINE_casgstatus, g);
}

/* They may follow a record of another thread. */
static void records_of_goroutines_of_others_have_a_fence(void)
{
	begin(1, 8);
	AT(thread.m, m_curg) = 0;
	CHECK_STR(order_of_change(thread.g0, thread.g, 1, 2), "frt");		/* GoStart */
	CHECK_STR(order_of_change(thread.g0, thread.other, 4, 1), "frt");	/* GoUnblock */
	CHECK_STR(order_of_change(thread.g0, thread.other, 6, 1), "frt");	/* GoCreate */
	fake_end();
}

static void records_of_the_thread_own_goroutine_have_none(void)
{
	begin(1, 8);
	fake_shared->stacks = STACKS_NONE;
	CHECK_STR(order_of_change(thread.g0, thread.g, 2, 4), "rt");		/* GoBlock */
	CHECK_STR(order_of_change(thread.g0, thread.g, 2, 1), "rt");		/* GoStop */
	CHECK_STR(order_of_change(thread.g0, thread.g, 2, 6), "rt");		/* GoDestroy */
	CHECK_STR(order_of(INLINE_syscall_enter, thread.g), "rt");
	CHECK_STR(order_of(HOOK, thread.g), "rt");
	fake_end();
}

/* Up to Go 1.25 another thread may have used the P meanwhile. */
static void the_end_of_a_syscall_up_to_go_1_25_has_a_fence(void)
{
	begin(1, 8);
	CHECK_STR(order_of_change(thread.g, thread.g, 3, 2), "frt");
	fake_end();
}

static void records_of_processors_have_a_fence(void)
{
	begin(1, 8);
	regs.ax = addr_of(thread.p);
	CHECK_STR(order_of(INLINE_proc_start, thread.g0), "frt");
	CHECK_STR(order_of(INLINE_proc_stop, thread.g0), "frt");
	CHECK_STR(order_of(INLINE_proc_handoff, thread.g0), "frt");
	regs.bx = addr_of(thread.m);
	regs.cx = addr_of(thread.p);
	CHECK_STR(order_of(INLINE_proc_steal, thread.g0), "frt");
	fake_end();
}

/* An M without a place for the time of its last record: it takes the time after all that was before. */
static void an_m_without_a_place_has_the_fence_at_the_time(void)
{
	begin(1, 8);
	AT(thread.m, m_id) = INLINE_MS;
	CHECK_STR(order_of_change(thread.g0, thread.g, 2, 6), "rft");
	fake_end();
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(records_of_goroutines_of_others_have_a_fence),
		UNIT(records_of_the_thread_own_goroutine_have_none),
		UNIT(the_end_of_a_syscall_up_to_go_1_25_has_a_fence),
		UNIT(records_of_processors_have_a_fence),
		UNIT(an_m_without_a_place_has_the_fence_at_the_time),
		{0},
	});
}
