// SPDX-License-Identifier: Apache-2.0
/* memory: see memory.h. */
#define _GNU_SOURCE
#include "live/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arch.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/rights.h"
#include "base/vec.h"
#include "live/corefile.h"
#include "proc/privilege.h"

enum {
	/* The most that one system call reads. A reader counts its progress after each call. */
	CALL_RANGES = 16,
	CALL_BYTES = 64 << 10,
	REQUEST_RANGES = 512,
	REQUEST_BYTES = 1 << 20,
	SPINS = 400,			/* some 10 us; most answers come before */
	/* interval of checks that the reader lives and makes progress */
	LOOK_MS = 50,
};

/*
 * One request. The reader is another process that may be killed, so that no lock is shared with it.
 */
struct request {
	uint32_t asked, answered;	/* numbers of the last request and answer */
	uint32_t progress;		/* system calls made */
	int32_t error;			/* errno of a range that could not be read */
	uint32_t n;
	struct {
		uint64_t addr;
		uint32_t len;
		uint32_t ok;
	} ranges[REQUEST_RANGES];
	uint8_t bytes[REQUEST_BYTES];	/* of all ranges, one after the other */
};

struct lane {
	pthread_mutex_t lock;
	pid_t reader;
	struct request *request;
};

enum { READ_LANES = 2, TOUCH_LANE = READ_LANES, LANES };

struct readers {
	struct lane lanes[LANES];
	const struct stop_request *stop;
	bool silent;
};

/* --- reading, in a reader or directly --- */

static size_t read_by_file(int fd, const struct iovec *local, const struct iovec *remote, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (pread(fd, local[i].iov_base, local[i].iov_len,
			  (off_t)(uintptr_t)remote[i].iov_base) != (ssize_t)local[i].iov_len)
			break;
	return i;
}

/* Returns the number of leading ranges that were read whole; errno is why the next one was not. */
static size_t read_call(pid_t pid, int fd, const struct iovec *local, const struct iovec *remote,
			size_t n)
{
	size_t i;
	ssize_t got;

	errno = EFAULT;
	if (fd >= 0)
		return read_by_file(fd, local, remote, n);
	got = process_vm_readv(pid, local, n, remote, n, 0);
	for (i = 0; i < n && got >= (ssize_t)remote[i].iov_len; i++)
		got -= (ssize_t)remote[i].iov_len;
	return i;
}

bool memory_read(const struct process *p, uint64_t addr, void *to, size_t n)
{
	struct memory_range r = { addr, to, n, false };

	memory_read_each(p, &r, 1);
	return r.ok;
}

static void read_directly(const struct process *p, struct memory_range *ranges, size_t n)
{
	struct iovec local[CALL_RANGES], remote[CALL_RANGES];
	size_t i, k, done;

	for (i = 0; i < n; i += done) {
		for (k = 0; k < CALL_RANGES && i + k < n; k++) {
			struct memory_range *r = &ranges[i + k];

			local[k] = (struct iovec){ r->to, r->len };
			remote[k] = (struct iovec){ (void *)(uintptr_t)r->addr, r->len };
			r->ok = false;
		}
		done = read_call(p->pid, p->memory, local, remote, k);
		for (size_t j = 0; j < done; j++)
			ranges[i + j].ok = true;
		done += done < k;
	}
}

/* --- the reader --- */

static void futex_wait(uint32_t *word, uint32_t value, const struct timespec *timeout)
{
	syscall(SYS_futex, word, FUTEX_WAIT, value, timeout, NULL, 0);
}

static void futex_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Returns true as soon as *@word is not @old any more; false if it still is after a short time. */
static bool memory_spin(const uint32_t *word, uint32_t old)
{
	int i;

	for (i = 0; i < SPINS; i++) {
		if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != old)
			return true;
		arch_pause();
	}
	return false;
}

/* Returns the number of ranges from @i on that fit into one call. */
static size_t fill_call(struct request *q, size_t i, uint8_t *bytes, struct iovec *local,
			struct iovec *remote)
{
	size_t k, sum = 0;

	for (k = 0; k < CALL_RANGES && i + k < q->n; k++) {
		uint32_t len = q->ranges[i + k].len;

		if (k && sum + len > CALL_BYTES)
			break;
		local[k] = (struct iovec){ bytes + sum, len };
		remote[k] = (struct iovec){ (void *)(uintptr_t)q->ranges[i + k].addr, len };
		sum += len;
	}
	return k;
}

