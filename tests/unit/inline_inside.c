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

/* SA_ONSTACK: on a stack of its own, as Go's handlers. */
static void handle_alarm(void (*handler)(int sig), int flags)
{
	static char stack[65536];
	stack_t ss = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction sa = { .sa_handler = handler, .sa_flags = flags };
	struct itimerspec soon = { .it_value = { 0, 20000000 } };
	timer_t timer;

	if (sigaltstack(&ss, NULL) || sigaction(SIGALRM, &sa, NULL) ||
	    timer_create(CLOCK_MONOTONIC, NULL, &timer) || timer_settime(timer, 0, &soon, NULL))
		_exit(1);
}

static void in_a_handler(int ready)
{
	ready_fd = ready;
	handle_alarm(rest, SA_ONSTACK);
	run_code(&flag);
}

/* It blocks no signal, not even its own. */
static void in_a_handler_that_defers_none(int ready)
{
	ready_fd = ready;
	handle_alarm(rest, SA_ONSTACK | SA_NODEFER);
	run_code(&flag);
}

static void in_a_handler_on_the_same_stack(int ready)
{
	ready_fd = ready;
	handle_alarm(rest, SA_NODEFER);
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
	words[12] = 0;
	words[13] = (uintptr_t)words;
	words[15] = sizeof(words);
	words[32] = (uintptr_t)code;
	words[33] = 0x246;
	words[34] = 0x2b000000000033;
	__asm__ volatile("" : : "r"(words) : "memory");
	handle_alarm(let_out, SA_ONSTACK);
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
static void a_handler_that_defers_none(void)
{
	CHECK_EQ(wait_for(in_a_handler_that_defers_none, SHORT_MS), -EBUSY);
	CHECK_EQ(wait_for(in_a_handler_on_the_same_stack, SHORT_MS), -EBUSY);
}
static void a_thread_that_was_there(void) { CHECK_EQ(wait_for(out_again, LONG_MS), 0); }
static void a_thread_that_runs(void) { CHECK_EQ(wait_for(runs_elsewhere, LONG_MS), 0); }

enum { PC = 25, WORDS = 30 };

/* A frame at its place: link, stack for signals, its size, pc, flags, segments. */
static void put_frame(uint64_t words[WORDS], uint64_t stack, uint64_t size)
{
	memset(words, 0, WORDS * sizeof(*words));
	words[PC - 19] = stack;
	words[PC - 17] = size;
	words[PC] = 0x1000;
	words[PC + 1] = 0x246;
	words[PC + 2] = 0x002b000000000033;
}

static void frames(void)
{
	enum { SP = 0x70000 };
	uint64_t words[WORDS];

	put_frame(words, 0, 0);
	CHECK(inside_frame(words, WORDS, SP, 0x1000, 0x2000));
	CHECK(!inside_frame(words, WORDS, SP, 0x1001, 0x2000));
	CHECK(!inside_frame(words, PC + 2, SP, 0x1000, 0x2000));
	CHECK(!inside_frame(words, 0, SP, 0x1000, 0x2000));
	words[PC + 2] = 0x1033;
	CHECK(!inside_frame(words, WORDS, SP, 0x1000, 0x2000));
	words[PC + 2] = 0x33;
	words[PC + 1] = 1ULL << 40;
	CHECK(!inside_frame(words, WORDS, SP, 0x1000, 0x2000));
	words[PC + 1] = 0x246;
	words[PC - 20] = 1;
	CHECK(!inside_frame(words, WORDS, SP, 0x1000, 0x2000));
}

/* The frame lies on the stack for signals that it names: the thread must be there, too. */
static void frames_of_other_threads(void)
{
	enum { SP = 0x70000, AT = SP + 8 * PC };
	uint64_t words[WORDS];

	put_frame(words, SP - 16, 0x1000);
	CHECK(inside_frame(words, WORDS, SP, 0x1000, 0x2000));
	put_frame(words, SP + 8, 0x1000);
	CHECK(!inside_frame(words, WORDS, SP, 0x1000, 0x2000));
	put_frame(words, AT + 8, 0x1000);	/* not used: the handler has no SA_ONSTACK */
	CHECK(inside_frame(words, WORDS, SP, 0x1000, 0x2000));
}

int main(void)
{
	make_code();
	return unit_main((struct unit_case[]){
		UNIT(a_thread_inside), UNIT(a_thread_in_a_handler), UNIT(a_handler_that_defers_none),
		UNIT(a_thread_that_was_there),
			UNIT(a_thread_that_runs),
		UNIT(frames), UNIT(frames_of_other_threads), {0} });
}
