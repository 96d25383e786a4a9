// SPDX-License-Identifier: Apache-2.0
/* limits: see limits.h. */
#define _GNU_SOURCE
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

enum {
	MAIN_STACK = 8 << 20,		/* the usual RLIMIT_STACK; pages count when they are used */
	THREAD_STACK = 1 << 20,
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

/* Unlike SIG_IGN a handler is not passed on by exec. */
static void let_be(int sig)
{
}

static void survive_large_writes(void)
{
	struct sigaction none = { .sa_handler = let_be, .sa_flags = SA_RESTART }, before;

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

/* --- what is short --- */

static const struct {
	int code, resource;
	const char *of, *option, *unit;
	unsigned int unit_size;
} shortages[] = {
	{ EMFILE, RLIMIT_NOFILE, "open files", "-n", "", 1 },
	{ EFBIG, RLIMIT_FSIZE, "the size of a file", "-f", " KB", 1024 },
	{ ENOMEM, RLIMIT_AS, "memory", "-v", " KB", 1024 },
	{ ENOMEM, RLIMIT_DATA, "memory", "-d", " KB", 1024 },
	{ EAGAIN, RLIMIT_AS, "memory", "-v", " KB", 1024 },	/* pthread_create() has no ENOMEM */
	{ EAGAIN, RLIMIT_NPROC, "processes and threads of this user", "-u", "", 1 },
};

enum { SHORTAGES = sizeof(shortages) / sizeof(shortages[0]) };

struct limits_text limits_explain(int code)
{
	struct limits_text ret = { "" };
	struct rlimit l;
	int i;

	for (i = 0; i < SHORTAGES && !ret.text[0]; i++) {
		if (shortages[i].code != -code || getrlimit(shortages[i].resource, &l) ||
		    l.rlim_cur == RLIM_INFINITY)
			continue;
		snprintf(ret.text, sizeof(ret.text), "; the limit of %s is %llu%s: raise it (ulimit %s)",
			 shortages[i].of, (unsigned long long)l.rlim_cur / shortages[i].unit_size,
			 shortages[i].unit, shortages[i].option);
	}
	return ret;
}

static int leave_files(int n)
{
	int fd = n ? open("/", O_PATH | O_CLOEXEC) : 0, r;

	if (!n)
		return 0;
	if (fd < 0)
		return -errno;
	r = leave_files(n - 1);
	close(fd);
	return r;
}

int limits_leave(int files, size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, bytes);
	return leave_files(files);
}

/* --- stacks --- */

/* makecontext() passes no pointers. */
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

int thread_start(pthread_t *thread, void *(*run)(void *), void *arg)
{
	pthread_attr_t attr;
	sigset_t all, old;
	int r = pthread_attr_init(&attr);

	if (r)
		return r;
	r = pthread_attr_setstacksize(&attr, THREAD_STACK);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (!r)
		r = pthread_create(thread, &attr, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return r;
}