static void memory_answer(struct request *q, pid_t pid, int fd)
{
	struct iovec local[CALL_RANGES], remote[CALL_RANGES];
	uint8_t *bytes = q->bytes;
	size_t i, j, k, done;

	for (i = 0; i < q->n; i += done) {
		k = fill_call(q, i, bytes, local, remote);
		done = read_call(pid, fd, local, remote, k);
		for (j = 0; j < done; j++)
			q->ranges[i + j].ok = 1;
		if (done < k) {		/* skips the one that is not readable */
			q->error = errno;
			done++;
		}
		for (j = 0; j < done; j++)
			bytes += q->ranges[i + j].len;
		__atomic_fetch_add(&q->progress, 1, __ATOMIC_RELAXED);
	}
}

static const int reader_calls[] = {
	SYS_process_vm_readv, SYS_preadv, SYS_pread64, SYS_futex, SYS_exit, SYS_exit_group,
	SYS_rt_sigreturn, SYS_restart_syscall,
};

/*
 * The main loop of a reader. It keeps no descriptor of a link, a map or a pipe: these must close
 * when gotap ends. It ends when gotap does.
 */
static _Noreturn void memory_reader(struct request *q, pid_t pid, int fd, pid_t parent)
{
	struct error err;
	uint32_t seen = 0;

	privilege_reserve_no_files();
	if (privilege_keep(PRIVILEGE_PTRACE, &err))
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	if (fd >= 0)
		fd = dup2(fd, 0);
	close_between(fd >= 0 ? 1 : 0, INT_MAX);
	if (rights_allow_calls(reader_calls, sizeof(reader_calls) / sizeof(reader_calls[0]), &err))
		_exit(1);
	for (;;) {
		while (!memory_spin(&q->asked, seen))
			futex_wait(&q->asked, seen, NULL);
		seen = __atomic_load_n(&q->asked, __ATOMIC_ACQUIRE);
		memory_answer(q, pid, fd);
		__atomic_store_n(&q->answered, seen, __ATOMIC_RELEASE);
		futex_wake(&q->answered);
	}
}

