// SPDX-License-Identifier: Apache-2.0
/* moment: see moment.h. This file is gotap's side: it starts the taker, and looks that it goes on.
 */
#define _GNU_SOURCE
#include "moment/moment.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "moment/taker.h"

#define TAKER_PATIENCE_NS 5000000000ULL

enum {
	LOOK_EVERY_MS = 5,
	/* A stop beyond its bound by this is ended from outside. */
	LATE_NS = 50000000,
};

/* What gotap saw of the taker's work. */
struct taker_watch {
	uint64_t progress, since;
};

/* Sizes of sparse files end at 2^63; addresses of processes are below that. */
static int moment_make_file(void)
{
	int fd = memfd_create("gotap-moment", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, 1LL << 62)) {
		int r = -errno;

		close(fd);
		return r;
	}
	return fd;
}

/* Why the taker has to end: -EINTR, -ETIME, -ETIMEDOUT; 0: it goes on. */
static int taker_overdue(struct taker_watch *w, const struct taker_shared *shared,
			 const struct moment_opts *opts)
{
	uint64_t held = __atomic_load_n(&shared->held_since, __ATOMIC_ACQUIRE);
	uint64_t progress = __atomic_load_n(&shared->progress, __ATOMIC_RELAXED);
	uint64_t now = now_ns();

	if (stop_requested(opts->stop))
		return -EINTR;
	if (held && now > held + shared->facts.bound_ns + LATE_NS)
		return -ETIME;
	if (progress != w->progress || !w->since) {
		w->progress = progress;
		w->since = now;
	}
	return now - w->since > TAKER_PATIENCE_NS ? -ETIMEDOUT : 0;
}

/* Waits for the end of the taker. 0: it has ended by itself. */
static int taker_wait(pid_t pid, const struct taker_shared *shared, const struct moment_opts *opts)
{
	struct taker_watch w = { 0 };
	struct pollfd end = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	int r = 0;

	while (!r && !(end.fd < 0 ? waitpid(pid, NULL, WNOHANG) == pid :
				    poll(&end, 1, LOOK_EVERY_MS) > 0)) {
		if (end.fd < 0)
			sleep_ns(LOOK_EVERY_MS * 1000000L);
		r = taker_overdue(&w, shared, opts);
	}
	if (r)
		kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (end.fd >= 0)
		close(end.fd);
	return r;
}

static int moment_error(int r, const struct taker_shared *shared, const struct moment_opts *opts,
			struct error *err)
{
	pid_t pid = opts->proc->pid;

	if (r == -EINTR)
		return error_set(err, r, "stopped by a signal");
	if (r == -ETIME)
		return error_set(err, -EBUSY,
				 "process %d could not be stopped and continued in %.1f ms; it "
				 "runs",
				 pid, (double)shared->facts.bound_ns / 1e6);
	if (r == -ETIMEDOUT)
		return error_set(err, r, "the memory of process %d does not answer", pid);
	if (!shared->done)
		return error_set(
			err, -ECHILD,
			"the process that takes the image has been killed; process %d runs", pid);
	return error_set(err, shared->result, "%s", shared->err.text);
}

static void taker_child(pid_t parent, const struct moment_opts *opts, int memory,
			struct taker_shared *shared)
{
	/* gotap may have been started with SIG_IGN, which keeps reports of threads from coming */
	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_NAME, "gotap-moment");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent)
		taker_run(opts, memory, shared);
	_exit(0);
}

static void moment_take_over(struct moment *s, struct taker_shared *shared)
{
	s->facts = shared->facts;
	s->ranges = shared->ranges;
	s->n_ranges = shared->n_ranges;
	s->threads = shared->threads;
	s->n_threads = shared->n_threads;
}

int moment_take(struct moment *ret, const struct moment_opts *opts, struct error *err)
{
	struct taker_shared *shared;
	pid_t pid, parent = getpid();
	int r;

	*ret = (struct moment){ .memory = -1 };
	if (!opts->proc->fs.own)
		return error_set(
			err, -EPERM,
			"process %d is of another PID namespace; an image takes ptrace, which "
			"needs its own one",
			opts->proc->pid);
	ret->memory = moment_make_file();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ret->shared = shared == MAP_FAILED ? NULL : shared;
	if (ret->memory < 0 || !ret->shared)
		return error_set(err, -ENOMEM, "memory for the image: %s", strerror(errno));
	pid = fork_deaf();
	if (!pid)
		taker_child(parent, opts, ret->memory, shared);
	if (pid < 0)
		return error_set(err, -errno, "fork: %s", strerror(errno));
	r = taker_wait(pid, shared, opts);
	moment_take_over(ret, shared);
	return r || !shared->done || shared->result ? moment_error(r, shared, opts, err) : 0;
}

static bool moment_has(const struct moment *s, uint64_t addr, size_t n)
{
	size_t low = 0, high = s->n_ranges;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct moment_range *r = &s->ranges[middle];

		if (addr < r->start)
			high = middle;
		else if (addr >= r->end)
			low = middle + 1;
		else if (n <= r->end - addr)
			return true;
		else
			/* mappings can follow one another without a gap */
			return moment_has(s, r->end, n - (size_t)(r->end - addr));
	}
	return false;
}

bool moment_read(const struct moment *s, uint64_t addr, void *to, size_t n)
{
	char *at = to;

	if (!moment_has(s, addr, n))
		return false;
	while (n) {
		ssize_t got = pread(s->memory, at, n, (off_t)addr);

		if (got <= 0)
			return false;
		at += got;
		addr += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

void moment_free(struct moment *s)
{
	if (s->memory >= 0)
		close(s->memory);
	if (s->shared)
		munmap(s->shared, sizeof(struct taker_shared));
	*s = (struct moment){ .memory = -1 };
}
