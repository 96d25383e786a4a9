// SPDX-License-Identifier: Apache-2.0
/* run: see run.h. */
#define _GNU_SOURCE
#include "serve/run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/parent.h"
#include "base/show.h"

#define SECOND_NS 1000000000ULL

/* How long a child that was asked to end may take, also to write what is left of a recording. */
enum { END_SECONDS = 10 };

void run_arg(struct run_args *a, const char *arg)
{
	if (a->n >= RUN_ARGS)
		abort();
	a->arg[a->n++] = arg;
	a->arg[a->n] = NULL;
}

void run_arg2(struct run_args *a, const char *arg, const char *value)
{
	run_arg(a, arg);
	run_arg(a, value);
}

/* --- begin --- */

static void exec_child(const char *const *words, int in, int out, int said)
{
	sigset_t none;

	sigemptyset(&none);
	signal(SIGPIPE, SIG_DFL);
	if (setpgid(0, 0) || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(said, STDERR_FILENO) < 0)
		_exit(127);
	close_between(STDERR_FILENO + 1, INT_MAX);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execv("/proc/self/exe", (char *const *)words);
	_exit(127);
}

static pid_t start_child(const struct run_args *a, int in, int out, int said)
{
	_cleanup_free_ char *parent = parent_option();
	const char *words[RUN_ARGS + 2] = { a->arg[0], parent };
	pid_t pid;

	memcpy(words + 2, a->arg + 1, a->n * sizeof(*words));	/* with the NULL */
	pid = fork();
	if (!pid)
		exec_child(words, in, out, said);
	return pid < 0 ? -errno : pid;
}

/*
 * No end of the pipe gets a number from 0 to 2, since main() has opened these: a dup2() to its own
 * number would leave it close-on-exec.
 */
