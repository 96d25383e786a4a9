// SPDX-License-Identifier: Apache-2.0
/*
 * cpu_use: the CPU time of the program, and of gotap with the children that run its own file, while they run and after
 * they were reaped; a launched program is a child, too, and none of its time is gotap's.
 */
#define _GNU_SOURCE
#include "unit.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/record/cpu_use.h"

static const double TICKS = 0.03;	/* the kernel rounds CPU times to ticks, s */

static struct process program;
static struct procfs fs;
static pid_t helper;

static double clock_of(pid_t pid)
{
	struct timespec t = {0};
	clockid_t id = CLOCK_PROCESS_CPUTIME_ID;

	if (pid)
		CHECK(!clock_getcpuclockid(pid, &id));
	CHECK(!clock_gettime(id, &t));
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void burn(double seconds)
{
	double end = clock_of(0) + seconds;

	while (clock_of(0) < end)
		;
}

/* A process of another file that works. */
static void start_program(void)
{
	struct error err;
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/sh", "sh", "-c", "while :; do :; done", NULL);
		_exit(1);
	}
	while (clock_of(pid) < 0.1)	/* it has begun to */
		usleep(1000);
	CHECK(!procfs_open(&fs, NULL, &err));
	CHECK(!process_open(&program, &fs, pid, &err));
	program.launched = true;
}

/* A process of this file that works for a while, and then sleeps. */
static void start_helper(double seconds)
{
	helper = fork();
	if (helper)
		return;
	burn(seconds);
	for (;;)
		pause();
}

static double whole(const struct cpu_use *u, double rate)
{
	return rate * (double)(u->to - u->from) / 1e18;
}

static void times_between_two_looks(void)
{
	double own = clock_of(0), busy = clock_of(program.pid);
	struct cpu_use u;

	cpu_use_begin(&u, &program);
	CHECK(cpu_use_program(&u) == 0 && cpu_use_gotap(&u) == 0);
	start_helper(0.2);
	burn(0.2);
	while (clock_of(helper) < 0.2)
		usleep(1000);
	cpu_use_look(&u);
	own = clock_of(0) - own + clock_of(helper);
	busy = clock_of(program.pid) - busy;
	CHECK(whole(&u, cpu_use_gotap(&u)) > 0.4 - TICKS);
	CHECK(whole(&u, cpu_use_gotap(&u)) < own + TICKS);
	CHECK(whole(&u, cpu_use_program(&u)) > 0);
	CHECK(whole(&u, cpu_use_program(&u)) < busy + TICKS);
}

/* By then it is no child that runs, but one that was waited for. */
static void helper_that_has_ended(void)
{
	double before = cpu_use_gotap_whole(&program);

	CHECK(!kill(helper, SIGKILL));
	CHECK(waitpid(helper, NULL, 0) == helper);
	CHECK(cpu_use_gotap_whole(&program) > before - TICKS);
	CHECK(cpu_use_gotap_whole(&program) > 0.4);
	CHECK(cpu_use_gotap_whole(&program) < clock_of(0) + 0.2 + 2 * TICKS);
}

static void program_that_has_ended(void)
{
	double gotap = cpu_use_gotap_whole(&program);
	struct cpu_use u;

	cpu_use_begin(&u, &program);
	while (clock_of(program.pid) < 1)	/* more than all of gotap until now */
		usleep(1000);
	cpu_use_look(&u);
	CHECK(!kill(program.pid, SIGKILL));
	while (!process_ended(&program))
		usleep(1000);
	CHECK(program.reaped_ns >= 1000000000);
	CHECK(cpu_use_gotap_whole(&program) >= gotap - TICKS);
	CHECK(cpu_use_gotap_whole(&program) < gotap + clock_of(0));
	gotap = cpu_use_gotap(&u);
	cpu_use_look(&u);	/* the time of before is kept */
	CHECK(cpu_use_gotap(&u) == gotap);
	CHECK(whole(&u, cpu_use_program(&u)) < (double)program.reaped_ns / 1e9);
	process_close(&program);
}

int main(void)
{
	start_program();
	return unit_main((struct unit_case[]){
		UNIT(times_between_two_looks), UNIT(helper_that_has_ended), UNIT(program_that_has_ended), {0} });
}
