// SPDX-License-Identifier: Apache-2.0
/*
 * drive: puts memory into a running Go program, changes its calls and takes all that out again, with the functions of
 * user/inline by which `gotap record --attach inline` does it: again and again, or killed at each step of it.
 * tests/inject.bats runs it. A step is a place of INJECT_STEP() (inline/hold.h).
 *
 *	drive cycles PID N		inject and remove, N times
 *	drive patch PID N		the same, and in between change calls of runtime.casgstatus, and back
 *	drive kill PID EACH		"patch" by a process that is killed at step EACH, the next one at 2 * EACH, and so on; after
 *					each kill, remove the memory and the calls that are left
 *	drive hurt PID EACH		the same, but only its child, which holds threads, is killed
 *	drive late PID EACH		the same, but first all but the child are killed, 100 ms later the child
 *	drive refused PID MS		an injection must fail within that time; prints why
 *	drive traced PID MS		the same, while another process traces all threads
 *	drive storm PID MS		inject and remove for that long, and on until it has worked once
 *	drive exec-first PID FIFO	the program execs at step 1, 2, ... of an injection; until that is over, the exec waits for
 *					the first thread, which is kept from its end; all others have ended
 *	drive exec-others PID FIFO	the same, but the first thread has ended, and the exec waits for others, until the next step
 *
 * In "storm" the program may end or exec. For the last two it is tests/prog/amidexec.go.
 *
 * Each ends with status 0 if the program's memory, descriptors and code are as they were before.
 */
#define _GNU_SOURCE
#include "drive.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"

/* --- in and out --- */

/* Once in and out, with @patching or without. Returns the longest hold. */
static uint64_t cycle(bool patching)
{
	struct injected in;
	struct gobin_func fn;

	inject(&in);
	if (patching && !gobin_func(bin, "runtime.casgstatus", &fn)) {
		write_stubs(&in, fn.addr + process.bias);
		set_control(&in, in.shared);
		apply(false);
		sleep_ns(5000000);
		apply(true);
	}
	take_out(&in);
	return in.held.ns;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void cycles(size_t n, bool patching)
{
	uint64_t *held = calloc(n, sizeof(*held));
	size_t i;

	if (patching)
		find_calls("runtime.casgstatus", SOME);
	for (i = 0; i < n; i++) {
		held[i] = cycle(patching);
		if (patching)
			continue;
		if (count_ours())
			die("after cycle %zu something is left", i);
	}
	check_clean();
	qsort(held, n, sizeof(*held), by_value);
	printf("%zu cycles, %zu calls, longest hold of a cycle: median %" PRIu64 " us, max %" PRIu64 " us\n",
	       n, n_patches, held[n / 2] / 1000, held[n - 1] / 1000);
}

/* --- refused --- */

static void refused(int ms)
{
	struct injected in;
	struct error err;

	if (!inject_possible(&process, &err) && !try_inject(ms, &in, &err))
		die("it got in");
	printf("%s\n", err.text);
	check_clean();
}

/* Runs in a child process until that is killed. */
static void trace_all(int ready)
{
	struct vec tids = {0};
	size_t i;

	procfs_tids(&process.fs, process.pid, &tids);
	for (i = 0; i < tids.len; i++)
		ptrace(PTRACE_SEIZE, *vec_at(&tids, pid_t, i), NULL, NULL);
	if (write(ready, "r", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void traced(int ms)
{
	int ready[2];
	char c;
	pid_t pid;

	if (pipe(ready))
		die("pipe: %s", strerror(errno));
	pid = fork();
	if (!pid)
		trace_all(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		die("no tracer");
	refused(ms);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* --- a program that may end or exec meanwhile --- */

static int in_and_out(struct error *err)
{
	struct injected in;
	int r = try_inject(1000, &in, err);

	if (r) {
		injected_close(&in);
		return r;
	}
	r = inject_remove(&process, &hosts, &in, 1000, err);
	injected_close(&in);
	return r;
}

/* If the program ends or execs, its memory is gone, and all that was put into it. */
static void storm(int ms)
{
	uint64_t end = now_ns() + (uint64_t)ms * 1000000, at_last = end + 60000000000ULL;
	unsigned int done = 0, not_now = 0, ended = 0;
	struct error err = {0};
	int r = 0;

	while (now_ns() < (done ? end : at_last) && r != -ESRCH) {
		r = in_and_out(&err);
		done += !r;
		not_now += r == -EAGAIN || r == -EBUSY;
		ended += r == -ESRCH;
		if (r && r != -EAGAIN && r != -EBUSY && r != -ESRCH && !process_leaves(&process))
			die("unexpected: %s", err.text);
	}
	printf("in and out %u times, not now %u, ended %u\n", done, not_now, ended);
}

/* --- --- */

void inject_step(void)
{
	kill_step();
	exec_step();
}

int main(int argc, char **argv)
{
	const char *scenario = argc == 4 ? argv[1] : "";
	int n = argc == 4 ? atoi(argv[3]) : 0;

	if (!strncmp(scenario, "exec-", 5)) {
		open_target(atoi(argv[2]));
		exec_steps(argv[3], !strcmp(scenario, "exec-first"));
		return 0;
	}
	if (n < 1)
		die("usage: drive cycles|patch|kill|hurt|late|refused|traced|storm PID N, or drive exec-first|exec-others PID FIFO");
	open_target(atoi(argv[2]));
	if (!strcmp(scenario, "cycles") || !strcmp(scenario, "patch"))
		cycles((size_t)n, !strcmp(scenario, "patch"));
	else if (!strcmp(scenario, "kill"))
		kill_steps((unsigned int)n, ALL);
	else if (!strcmp(scenario, "hurt"))
		kill_steps((unsigned int)n, CHILD_ALONE);
	else if (!strcmp(scenario, "late"))
		kill_steps((unsigned int)n, CHILD_LATER);
	else if (!strcmp(scenario, "refused"))
		refused(n);
	else if (!strcmp(scenario, "traced"))
		traced(n);
	else if (!strcmp(scenario, "storm"))
		storm(n);
	else
		die("no scenario %s", scenario);
	return 0;
}
