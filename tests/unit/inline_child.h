/* SPDX-License-Identifier: Apache-2.0 */
/* inline_child: a process for the unit tests of room inline to work on: a fork of the test. */
#ifndef GOTAP_TESTS_INLINE_CHILD_H
#define GOTAP_TESTS_INLINE_CHILD_H

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/process.h"
#include "unit.h"

struct child {
	struct process p;
	int ready;		/* the child writes a byte */
};

/* In the child: says that it is ready. */
static inline void child_is_ready(int fd)
{
	if (write(fd, "r", 1) != 1)
		_exit(1);
}

static inline void child_start(struct child *c, void (*run)(int ready))
{
	struct procfs fs;
	int fds[2];
	char byte;
	pid_t pid;

	CHECK(!pipe(fds));
	pid = fork();
	if (!pid) {
		run(fds[1]);
		_exit(1);
	}
	CHECK_EQ(read(fds[0], &byte, 1), 1);
	close(fds[0]);
	close(fds[1]);
	CHECK(!procfs_open(&fs, NULL, NULL) && !process_open(&c->p, &fs, pid, NULL));
	process_file_path(c->p.exe_file, c->p.module);
}

static inline void child_end(struct child *c)
{
	kill(c->p.pid, SIGKILL);
	waitpid(c->p.pid, NULL, 0);
	process_close(&c->p);
}

#endif