static int start_reader(struct lane *l, const struct process *p, struct error *err)
{
	pid_t parent = getpid();

	pthread_mutex_init(&l->lock, NULL);
	l->request = mmap(NULL, sizeof(*l->request), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (l->request == MAP_FAILED) {
		l->request = NULL;
		return error_set(err, -errno, "cannot get memory: %s", strerror(errno));
	}
	l->reader = fork_deaf();
	if (!l->reader)
		memory_reader(l->request, p->pid, p->memory, parent);
	if (l->reader < 0)
		return error_set(err, -errno,
				 "cannot start a process that reads the program's memory: %s",
				 strerror(errno));
	return 0;
}

int memory_begin(struct process *p, const struct stop_request *stop, struct error *err)
{
	size_t i;
	int r = 0;

	if (p->readers) {
		p->readers->stop = stop;
		return 0;
	}
	p->readers = xcalloc(1, sizeof(*p->readers));
	p->readers->stop = stop;
	for (i = 0; i < LANES && !r; i++)
		r = start_reader(&p->readers->lanes[i], p, err);
	if (r)
		memory_end(p);
	return r;
}

/* --- asking it --- */

static void memory_ask(struct request *q)
{
	__atomic_add_fetch(&q->asked, 1, __ATOMIC_RELEASE);
	futex_wake(&q->asked);
}

static bool has_answered(const struct request *q)
{
	return __atomic_load_n(&q->answered, __ATOMIC_ACQUIRE) == q->asked;
}

/*
 * Returns whether the reader has ended, and reaps it. Its process id may then be given to another
 * process.
 */
static bool memory_has_ended(struct lane *l)
{
	if (l->reader > 0 && waitpid(l->reader, NULL, WNOHANG) == l->reader)
		l->reader = 0;
	return l->reader <= 0;
}

enum outcome { ANSWERED, STOPPED, GIVEN_UP };

/*
 * Waits for the answer. GIVEN_UP: the reader made no progress for too long, or a signal has killed
 * it.
 */
static enum outcome memory_await(struct lane *l, const struct stop_request *stop)
{
	const struct timespec look = { .tv_nsec = LOOK_MS * 1000000L };
	struct request *q = l->request;
	uint32_t progress = q->progress, now_at;
	uint64_t since = 0;

	if (memory_spin(&q->answered, q->asked - 1))
		return ANSWERED;
	while (!has_answered(q)) {
		futex_wait(&q->answered, q->asked - 1, &look);
		now_at = __atomic_load_n(&q->progress, __ATOMIC_RELAXED);
		if (!since || now_at != progress)
			since = now_ns();
		progress = now_at;
		if (has_answered(q))
			break;
		if (stop_requested(stop))
			return STOPPED;
		if (now_ns() - since >= MEMORY_PATIENCE_NS || memory_has_ended(l))
			return GIVEN_UP;
	}
	return ANSWERED;
}

/* Takes a free lane; if there is none, waits for the last one. */
static struct lane *take_lane(struct readers *rs)
{
	size_t i;

	for (i = 0; i + 1 < READ_LANES; i++)
		if (!pthread_mutex_trylock(&rs->lanes[i].lock))
			return &rs->lanes[i];
	pthread_mutex_lock(&rs->lanes[i].lock);
	return &rs->lanes[i];
}

static void give_up(struct readers *rs, struct lane *l)
{
	__atomic_store_n(&rs->silent, true, __ATOMIC_RELEASE);
	if (l->reader > 0)
		kill(l->reader, SIGKILL);
}

/* A place in the ranges. A range that is longer than a request is read in parts. */
struct cursor {
	size_t range, at;
};

/* Puts as many ranges into the request as fit. A part of a range ends where a system call ends. */
static size_t fill_request(struct request *q, const struct memory_range *ranges, size_t n,
			   struct cursor *c)
{
	size_t sum = 0;

	q->n = 0;
	q->error = 0;
	while (c->range < n && q->n < REQUEST_RANGES) {
		const struct memory_range *r = &ranges[c->range];
		size_t len = r->len - c->at;

		if (len > CALL_BYTES)
			len = CALL_BYTES;
		if (sum + len > REQUEST_BYTES)
			break;
		q->ranges[q->n].addr = r->addr + c->at;
		q->ranges[q->n].len = (uint32_t)len;
		q->ranges[q->n++].ok = 0;
		sum += len;
		c->at += len;
		if (c->at == r->len)
			*c = (struct cursor){ c->range + 1, 0 };
	}
	return sum;
}

/* Takes the answer to the request that began at @c. */
static void memory_take_answer(const struct request *q, struct memory_range *ranges,
			       struct cursor c)
{
	const uint8_t *bytes = q->bytes;
	size_t i;

	for (i = 0; i < q->n; i++) {
		struct memory_range *r = &ranges[c.range];
		uint32_t len = q->ranges[i].len;

		if (!c.at)
			r->ok = true;
		r->ok &= q->ranges[i].ok;
		memcpy((uint8_t *)r->to + c.at, bytes, len);
		bytes += len;
		c.at += len;
		if (c.at == r->len)
			c = (struct cursor){ c.range + 1, 0 };
	}
}

/* Waits until @l has answered its last request. Returns 0 or errno. */
static int settle_lane(struct readers *rs, struct lane *l)
{
	if (__atomic_load_n(&rs->silent, __ATOMIC_ACQUIRE))
		return ETIMEDOUT;
	switch (memory_await(l, rs->stop)) {
	case ANSWERED:
		return 0;
	case STOPPED:
		return EINTR;
	case GIVEN_UP:
		give_up(rs, l);
	}
	return ETIMEDOUT;
}

/*
 * Returns the errno of the first part that got no answer or, if all got one, of the last range that
 * could not be read.
 */
static int read_through(struct readers *rs, struct memory_range *ranges, size_t n)
{
	struct lane *l = take_lane(rs);
	struct cursor next = {0}, from;
	/* an earlier caller may have left the lane with a request under way */
	int r = settle_lane(rs, l), error = 0;

	while (next.range < n && !r) {
		from = next;
		fill_request(l->request, ranges, n, &next);
		memory_ask(l->request);
		r = settle_lane(rs, l);
		if (r)
			break;
		memory_take_answer(l->request, ranges, from);
		if (l->request->error)
			error = l->request->error;
	}
	pthread_mutex_unlock(&l->lock);
	return r ? r : error;
}

void memory_read_each(const struct process *p, struct memory_range *ranges, size_t n)
{
	size_t i;

	if (p->core) {
		for (i = 0; i < n; i++)
			ranges[i].ok = corefile_read(p->core, ranges[i].addr, ranges[i].to,
						     ranges[i].len);
		return;
	}
	if (!p->readers) {
		read_directly(p, ranges, n);
		return;
	}
	for (i = 0; i < n; i++)
		ranges[i].ok = false;
	errno = read_through(p->readers, ranges, n);
}

size_t memory_read_parts(const struct process *p, uint64_t addr, void *to, size_t n)
{
	enum { PAGE = 4096, PAGES = 64 };	/* the least that is mapped; those read at once */
	struct memory_range pages[PAGES];
	size_t done = 0, readable = 0, part, i, k;

	if (memory_read(p, addr, to, n))
		return n;
	memset(to, 0, n);
	while (done < n && !memory_is_silent(p)) {
		for (k = 0; k < PAGES && done < n; k++, done += part) {
			part = PAGE - (addr + done) % PAGE;
			part = part < n - done ? part : n - done;
			pages[k] = (struct memory_range){ addr + done, (uint8_t *)to + done, part,
							  false };
		}
		memory_read_each(p, pages, k);
		for (i = 0; i < k; i++) {
			if (pages[i].ok)
				readable += pages[i].len;
			else
				memset(pages[i].to, 0, pages[i].len);
		}
	}
	return readable;
}

void memory_touch(const struct process *p, uint64_t addr)
{
	struct lane *l = p->readers ? &p->readers->lanes[TOUCH_LANE] : NULL;

	if (!l || !has_answered(l->request))
		return;
	l->request->n = 1;
	l->request->ranges[0].addr = addr;
	l->request->ranges[0].len = 1;
	memory_ask(l->request);
}

uint64_t memory_cpu_ns(const struct process *p)
{
	struct timespec t;
	uint64_t ret = 0;
	clockid_t clock;
	size_t i;

	for (i = 0; p->readers && i < LANES; i++)
		if (p->readers->lanes[i].reader > 0 &&
		    !clock_getcpuclockid(p->readers->lanes[i].reader, &clock) &&
		    !clock_gettime(clock, &t))
			ret += (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	return ret;
}

bool memory_is_silent(const struct process *p)
{
	return p->readers && __atomic_load_n(&p->readers->silent, __ATOMIC_ACQUIRE);
}

/* Kills and reaps a reader. One in a page fault that SIGKILL does not end is left to init. */
static void end_reader(struct lane *l)
{
	enum { TRIES = 100 };
	const struct timespec pause = { .tv_nsec = 1000000 };
	int i;

	if (l->reader > 0) {
		kill(l->reader, SIGKILL);
		for (i = 0; i < TRIES && !memory_has_ended(l); i++)
			nanosleep(&pause, NULL);
	}
	if (l->request) {
		munmap(l->request, sizeof(*l->request));
		pthread_mutex_destroy(&l->lock);
	}
}

void memory_end(struct process *p)
{
	size_t i;

	if (!p->readers)
		return;
	for (i = 0; i < LANES; i++)
		end_reader(&p->readers->lanes[i]);
	free(p->readers);
	p->readers = NULL;
}

/* --- how much there is --- */

static uint64_t kib_of(const char *status, const char *name)
{
	const char *line = strstr(status, name);

	return line ? strtoull(line + strlen(name), NULL, 10) : 0;
}

uint64_t memory_size(const struct process *p)
{
	struct buf text = {0};
	const char *s;
	uint64_t kib = 0;

	if (p->core)
		return corefile_size(p->core);
	if (!procfs_read(&p->fs, p->pid, "status", 1 << 16, &text)) {
		s = (const char *)text.data;
		kib = kib_of(s, "\nVmRSS:") + kib_of(s, "\nVmSwap:") + kib_of(s, "\nHugetlbPages:");
	}
	buf_free(&text);
	return kib << 10;
}

int memory_error(const struct process *p, const struct stop_request *stop, const char *what,
		 struct error *err)
{
	if (memory_is_silent(p))
		return error_set(
			err, -ETIMEDOUT,
			"the memory of process %d does not answer: reading %s "
			"takes longer than 2 s (userfaultfd, or a mapped file whose server "
			"hangs)",
			p->pid, what);
	if (stop_requested(stop))
		return error_set(err, -EINTR,
				 "stopped before the goroutines of process %d were read: "
				 "nothing was recorded",
				 p->pid);
	if (p->core)
		return error_set(err, -ESRCH, "'%s' has not %s of the program: the core file was "
				 "cut, or written without it (coredump_filter)",
				 corefile_path(p->core), what);
	return error_set(err, -ESRCH, "cannot read %s of process %d: %s", what, p->pid,
			 errno == EPERM ? "run gotap as root or with CAP_SYS_PTRACE" :
					  strerror(errno));
}
