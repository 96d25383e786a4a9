// SPDX-License-Identifier: Apache-2.0
/* job: see job.h. */
#define _GNU_SOURCE
#include "mcp/job.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/parent.h"

/* How long a child that was asked to end may take, also to write what is left of a recording. */
static const uint64_t JOB_PATIENCE_NS = 10000000000ULL;

/* --- begin --- */

/* Bytes of private memory of a child, without the rings, which are shared. */
#define JOB_MEMORY (8ULL << 30)

/*
 * A pattern of a client can take any amount of memory when it is compiled: it must not be that of
 * the program that is looked at.
 */
static void job_limit_memory(void)
{
	static const struct rlimit most = { JOB_MEMORY, JOB_MEMORY };
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "1000", 4) < 0)
		errno = 0;	/* the limit holds all the same */
	setrlimit(RLIMIT_DATA, &most);
}

static void job_exec(char *const *words, int dir, int out, int said)
{
	int null = open("/dev/null", O_RDONLY);
	sigset_t none;

	sigemptyset(&none);
	signal(SIGPIPE, SIG_DFL);
	if (null < 0 || setpgid(0, 0) || fchdir(dir) || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(out, STDOUT_FILENO) < 0 || dup2(said, STDERR_FILENO) < 0)
		_exit(127);
	close_between(STDERR_FILENO + 1, INT_MAX);
	sigprocmask(SIG_SETMASK, &none, NULL);
	job_limit_memory();
	execv("/proc/self/exe", words);
	_exit(127);
}

/* The words of the child; the caller frees the list. */
static char **job_words(char *const *words, size_t n, char *parent)
{
	char **ret = xcalloc(n + 3, sizeof(*ret));

	ret[0] = (char *)"gotap";
	ret[1] = parent;
	memcpy(ret + 2, words, n * sizeof(*words));
	return ret;
}

static int job_fork(struct job *j, int dir_fd, char *const *words, size_t n, const int out[2],
		    const int said[2])
{
	_cleanup_free_ char *parent = parent_option();
	char **all = job_words(words, n, parent);

	j->pid = fork();
	if (!j->pid)
		job_exec(all, dir_fd, out[1], said[1]);
	free(all);
	return j->pid < 0 ? -errno : 0;
}

static void job_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* The ends that this process reads do not block. */
static int job_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	return fcntl(ends[0], F_SETFL, O_NONBLOCK) ? -errno : 0;
}

int job_start(struct job *j, int dir_fd, char *const *words, size_t n, struct error *err)
{
	int out[2] = { -1, -1 }, said[2] = { -1, -1 }, r;

	*j = (struct job){ .out_fd = -1, .said_fd = -1, .begin = now_ns() };
	r = job_pipe(out);
	if (!r)
		r = job_pipe(said);
	if (!r)
		r = job_fork(j, dir_fd, words, n, out, said);
	if (!r) {
		j->out_fd = take_fd(&out[0]);
		j->said_fd = take_fd(&said[0]);
	} else {
		j->pid = 0;
	}
	job_close(&out[0]);
	job_close(&out[1]);
	job_close(&said[0]);
	job_close(&said[1]);
	return r ? error_set(err, r, "cannot start gotap: %s", strerror(-r)) : 0;
}

/* --- output --- */

/* Reads until the pipe is empty. @most: then the oldest bytes go; 0: they stay. */
static void job_read(int *fd, struct buf *to, size_t most)
{
	char piece[1 << 14];
	ssize_t n;

	while (*fd >= 0 && (n = read(*fd, piece, sizeof(piece))) != 0) {
		if (n < 0) {
			if (errno != EAGAIN && errno != EINTR)
				job_close(fd);
			return;
		}
		buf_add(to, piece, (size_t)n);
		if (most && to->len > most) {
			memmove(to->data, to->data + to->len - most, most);
			to->len = most;
		} else if (to->len > JOB_OUT) {
			return;
		}
	}
	job_close(fd);
}

/* A child of the child could hold the pipes open: its own end counts. */
static void job_reap(struct job *j)
{
	struct rusage use;

	if (!j->pid || wait4(j->pid, &j->status, WNOHANG, &use) != j->pid)
		return;
	j->pid = 0;
	j->end = now_ns();
	j->cpu_seconds = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
			 (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

bool job_step(struct job *j)
{
	bool ended;

	job_reap(j);
	ended = !j->pid;
	job_read(&j->out_fd, &j->out, 0);
	job_read(&j->said_fd, &j->said, JOB_SAID);
	if (j->out.len > JOB_OUT && !j->too_long) {
		j->too_long = true;
		job_close(&j->out_fd);
		job_ask(j);
	}
	if (j->pid && j->kill_at && now_ns() >= j->kill_at)
		kill(j->pid, SIGKILL);
	return ended;
}

/* --- end --- */

void job_ask(struct job *j)
{
	if (!j->pid || j->kill_at)
		return;
	j->kill_at = now_ns() + JOB_PATIENCE_NS;
	kill(j->pid, SIGTERM);
}

void job_free(struct job *j)
{
	if (j->pid > 0) {
		kill(j->pid, SIGKILL);
		waitpid(j->pid, NULL, 0);
	}
	job_close(&j->out_fd);
	job_close(&j->said_fd);
	buf_free(&j->out);
	buf_free(&j->said);
	*j = (struct job){ .out_fd = -1, .said_fd = -1 };
}
