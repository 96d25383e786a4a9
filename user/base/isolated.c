// SPDX-License-Identifier: Apache-2.0
/* isolated: see isolated.h. */
#define _GNU_SOURCE
#include "base/isolated.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/isolated_internal.h"
#include "base/rights.h"
#include "base/vec.h"

/* True in the isolated process, which runs further work itself. */
static bool inside;

/* The header of an answer. */
struct head {
	int32_t code;
	struct error err;
};

/* --- giving up all rights --- */

/* The system calls that libdw, zlib and malloc use: memory, reads of open files, exit. */
static const int allowed[] = {
	SYS_read,   SYS_pread64,       SYS_readv,     SYS_write,        SYS_lseek,
	SYS_fstat,  SYS_newfstatat,    SYS_close,     SYS_fcntl,        SYS_mmap,
	SYS_munmap, SYS_mremap,        SYS_mprotect,  SYS_madvise,      SYS_brk,
	SYS_futex,  SYS_clock_gettime, SYS_getrandom, SYS_rt_sigreturn, SYS_restart_syscall,
	SYS_exit,   SYS_exit_group,
};

enum { NALLOWED = sizeof(allowed) / sizeof(allowed[0]) };

static void isolated_limit(int what, rlim_t most)
{
	struct rlimit l = { most, most }, now;

	if (!getrlimit(what, &now) && now.rlim_max < most)
		l.rlim_cur = l.rlim_max = now.rlim_max;
	setrlimit(what, &l);
}

/*
 * Leaves only @out open, as descriptor 1, and @fd under its number. Descriptors 0 and 2 are closed.
 */
static bool keep_only(int out, int fd)
{
	int last = fd > 2 ? fd : 2;

	if (fd >= 0 && fd <= 2)
		return false;
	if (dup2(out, 1) != 1)
		return false;
	close(0);
	close(2);
	close_between(3, last - 1);
	close_between(last + 1, INT_MAX);
	return true;
}

/* --- memory --- */

/*
 * A parser may allocate ISOLATED_MEMORY in addition to the memory that this copy of gotap has at
 * its begin and to the addresses of the file, which libelf maps.
 */
enum { ISOLATED_MEMORY = 512 << 20 };
static const rlim_t FILE_MOST = 4ULL << 30;

/* The address space and the private memory of this process, in bytes; 0: not known. */
static void isolated_memory_used(rlim_t *addresses, rlim_t *data)
{
	unsigned long all = 0, private = 0;
	FILE *f = fopen("/proc/self/statm", "re");
	rlim_t page = (rlim_t)sysconf(_SC_PAGESIZE);

	if (f && fscanf(f, "%lu %*u %*u %*u %*u %lu", &all, &private) != 2)
		all = private = 0;
	if (f)
		fclose(f);
	*addresses = all * page;
	*data = private * page;
}

static void isolated_limit_memory(int fd)
{
	rlim_t addresses, data, file = 0;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size > 0)
		file = (rlim_t)st.st_size < FILE_MOST ? (rlim_t)st.st_size : FILE_MOST;
	isolated_memory_used(&addresses, &data);
	isolated_limit(RLIMIT_DATA, data + ISOLATED_MEMORY);
	isolated_limit(RLIMIT_AS, addresses + file + ISOLATED_MEMORY);
}

/*
 * If memory is short, the kernel shall end this process first, and no other program of the machine.
 */
static void isolated_offer_to_oom_killer(void)
{
	_cleanup_close_ int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0)
		(void)!write(fd, "1000", 4);
}

int isolated_enter(int channel, int fd, unsigned int cpu_seconds, struct error *err)
{
	isolated_offer_to_oom_killer();
	isolated_limit(RLIMIT_CORE, 0);
	isolated_limit(RLIMIT_CPU, cpu_seconds);
	isolated_limit_memory(fd);
	if (!keep_only(channel, fd))
		_exit(1);
	if (rights_drop_all(err))
		return err->code;
	/* After the change of ids, which clears the setting. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (rights_allow_calls(allowed, NALLOWED, err))
		return err->code;
	inside = true;
	return 0;
}

bool isolated_inside(void)
{
	return inside;
}

/* --- the two sides --- */

void isolated_write(const void *data, size_t n)
{
	const char *p = data;
	ssize_t r;

	for (; n; p += r, n -= (size_t)r) {
		r = write(1, p, n);
		if (r <= 0)
			_exit(1);
	}
}

static unsigned int isolated_seconds_of(const struct isolated_work *work)
{
	return work->seconds ? work->seconds : ISOLATED_SECONDS;
}

static _Noreturn void isolated_child(const struct isolated_work *work, int out)
{
	void *answer = xcalloc(1, work->size);
	struct head head = {0};

	head.code = isolated_enter(out, work->fd, isolated_seconds_of(work), &head.err);
	if (!head.code)
		head.code = work->run(work->ctx, answer, &head.err);
	isolated_write(&head, sizeof(head));
	isolated_write(answer, work->size);
	_exit(0);
}

int64_t isolated_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int isolated_read(int fd, void *data, size_t n, isolated_left_fn *left, const void *ctx)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char *at = data;

	while (n) {
		int64_t ms = left(ctx);
		ssize_t r;

		if (ms <= 0)
			return -ETIMEDOUT;
		if (poll(&p, 1, (int)ms) <= 0)
			continue;
		r = read(fd, at, n);
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return -EBADMSG;
		at += r;
		n -= (size_t)r;
	}
	return 0;
}

/* The time until the wait ends, in ms. @ctx: its end as isolated_now_ms(). */
static int64_t isolated_left(const void *ctx)
{
	return *(const int64_t *)ctx - isolated_now_ms();
}

static int isolated_take_answer(int fd, const struct isolated_work *work, void *answer,
				struct error *err)
{
	int64_t deadline = isolated_now_ms() + (int64_t)isolated_seconds_of(work) * 1000;
	struct head head;
	int r = isolated_read(fd, &head, sizeof(head), isolated_left, &deadline);

	if (!r)
		r = isolated_read(fd, answer, work->size, isolated_left, &deadline);
	if (r == -ETIMEDOUT)
		return error_set(err, r, "it took longer than %u s to look at it",
				 isolated_seconds_of(work));
	if (r)
		return error_set(err, r, "looking at it failed: the file is broken beyond reading");
	head.err.text[sizeof(head.err.text) - 1] = 0;
	return head.code ? error_set(err, head.code < 0 ? head.code : -EBADMSG, "%s", head.err.text)
			 : 0;
}

static int run_in_child(const struct isolated_work *work, void *answer, struct error *err)
{
	_cleanup_close_ int in = -1, out = -1;
	int ends[2], r;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return error_set(err, -errno, "cannot make a pipe: %s", strerror(errno));
	in = ends[0];
	out = ends[1];
	pid = fork();
	if (pid < 0)
		return error_set(err, -errno, "cannot make a process: %s", strerror(errno));
	if (!pid)
		isolated_child(work, out);
	close(take_fd(&out));
	r = isolated_take_answer(in, work, answer, err);
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return r;
}

/* A fuzzer runs the work in its own process, so that its sanitizers see a fault. */
int isolated_run(const struct isolated_work *work, void *answer, struct error *err)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	return work->run(work->ctx, answer, err);
#else
	return inside ? work->run(work->ctx, answer, err) : run_in_child(work, answer, err);
#endif
}
