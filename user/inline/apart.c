// SPDX-License-Identifier: Apache-2.0
/* apart: see apart.h. */
#define _GNU_SOURCE
#include "inline/apart.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/cleanup.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434	/* Linux 5.3 */
#endif

enum { LONGER_MS = 500 };

void *apart_memory(size_t size)
{
	void *m = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return m == MAP_FAILED ? NULL : m;
}

static void be_child(void (*work)(void *shared), void *shared)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* the signal reports a stop; an ignored one would not come */
	signal(SIGCHLD, SIG_DFL);
	/* the child may be killed, and must not hold the last descriptor of a probe */
	close_between(0, INT_MAX);
	work(shared);
	_exit(0);
}

static int apart_wait_for(pid_t pid, int timeout_ms)
{
	_cleanup_close_ int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	int status = -1;

	if (fd < 0 || poll(&pfd, 1, timeout_ms + LONGER_MS) <= 0)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? 0 : -ECANCELED;
}

int apart_run(void (*work)(void *shared), void *shared, int timeout_ms)
{
	pid_t pid = fork_deaf();

	if (pid < 0)
		return -errno;
	if (!pid)
		be_child(work, shared);
	return apart_wait_for(pid, timeout_ms);
}
