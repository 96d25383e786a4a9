// SPDX-License-Identifier: Apache-2.0
/* inside: a thread in the code, or in a handler that interrupted it, is seen; one that was there before is not. */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>
#include <sys/mman.h>
#include <time.h>

#include "inline/inside.h"
#include "inline_child.h"

static uint8_t *code;		/* for (;;) unless *(a register) is set, at the same address in each child */
static int ready_fd;

static const uint8_t loop[] = {
	0x80, 0x3f, 0x00,	/* cmpb $0, (%rdi) */
	0x74, 0xfb,		/* je to the begin */
	0xc3,			/* ret */
};

static void make_code(void)
{
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(code != MAP_FAILED);
	memcpy(code, loop, sizeof(loop));
}

static void run_code(const volatile uint8_t *flag)
{
	((void (*)(const volatile uint8_t *))(uintptr_t)code)(flag);
}

static volatile uint8_t flag;

static void in_the_code(int ready)
{
	child_is_ready(ready);
	run_code(&flag);
}

static void rest(int sig)
{
	child_is_ready(ready_fd);
	for (;;)
		pause();
}

/* On a stack of its own, as Go's handlers. */
static void handle_alarm(void (*handler)(int sig))
{
	static char stack[65536];
	stack_t ss = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	struct itimerspec soon = { .it_value = { 0, 20000000 } };
	timer_t timer;

	if (sigaltstack(&ss, NULL) || sigaction(SIGALRM, &sa, NULL) ||
	    timer_create(CLOCK_MONOTONIC, NULL, &timer) || timer_settime(timer, 0, &soon, NULL))
		_exit(1);
}

static void in_a_handler(int ready)
{
	ready_fd = ready;
	handle_alarm(rest);
	run_code(&flag);
}

static void let_out(int sig)
{
	flag = 1;
}

/* Was there, and interrupted; and addresses of the code lie about on its stack. */
static void out_again(int ready)
{
	uintptr_t words[64];
	size_t i;

	for (i = 0; i < 64; i++)
		words[i] = (uintptr_t)code + i % sizeof(loop);
	/* as a signal frame of long ago has it, on a signal stack that lies behind a goroutine's */
	words[32] = (uintptr_t)code;
	words[33] = 0x246;
	words[34] = 0x2b000000000033;
	__asm__ volatile("" : : "r"(words) : "memory");
	handle_alarm(let_out);
	run_code(&flag);
	child_is_ready(ready);
	for (;;) {
		pause();
		__asm__ volatile("" : : "r"(words) : "memory");
	}
}

static void runs_elsewhere(int ready)
{
	child_is_ready(ready);
	for (;;)
		;
}

/*
 * Timeouts for a thread that stays inside, and for one that leaves: on a busy machine that one may get no CPU for a
 * while.
 */
enum { SHORT_MS = 300, LONG_MS = 60000 };

static int wait_for(void (*run)(int ready), int timeout_ms)
{
	struct holds held = {0};
	struct child child;
	int r;

	child_start(&child, run);
	r = inside_wait(&child.p, (uintptr_t)code, (uintptr_t)code + 4096, timeout_ms, &held, NULL);
	CHECK(!kill(child.p.pid, 0));
	child_end(&child);
	return r;
}

static void a_thread_inside(void) { CHECK_EQ(wait_for(in_the_code, SHORT_MS), -EBUSY); }
static void a_thread_in_a_handler(void) { CHECK_EQ(wait_for(in_a_handler, SHORT_MS), -EBUSY); }
static void a_thread_that_was_there(void) { CHECK_EQ(wait_for(out_again, LONG_MS), 0); }
static void a_thread_that_runs(void) { CHECK_EQ(wait_for(runs_elsewhere, LONG_MS), 0); }

/* pc, flags, segments */
static void frames(void)
{
	uint64_t words[] = { 1, 0x1000, 0x246, 0x002b000000000033, 7 };

	CHECK(inside_frame(words, 5, 0x1000, 0x2000));
	CHECK(!inside_frame(words, 5, 0x1001, 0x2000));
	CHECK(!inside_frame(words, 3, 0x1000, 0x2000));
	words[3] = 0x1033;
	CHECK(!inside_frame(words, 5, 0x1000, 0x2000));
	words[3] = 0x33;
	words[2] = 1ULL << 40;
	CHECK(!inside_frame(words, 5, 0x1000, 0x2000));
	CHECK(!inside_frame(words, 0, 0x1000, 0x2000));
}

int main(void)
{
	make_code();
	return unit_main((struct unit_case[]){
		UNIT(a_thread_inside), UNIT(a_thread_in_a_handler), UNIT(a_thread_that_was_there),
			UNIT(a_thread_that_runs),
		UNIT(frames), {0} });
}
