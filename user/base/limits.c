// SPDX-License-Identifier: Apache-2.0
/* limits: see limits.h; limits_main.c has the part for a main(). */
#define _GNU_SOURCE
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { THREAD_STACK = 1 << 20 };

/* --- which limit was reached --- */

static const struct {
	int code, resource;
	const char *of, *option, *unit;
	unsigned int unit_size;
} shortages[] = {
	{ EMFILE, RLIMIT_NOFILE, "open files", "-n", "", 1 },
	{ EFBIG, RLIMIT_FSIZE, "the size of a file", "-f", " KB", 1024 },
	{ ENOMEM, RLIMIT_AS, "memory", "-v", " KB", 1024 },
	{ ENOMEM, RLIMIT_DATA, "memory", "-d", " KB", 1024 },
	/* pthread_create() never returns ENOMEM */
	{ EAGAIN, RLIMIT_AS, "memory", "-v", " KB", 1024 },
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
		snprintf(ret.text, sizeof(ret.text),
			 "; the limit of %s is %llu%s: raise it (ulimit %s)", shortages[i].of,
			 (unsigned long long)l.rlim_cur / shortages[i].unit_size, shortages[i].unit,
			 shortages[i].option);
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
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, bytes);
	return leave_files(files);
}

/* --- stacks --- */

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
