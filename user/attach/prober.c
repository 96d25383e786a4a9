// SPDX-License-Identifier: Apache-2.0
/* prober: see prober.h. */
#define _GNU_SOURCE
#include "attach/prober.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "proc/privilege.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434	/* Linux 5.3 */
#endif

/* at the counter of a gotap that seems to be stopped, before its patience ends */
enum { LOOKS = 5 };

struct prober_shared {
	uint32_t beats;
	bool gave_up;
};

/* --- in the prober --- */

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* A pipe that gotap writes to must end with gotap. */
static void close_all_but(const struct vec *keep)
{
	int next = 0;
	size_t i;

	for (i = 0; i < keep->len; i++) {
		int fd = *vec_at(keep, int, i);

		close_between(next, fd - 1);
		next = fd + 1;
	}
	close_between(next, INT_MAX);
}

/* Opens the three standard descriptors, so that no other file gets the number of one of them. */
static void fill_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

/*
 * Makes the kernel's OOM killer choose gotap rather than this process. It takes CAP_SYS_RESOURCE.
 */
static void stay_in_memory(void)
{
	_cleanup_close_ int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "-1000", 5) < 0)
		errno = 0;	/* then it is as likely as gotap, no more */
}

/*
 * Raises its priority: its work is short, and on a busy machine the program waits for it. It takes
 * CAP_SYS_NICE.
 */
static void go_first(void)
{
	setpriority(PRIO_PROCESS, 0, -20);
}

static void stand_alone(const struct prober_job *job, int sock, int parent)
{
	struct vec keep = {0};
	size_t i;

	setsid();
	privilege_reserve_no_files();
	prctl(PR_SET_NAME, "gotap-prober");
	for (i = 0; i < job->keep.len; i++)
		*(int *)vec_push(&keep, sizeof(int)) = *vec_at(&job->keep, int, i);
	*(int *)vec_push(&keep, sizeof(int)) = sock;
	*(int *)vec_push(&keep, sizeof(int)) = parent;
	vec_sort(&keep, sizeof(int), by_number);
	close_all_but(&keep);
	vec_free(&keep);
	fill_standard_descriptors();
	stay_in_memory();
	go_first();
}

/*
 * Returns the result of poll(). 0: gotap stands still. It counts looks and not time: if the whole
 * machine was stopped, each process runs again before this one has looked so often.
 */
static int wait_for_gotap(const struct prober_job *job, const struct prober_shared *shared,
			  struct pollfd fds[2])
{
	uint32_t beats = __atomic_load_n(&shared->beats, __ATOMIC_RELAXED), now;
	int still = 0, r;

	while (still < LOOKS) {
		r = poll(fds, 2, job->has_probes(job->ctx) ? (int)job->patience_ms / LOOKS : -1);
		if (r > 0 || (r < 0 && errno != EINTR))
			return r;
		now = __atomic_load_n(&shared->beats, __ATOMIC_RELAXED);
		still = now == beats ? still + 1 : 0;
		beats = now;
	}
	return 0;
}

/*
 * False: gotap has ended, or is stopped. Its end of the socket may still be open then, in a
 * process that it forked.
 */
static bool next_request(const struct prober_job *job, struct prober_shared *shared, int sock,
			 int parent, struct prober_request *rq)
{
	struct pollfd fds[] = { { .fd = sock, .events = POLLIN },
				{ .fd = parent, .events = POLLIN } };
	int r = wait_for_gotap(job, shared, fds);

	if (!r)
		__atomic_store_n(&shared->gave_up, true, __ATOMIC_SEQ_CST);
	return r > 0 && !fds[1].revents && recv(sock, rq, sizeof(*rq), 0) == sizeof(*rq);
}

/*
 * This process holds no probe. The kernel, when it frees memory by killing, and init, at a
 * shutdown, may end it.
 */
static void prober_be_later(const struct prober_job *job, struct vec *keep)
{
	_cleanup_close_ int fd = -1;
	sigset_t ends;

	vec_sort(keep, sizeof(int), by_number);
	close_all_but(keep);
	fill_standard_descriptors();
	fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && write(fd, "0", 1) < 0)
		errno = 0;	/* then it is as hard to kill as the prober was */
	setpriority(PRIO_PROCESS, 0, 0);
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_UNBLOCK, &ends, NULL);
	job->later(job->ctx);
	_exit(0);
}

static void prober_go_on(const struct prober_job *job)
{
	struct vec keep = {0};

	if (job->has_more && job->has_more(job->ctx, &keep) && !fork_deaf())
		prober_be_later(job, &keep);
	vec_free(&keep);
}

