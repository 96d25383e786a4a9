// SPDX-License-Identifier: Apache-2.0
/* runner: see runner.h. */
#define _GNU_SOURCE
#include "flight/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/priority.h"

enum { NOT_RUN = 126 << 8 };

static _Noreturn void runner_exec(const char *command, void (*in_child)(void), const char *path)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	sigset_t none;

	/* Ctrl-C ends the recording, but not a command that uploads a snapshot of it */
	setpgid(0, 0);
	if (in_child)
		in_child();
	priority_restore();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	execl("/bin/sh", "sh", "-c", command, "gotap", path, (char *)NULL);
	_exit(127);
}

static int runner_run(const char *command, void (*in_child)(void), const char *path)
{
	int status = NOT_RUN;
	pid_t pid = fork();

	if (!pid)
		runner_exec(command, in_child, path);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* Runs the process until gotap, which has the other end of the socket, ends or closes it. */
static _Noreturn void be_runner(const char *command, void (*in_child)(void), int socket)
{
	static char path[PATH_MAX];
	ssize_t n;
	int status;

	prctl(PR_SET_NAME, "gotap-exec");
	setpgid(0, 0);
	close_between(STDERR_FILENO + 1, socket - 1);
	close_between(socket + 1, INT_MAX);
	while ((n = recv(socket, path, sizeof(path), 0)) > 0 && !path[n - 1]) {
		status = runner_run(command, in_child, path);
		if (send(socket, &status, sizeof(status), MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}

int runner_start(struct runner *r, const char *command, void (*in_child)(void), struct error *err)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return error_set(err, -errno, "cannot make a socket: %s", strerror(errno));
	r->socket = ends[0];
	r->pid = fork_deaf();
	if (!r->pid)
		be_runner(command, in_child, ends[1]);
	close(ends[1]);
	if (r->pid > 0)
		return 0;
	r->pid = 0;
	close(r->socket);
	return error_set(err, -errno, "cannot make a process: %s", strerror(errno));
}

bool runner_begin(struct runner *r, const char *path)
{
	size_t n = strlen(path) + 1;

	return n <= PATH_MAX && send(r->socket, path, n, MSG_NOSIGNAL) == (ssize_t)n;
}

bool runner_has_ended(struct runner *r, int *status)
{
	ssize_t n = recv(r->socket, status, sizeof(*status), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n != sizeof(*status))
		*status = NOT_RUN;
	return true;
}

void runner_end(struct runner *r)
{
	if (!r->pid)
		return;
	close(r->socket);
	waitpid(r->pid, NULL, WNOHANG);
	*r = (struct runner){0};
}
