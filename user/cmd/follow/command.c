// SPDX-License-Identifier: Apache-2.0
/* command: see command.h. */
#define _GNU_SOURCE
#include "cmd/follow/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/record/signals.h"
#include "cmd/record/waiting.h"

/* In the child: exec when it is followed. */
static void exec_command(char **argv, int parent)
{
	char go;
	int e;

	signals_restore();
	if (read(parent, &go, 1) != 1)
		_exit(EXIT_LAUNCHER);
	execvp(argv[0], argv);
	e = errno;
	if (write(parent, &e, sizeof(e)) < 0)
		_exit(126);
	_exit(e == ENOENT ? 127 : 126);	/* as env(1) and shells have it */
}

int follow_command_start(struct follow_command *c, char **argv, struct follow *f, struct error *err)
{
	int ends[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return error_set(err, -errno, "cannot make a socket: %s", strerror(errno));
	c->name = argv[0];
	c->socket = ends[0];
	c->pid = fork();
	if (!c->pid) {
		close(ends[0]);
		exec_command(argv, ends[1]);
	}
	close(ends[1]);
	if (c->pid < 0) {
		c->pid = 0;
		return error_set(err, -errno, "cannot fork: %s", strerror(errno));
	}
	r = follow_add(f, c->pid, err);
	follow_own_child(f, c->pid);
	if (!r && write(c->socket, "", 1) != 1)
		r = error_set(err, -errno, "cannot start '%s': %s", c->name, strerror(errno));
	if (r)
		close(c->socket);	/* it ends */
	return r;
}

/*
 * While a thread of user/follow traces the command, waitid() also reports its ptrace stops, which
 * are that thread's to take: so this looks first (WNOWAIT), and takes only an end.
 */
void follow_command_look(struct follow_command *c)
{
	siginfo_t info = {0};
	int e;

	if (!c->pid || c->ended ||
	    waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid)
		return;
	if (info.si_code == CLD_EXITED || info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED)
		c->ended = waitpid(c->pid, &c->status, WNOHANG) == c->pid;
	if (c->ended && recv(c->socket, &e, sizeof(e), MSG_DONTWAIT) == sizeof(e))
		c->failure = e;
}

static int exit_status(const struct follow_command *c)
{
	return WIFEXITED(c->status) ? WEXITSTATUS(c->status) : 128 + WTERMSIG(c->status);
}

int follow_command_status(struct follow_command *c, const struct record_options *o, int own,
			  int done)
{
	static const struct timespec moment = { .tv_nsec = 20000000 };
	int status;

	if (!c->pid)
		return own;
	follow_command_look(c);
	if (!c->ended && !waiting_begin(o, c->pid, done))
		return own;
	for (; !c->ended; follow_command_look(c)) {
		if (signals_stop())
			return waiting_give_up(c->pid);
		nanosleep(&moment, NULL);
	}
	status = exit_status(c);
	return own && !status ? EXIT_LAUNCHER : status;
}
