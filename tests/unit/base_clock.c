// SPDX-License-Identifier: Apache-2.0
/* clock: now_ns() is the machine's time in whatever time namespace the process is, and its children will be. */
#define _GNU_SOURCE
#include "unit.h"

#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

#define SECOND 1000000000LL
enum { SKIPPED = 77 };

static int64_t seen(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

/* For processes that are forked from now on. */
static void add_to_clock(int seconds)
{
	FILE *f;

	if (unshare(CLONE_NEWTIME) || !(f = fopen("/proc/self/timens_offsets", "w")))
		_exit(SKIPPED);
	if (fprintf(f, "monotonic %d 0\n", seconds) < 0 || fclose(f))
		_exit(SKIPPED);
}

/* Runs @then in a child; returns its status. */
static int in_child(void (*then)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		then();
		_exit(1);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void exit_if_added(int seconds)
{
	int64_t off = seen() - (int64_t)now_ns() - seconds * SECOND;

	if (llabs(off) < 100 * SECOND)
		_exit(0);
	printf("# now_ns() is off by %lld s\n", (long long)off / SECOND);
	fflush(stdout);
	_exit(1);
}

static void is_in_none(void) { exit_if_added(0); }
static void is_in_first(void) { exit_if_added(1000); }

static void child_is_in_one(void)
{
	add_to_clock(1000);
	_exit(in_child(is_in_first));
}

static void only_children_will_be_in_one(void)
{
	add_to_clock(5000);
	exit_if_added(0);
}

static void only_children_will_be_in_another(void)
{
	add_to_clock(5000);
	exit_if_added(1000);
}

static void has_child(void) { _exit(in_child(only_children_will_be_in_another)); }

static void child_has_such_a_child(void)
{
	add_to_clock(1000);
	_exit(in_child(has_child));
}

static void check(void (*in)(void))
{
	int status = in_child(in);

	if (status == SKIPPED)
		puts("# no time namespaces here");
	else
		CHECK_EQ(status, 0);
}

static void in_no_namespace(void) { check(is_in_none); }
static void in_a_namespace(void) { check(child_is_in_one); }
static void with_one_for_children(void) { check(only_children_will_be_in_one); }
static void in_one_with_another_for_children(void) { check(child_has_such_a_child); }

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	return unit_main((struct unit_case[]){
		UNIT(in_no_namespace),
		UNIT(in_a_namespace),
		UNIT(with_one_for_children),
		UNIT(in_one_with_another_for_children),
		{0} });
}
