// SPDX-License-Identifier: Apache-2.0
/*
 * limits_main: the functions of limits.h for main() only. They change the limits and the stack of
 * the whole process, and keep the old limits.
 */
#define _GNU_SOURCE
#include "base/limits.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

enum {
	MAIN_STACK = 8 << 20,		/* the usual RLIMIT_STACK; only used pages take memory */
	GUARD = 64 << 10,
};

/* --- files --- */

static struct rlimit files_before;
static bool files_raised;

static void raise_files(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) || l.rlim_cur == l.rlim_max)
		return;
	files_before = l;
	l.rlim_cur = l.rlim_max;
	files_raised = !setrlimit(RLIMIT_NOFILE, &l);
}

/* A handler that does nothing. Unlike SIG_IGN, exec resets a handler to the default. */
static void limits_ignore(int sig)
{
}

static void survive_large_writes(void)
{
	struct sigaction none = { .sa_handler = limits_ignore, .sa_flags = SA_RESTART }, before;

	if (!sigaction(SIGXFSZ, NULL, &before) && before.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &none, NULL);
}

void limits_begin(void)
{
	raise_files();
	survive_large_writes();
}

void limits_restore(void)
{
	if (files_raised)
		setrlimit(RLIMIT_NOFILE, &files_before);
}

/* --- the stack --- */

/* The arguments of the function on the new stack: makecontext() passes only int arguments. */
static struct {
	int (*main)(int argc, char **argv);
	int argc, status;
	char **argv;
} job;

static void run_job(void)
{
	job.status = job.main(job.argc, job.argv);
}

int limits_run(int (*main)(int argc, char **argv), int argc, char **argv)
{
	static ucontext_t here, there;
	char *stack = mmap(NULL, MAIN_STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (stack == MAP_FAILED || getcontext(&there))
		return main(argc, argv);
	mprotect(stack, GUARD, PROT_NONE);
	there.uc_stack.ss_sp = stack + GUARD;
	there.uc_stack.ss_size = MAIN_STACK - GUARD;
	there.uc_link = &here;
	job.main = main;
	job.argc = argc;
	job.argv = argv;
	makecontext(&there, run_job, 0);
	swapcontext(&here, &there);
	return job.status;
}
