// SPDX-License-Identifier: Apache-2.0
/* prober: see prober.h. */
#define _GNU_SOURCE
#include "capture/prober.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434	/* Linux 5.3 */
#endif
#ifndef SYS_close_range
#define SYS_close_range 436	/* Linux 5.9 */
#endif

/* --- in the prober --- */

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void close_from_to(int first, int last)
{
	int fd, most = (int)sysconf(_SC_OPEN_MAX);

	if (first > last || !syscall(SYS_close_range, first, last, 0))
		return;
	for (fd = first; fd <= last && fd < most; fd++)
		close(fd);
}

/* A pipe that gotap writes to must end with gotap. */
static void close_all_but(const struct vec *keep)
{
	int next = 0;
	size_t i;

	for (i = 0; i < keep->len; i++) {
		int fd = *vec_at(keep, int, i);

		close_from_to(next, fd - 1);
		next = fd + 1;
	}
	close_from_to(next, INT32_MAX);
}

/* So that no file of ours gets the number of one of the three. */
static void fill_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

/* Whoever frees memory by killing kills gotap rather than this. It takes CAP_SYS_RESOURCE. */
static void stay_in_memory(void)
{
	_cleanup_close_ int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "-1000", 5) < 0)
		errno = 0;	/* then it is as likely as gotap, no more */
}

/* What it does is short, and on a busy machine the program waits for it. It takes CAP_SYS_NICE. */
static void go_first(void)
{
	setpriority(PRIO_PROCESS, 0, -20);
}

static void stand_alone(const struct prober_job *job, int sock, int parent)
{
	struct vec keep = {0};
	size_t i;

	setsid();
	prctl(PR_SET_NAME, "gotap-prober");
	for (i = 0; i < job->keep.len; i++)
		*(int *)vec_push(&keep, sizeof(int)) = *vec_at(&job->keep, int, i);
	*(int *)vec_push(&keep, sizeof(int)) = sock;
	*(int *)vec_push(&keep, sizeof(int)) = parent;
	qsort(keep.data, keep.len, sizeof(int), by_number);
	close_all_but(&keep);
	vec_free(&keep);
	fill_standard_descriptors();
	stay_in_memory();
	go_first();
}

/*
 * False: gotap has ended. Its end of the socket may still be open then, in a
 * process that it forked.
 */
static bool next_request(int sock, int parent, struct prober_request *rq)
{
	struct pollfd fds[] = { { .fd = sock, .events = POLLIN }, { .fd = parent, .events = POLLIN } };

	while (poll(fds, 2, -1) < 0)
		if (errno != EINTR)
			return false;
	return !fds[1].revents && recv(sock, rq, sizeof(*rq), 0) == sizeof(*rq);
}

static void be_prober(const struct prober_job *job, int sock, int parent)
{
	struct prober_request rq;

	stand_alone(job, sock, parent);
	while (next_request(sock, parent, &rq)) {
		struct error reply = {0};

		reply.code = job->serve(job->ctx, &rq, &reply);
		if (send(sock, &reply, sizeof(reply), MSG_NOSIGNAL) < 0)
			break;
	}
	job->end(job->ctx);
	_exit(0);
}

/* --- in gotap --- */

/* All signals are blocked over the fork: in the child there is no moment without. */
static pid_t fork_deaf(void)
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

int prober_start(struct prober *p, const struct prober_job *job, struct error *err)
{
	_cleanup_close_ int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
	_cleanup_close_ int theirs = -1;
	int fds[2];

	if (self < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return error_set(err, -errno, "cannot start the process that holds the probes: %s",
				 strerror(errno));
	p->socket = fds[0];
	theirs = fds[1];
	pthread_mutex_init(&p->lock, NULL);
	p->pid = fork_deaf();
	if (!p->pid)
		be_prober(job, theirs, self);
	if (p->pid > 0)
		return 0;
	p->pid = 0;
	close(p->socket);
	return error_set(err, -errno, "cannot start the process that holds the probes: %s",
			 strerror(errno));
}

static bool exchange(int sock, const struct prober_request *rq, struct error *reply)
{
	ssize_t n;

	if (send(sock, rq, sizeof(*rq), MSG_NOSIGNAL) != sizeof(*rq))
		return false;
	do
		n = recv(sock, reply, sizeof(*reply), 0);
	while (n < 0 && errno == EINTR);
	return n == sizeof(*reply);
}

int prober_ask(struct prober *p, const struct prober_request *rq, struct error *err)
{
	struct error reply;
	bool answered;

	pthread_mutex_lock(&p->lock);
	answered = exchange(p->socket, rq, &reply);
	pthread_mutex_unlock(&p->lock);
	if (!answered)
		return error_set(err, -EPIPE, "process %d, which held the probes, was killed", p->pid);
	return reply.code ? error_set(err, reply.code, "%s", reply.text) : 0;
}

bool prober_lives(const struct prober *p)
{
	struct pollfd fd = { .fd = p->socket };

	return p->pid && poll(&fd, 1, 0) == 0;
}

void prober_end(struct prober *p)
{
	if (!p->pid)
		return;
	close(p->socket);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
	p->pid = 0;
	pthread_mutex_destroy(&p->lock);
}
