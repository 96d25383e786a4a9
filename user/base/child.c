// SPDX-License-Identifier: Apache-2.0
/* child: see child.h. */
#define _GNU_SOURCE
#include "base/child.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436	/* since Linux 5.9 */
#endif

pid_t fork_deaf(void)
{
	sigset_t all, old;
	pid_t pid;
	int e;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pid = fork();
	e = errno;
	if (pid)
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = e;
	return pid;
}

/*
 * For kernels without close_range(2): closes as many descriptors as fs.nr_open allows by default.
 */
static void close_each(int first, int last)
{
	enum { MANY = 1 << 20 };
	struct rlimit l = { MANY, MANY };
	int fd;

	getrlimit(RLIMIT_NOFILE, &l);
	for (fd = first; fd <= last && fd < MANY && (rlim_t)fd < l.rlim_cur; fd++)
		close(fd);
}

void close_between(int first, int last)
{
	if (first <= last && syscall(SYS_close_range, first, last, 0))
		close_each(first, last);
}