static void be_prober(const struct prober_job *job, struct prober_shared *shared, int sock,
		      int parent)
{
	struct prober_request rq;

	stand_alone(job, sock, parent);
	while (next_request(job, shared, sock, parent, &rq)) {
		struct error reply = {0};

		reply.code = job->serve(job->ctx, &rq, &reply);
		if (send(sock, &reply, sizeof(reply), MSG_NOSIGNAL) < 0)
			break;
	}
	job->end(job->ctx);
	prober_go_on(job);
	_exit(0);
}

/* --- in gotap --- */

static int prober_cannot_start(struct error *err)
{
	return error_set(err, -errno, "cannot start the process that holds the probes: %s",
			 strerror(errno));
}

static void prober_give_back(struct prober *p)
{
	close(p->socket);
	munmap(p->shared, sizeof(*p->shared));
	pthread_mutex_destroy(&p->lock);
	*p = (struct prober){ .socket = -1 };
}

int prober_start(struct prober *p, const struct prober_job *job, struct error *err)
{
	_cleanup_close_ int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
	_cleanup_close_ int theirs = -1;
	int fds[2], r;

	*p = (struct prober){ .socket = -1 };
	if (self < 0)
		return prober_cannot_start(err);
	p->shared = mmap(NULL, sizeof(*p->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p->shared == MAP_FAILED)
		return prober_cannot_start(err);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds)) {
		r = prober_cannot_start(err);
		munmap(p->shared, sizeof(*p->shared));
		return r;
	}
	p->socket = fds[0];
	theirs = fds[1];
	pthread_mutex_init(&p->lock, NULL);
	p->pid = fork_deaf();
	if (!p->pid)
		be_prober(job, p->shared, theirs, self);
	if (p->pid > 0)
		return 0;
	r = prober_cannot_start(err);
	prober_give_back(p);
	return r;
}

static bool prober_exchange(int sock, const struct prober_request *rq, struct error *reply)
{
	ssize_t n;

	if (send(sock, rq, sizeof(*rq), MSG_NOSIGNAL) != sizeof(*rq))
		return false;
	do
		n = recv(sock, reply, sizeof(*reply), 0);
	while (n < 0 && errno == EINTR);
	return n == sizeof(*reply);
}

/*
 * After a request without an answer the next answer could be of that one: no further request is
 * made.
 */
static bool exchange_or_part(struct prober *p, const struct prober_request *rq, struct error *reply)
{
	bool answered;

	pthread_mutex_lock(&p->lock);
	answered = !p->gone && prober_exchange(p->socket, rq, reply);
	if (!answered) {
		__atomic_store_n(&p->gone, true, __ATOMIC_SEQ_CST);
		shutdown(p->socket, SHUT_RDWR);
	}
	pthread_mutex_unlock(&p->lock);
	return answered;
}

int prober_ask(struct prober *p, const struct prober_request *rq, struct error *err)
{
	struct error reply;

	if (!p->pid)
		return error_set(err, -EPIPE, "no process holds the probes");
	if (exchange_or_part(p, rq, &reply))
		return reply.code ? error_set(err, reply.code, "%s", reply.text) : 0;
	if (prober_gave_up(p))
		return error_set(
			err, -EPIPE,
			"gotap was stopped (SIGSTOP, Ctrl-Z, a debugger), so process %d has taken "
			"the probes away: record again",
			p->pid);
	return error_set(err, -EPIPE, "process %d, which held the probes, was killed", p->pid);
}

void prober_beat(struct prober *p)
{
	if (p->pid)
		__atomic_fetch_add(&p->shared->beats, 1, __ATOMIC_RELAXED);
}

bool prober_lives(const struct prober *p)
{
	struct pollfd fd = { .fd = p->socket };

	return p->pid && !__atomic_load_n(&p->gone, __ATOMIC_SEQ_CST) && !prober_gave_up(p) &&
	       poll(&fd, 1, 0) == 0;
}

bool prober_gave_up(const struct prober *p)
{
	return p->pid && __atomic_load_n(&p->shared->gave_up, __ATOMIC_SEQ_CST);
}

bool prober_wait(const struct prober *p)
{
	siginfo_t info = {0};

	while (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOWAIT) && errno == EINTR)
		;
	return info.si_code == CLD_EXITED;
}

void prober_end(struct prober *p)
{
	if (!p->pid)
		return;
	shutdown(p->socket, SHUT_RDWR);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
	prober_give_back(p);
}