static int open_pipe(int ends[2])
{
	return pipe2(ends, O_CLOEXEC) ? -errno : 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

struct pipes {
	int null, between[2], out[2], said[2];
};

static int open_pipes(struct pipes *p, bool two)
{
	int r;

	*p = (struct pipes){
		open("/dev/null", O_RDONLY | O_CLOEXEC), { -1, -1 }, { -1, -1 }, { -1, -1 }
	};
	r = p->null < 0 ? -errno : open_pipe(p->out);
	if (!r)
		r = open_pipe(p->said);
	return !r && two ? open_pipe(p->between) : r;
}

static void close_pipes(struct pipes *p)
{
	int i;

	close_fd(&p->null);
	for (i = 0; i < 2; i++) {
		close_fd(&p->between[i]);
		close_fd(&p->out[i]);
		close_fd(&p->said[i]);
	}
}

static int start_all(struct run *r, const struct run_args *first, const struct run_args *second,
		     struct pipes *p)
{
	int in = first->in ? first->in : p->null;

	r->pid[0] = start_child(first, in, second ? p->between[1] : p->out[1], p->said[1]);
	if (r->pid[0] < 0)
		return r->pid[0];
	if (second)
		r->pid[1] = start_child(second, p->between[0], p->out[1], p->said[1]);
	return r->pid[1] < 0 ? r->pid[1] : 0;
}

int run_start(struct run *r, const struct run_args *first, const struct run_args *second,
	      struct error *err)
{
	struct pipes p;
	int ret = open_pipes(&p, second);

	*r = RUN_NONE;
	if (!ret)
		ret = start_all(r, first, second, &p);
	if (!ret) {
		r->out = take_fd(&p.out[0]);
		r->said_fd = take_fd(&p.said[0]);
		fcntl(r->said_fd, F_SETFL, O_NONBLOCK);
	}
	close_pipes(&p);
	if (!ret)
		return 0;
	run_end(r);
	return error_set(err, ret, "cannot start gotap: %s", strerror(-ret));
}

/* --- output --- */

static void keep_said(struct run *r)
{
	char piece[1024];
	ssize_t n;

	while (r->said_fd >= 0 && (n = read(r->said_fd, piece, sizeof(piece))) > 0) {
		buf_add(&r->said, piece, (size_t)n);
		if (r->said.len <= RUN_SAID)
			continue;
		memmove(r->said.data, r->said.data + r->said.len - RUN_SAID, RUN_SAID);
		r->said.len = RUN_SAID;
	}
	if (r->said_fd >= 0 && (!n || errno != EAGAIN))
		close_fd(&r->said_fd);
}

/* Waits for one child until @deadline (ns); true: it has ended. */
static bool run_reap(struct run *r, pid_t *pid, uint64_t deadline)
{
	enum { LOOK_NS = 2000000 };
	int status = 0;
	pid_t got;

	if (*pid <= 0)
		return true;
	while (!(got = waitpid(*pid, &status, WNOHANG))) {
		keep_said(r);
		if (now_ns() >= deadline)
			return false;
		sleep_ns(LOOK_NS);
	}
	r->failed |= got < 0 || !WIFEXITED(status) || WEXITSTATUS(status);
	*pid = 0;
	return true;
}

static bool reap_all(struct run *r, uint64_t deadline)
{
	bool all = run_reap(r, &r->pid[0], deadline);

	return run_reap(r, &r->pid[1], deadline) && all;
}

void run_ask(struct run *r)
{
	if (r->asked || r->pid[0] <= 0)
		return;
	r->asked = true;
	kill(r->pid[0], SIGTERM);
}

/* The output has ended: waits for the children. */
static enum run_state run_finish(struct run *r)
{
	close_fd(&r->out);
	if (!reap_all(r, now_ns() + END_SECONDS * SECOND_NS))
		return RUN_LATE;
	keep_said(r);
	return RUN_OVER;
}

void run_stop(struct run *r, struct patience *p)
{
	run_ask(r);
	p->stop = -1;
	p->deadline = now_ns() + END_SECONDS * SECOND_NS;
}

/* Waits for output. RUN_DATA: there is some, or it has ended. */
static enum run_state wait_output(struct run *r, struct patience *p)
{
	struct pollfd fds[] = { { .fd = r->out, .events = POLLIN }, { .events = POLLIN } };

	for (;;) {
		fds[1].fd = r->said_fd;
		switch (patience_wait(p, fds, 2, -1)) {
		case PATIENCE_CLIENT:
			return RUN_CLIENT_GONE;
		case PATIENCE_LATE:
			return RUN_LATE;
		case PATIENCE_STOP:
			run_stop(r, p);
			break;
		default:
			keep_said(r);
			if (fds[0].revents)
				return RUN_DATA;
		}
	}
}

enum run_state run_read(struct run *r, struct patience *p, void *data, size_t size, size_t *n)
{
	enum run_state state = wait_output(r, p);
	ssize_t got;

	if (state != RUN_DATA)
		return state;
	got = read(r->out, data, size);
	if (got <= 0)
		return run_finish(r);
	*n = (size_t)got;
	return RUN_DATA;
}

/* --- end --- */

void run_end(struct run *r)
{
	int i;

	close_fd(&r->out);
	for (i = 0; i < RUN_CHILDREN; i++)
		if (r->pid[i] > 0)
			kill(r->pid[i], SIGTERM);
	if (!reap_all(r, now_ns() + END_SECONDS * SECOND_NS)) {
		for (i = 0; i < RUN_CHILDREN; i++)
			if (r->pid[i] > 0)
				kill(r->pid[i], SIGKILL);
		reap_all(r, UINT64_MAX);
	}
	close_fd(&r->said_fd);
	buf_free(&r->said);
}

/* The first line that begins with "gotap: ", as errors do; else the last one. */
char *run_error(const struct run *r)
{
	_cleanup_free_ char *all =
		xstrndup((const char *)r->said.data ? (const char *)r->said.data : "", r->said.len);
	char *line, *save = NULL, *found = NULL;

	for (line = strtok_r(all, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		found = line;
		if (!strncmp(line, "gotap: ", 7))
			break;
	}
	if (found && !strncmp(found, "gotap: ", 7))
		found += 7;
	return show_dup(found ? found : "gotap ended without a word");
}
