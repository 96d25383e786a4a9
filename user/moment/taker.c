// SPDX-License-Identifier: Apache-2.0
/* taker: see taker.h. */
#define _GNU_SOURCE
#include "moment/taker.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "proc/memory_free.h"
#include "moment/pages.h"
#include "moment/ranges.h"
#include "moment/threads_held.h"

enum {
	STOP_NS = 300000,       /* the stop of the threads itself, as computed beforehand */
	TRIES = 8,              /* stops in one round that take too long */
	COPY_RUNS = 256,        /* of one system call, */
	COPY_BYTES = 1 << 20,   /* and its bytes */
	FIND_BYTES = 256 << 20, /* a look at marks, between two looks at the clock */
	FILE_BYTES = 256 << 20, /* the largest mapping of a file of which all is read */
	STATUS_BYTES = 64 << 10,
};

struct taker {
	const struct moment_opts *opts;
	const struct process *proc;
	struct taker_shared *shared;
	struct moment_facts *facts;
	int memory;
	int marks; /* the clear_refs file */
	struct page_finder finder;
	struct ranges ranges; /* with windows of the image */
	struct vec runs;      /* struct page_run */
	struct threads_held held;
	uint64_t deadline;  /* of the stop that is under way; UINT64_MAX: there is none */
	uint64_t cleared;   /* time of the last clearing */
	double ns_per_page; /* of copying */
};

static int taker_fail(struct taker *t, int r, const char *what)
{
	if (t->shared->err.text[0] || r == -ETIME)
		return r;
	if (r == -ESRCH || r == -ENOENT)
		return error_set(&t->shared->err, -ESRCH,
				 "process %d has ended, or runs another program", t->proc->pid);
	return error_set(&t->shared->err, r, "%s of process %d: %s", what, t->proc->pid,
			 strerror(-r));
}

/*
 * The CPU time of the taker, ns. In a stop it is a real-time thread and waits for no CPU; before,
 * other threads of a busy machine would count.
 */
static uint64_t taker_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void taker_progress(struct taker *t)
{
	__atomic_add_fetch(&t->shared->progress, 1, __ATOMIC_RELAXED);
}

static bool taker_is_late(const struct taker *t)
{
	return t->deadline != UINT64_MAX && now_ns() > t->deadline;
}

/* --- copying --- */

struct copy {
	struct iovec from[COPY_RUNS], to[COPY_RUNS];
	size_t n;
	uint64_t bytes;
};

/*
 * A page that is not readable any more has gone since the runs were found: its run is made again
 * after the stop, if it matters. Only in a stop nothing can go.
 */
static int copy_flush(struct taker *t, struct copy *c)
{
	size_t i = 0;

	while (i < c->n) {
		ssize_t n = process_vm_readv(t->proc->pid, &c->to[i], c->n - i, &c->from[i],
					     c->n - i, 0);

		taker_progress(t);
		if (n < 0 && errno != EFAULT)
			return -errno;
		if (n < 0)
			n = 0;
		while (i < c->n && (size_t)n >= c->from[i].iov_len)
			n -= (ssize_t)c->from[i++].iov_len;
		if (i < c->n && t->deadline != UINT64_MAX)
			return -EFAULT;
		if (i < c->n) {
			/* behind the page that cannot be read */
			size_t skip = ((size_t)n / pages_size() + 1) * pages_size();

			c->from[i].iov_base = (char *)c->from[i].iov_base + skip;
			c->to[i].iov_base = (char *)c->to[i].iov_base + skip;
			c->from[i].iov_len -= skip;
			c->to[i].iov_len -= skip;
			i += !c->from[i].iov_len;
		}
	}
	c->n = 0;
	c->bytes = 0;
	return taker_is_late(t) ? -ETIME : 0;
}

static int copy_add(struct taker *t, struct copy *c, uint64_t addr, char *to, size_t n)
{
	c->from[c->n] = (struct iovec){ (void *)(uintptr_t)addr, n };
	c->to[c->n] = (struct iovec){ to, n };
	c->n++;
	c->bytes += n;
	return c->n == COPY_RUNS || c->bytes >= COPY_BYTES ? copy_flush(t, c) : 0;
}

/* A run can reach from one mapping into the next, whose windows are apart. */
static int copy_run(struct taker *t, struct copy *c, const struct page_run *run)
{
	int r = 0;

	for (uint64_t at = run->start; at < run->end && !r;) {
		uint64_t n = run->end - at, left;
		char *to = ranges_window(&t->ranges, at, &left);

		if (!to)
			return -EFAULT;
		if (n > left)
			n = left;
		if (n > COPY_BYTES)
			n = COPY_BYTES;
		r = copy_add(t, c, at, to, n);
		at += n;
	}
	return r;
}

/* Copies the runs that are PAGES_COPY into the image. */
static int copy_runs(struct taker *t, uint64_t *bytes)
{
	static struct copy c;
	int r = 0;

	c.n = 0;
	c.bytes = 0;
	*bytes = 0;
	for (size_t i = 0; i < t->runs.len && !r; i++) {
		const struct page_run *run = vec_at(&t->runs, struct page_run, i);

		if (run->kind != PAGES_COPY)
			continue;
		r = copy_run(t, &c, run);
		*bytes += run->end - run->start;
	}
	return r ? r : copy_flush(t, &c);
}

/* --- looking for pages --- */

/* Pages of a file that are not in memory yet are read, too: those of the program's variables. */
static int find_in(struct taker *t, const struct moment_range *range, bool changed)
{
	int r = 0;

	if (range->file && !changed && range->end - range->start <= FILE_BYTES) {
		*(struct page_run *)vec_push(&t->runs, sizeof(struct page_run)) =
			(struct page_run){ range->start, range->end, PAGES_COPY };
		return 0;
	}
	for (uint64_t at = range->start; at < range->end && !r;) {
		uint64_t left = range->end - at;
		uint64_t n = left < FIND_BYTES ? left : FIND_BYTES;

		r = pages_find(&t->finder, at, at + n, changed, &t->runs);
		at += n;
		taker_progress(t);
		if (!r && taker_is_late(t))
			r = -ETIME;
	}
	return r;
}

/* Finds the pages of all ranges. */
static int find_pages(struct taker *t, bool changed)
{
	int r = 0;

	t->runs.len = 0;
	for (size_t i = 0; i < t->ranges.all.len && !r; i++) {
		const struct window *w = vec_at(&t->ranges.all, struct window, i);

		r = find_in(t, &w->range, changed);
	}
	return r;
}

static uint64_t pages_of(const struct taker *t, enum page_kind kind)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < t->runs.len; i++) {
		const struct page_run *run = vec_at(&t->runs, struct page_run, i);

		if (run->kind == kind)
			bytes += run->end - run->start;
	}
	return bytes;
}

static int refuse_swap(struct taker *t)
{
	uint64_t bytes = pages_of(t, PAGES_SWAPPED);

	if (!bytes)
		return 0;
	return error_set(&t->shared->err, -EBUSY,
			 "%.1f MB of process %d are in swap; reading them would bring them back "
			 "into its memory",
			 (double)bytes / 1e6, t->proc->pid);
}

/* --- a round --- */

/*
 * Page faults of the process wait while the kernel clears the marks. How long that takes on this
 * machine is measured beforehand, with pages of gotap's own.
 */
static int check_clearing(struct taker *t)
{
	double ms = !t->finder.marks ?
			    0 :
			    pages_clear_ns() * ((double)t->facts->size / pages_size()) / 1e6;

	if (ms * 1e6 <= (double)t->facts->bound_ns)
		return 0;
	return error_set(&t->shared->err, -EBUSY,
			 "to clear the soft-dirty bits of process %d takes some %.1f ms, for which "
			 "its page faults wait, and %.1f ms are allowed",
			 t->proc->pid, ms, (double)t->facts->bound_ns / 1e6);
}

static int clear_marks(struct taker *t)
{
	uint64_t begin = now_ns();

	MOMENT_STEP("clear");
	if (t->finder.marks && pwrite(t->marks, "4", 1, 0) != 1)
		return taker_fail(t, -errno, "clearing the soft-dirty bits");
	t->cleared = now_ns();
	if (t->cleared - begin > t->facts->clear_ns)
		t->facts->clear_ns = t->cleared - begin;
	taker_progress(t);
	return 0;
}

static void set_bound(struct taker *t)
{
	t->facts->bound_ns = t->opts->hold_ns ?
				     t->opts->hold_ns :
				     MOMENT_HOLD_NS + (uint64_t)((double)MOMENT_HOLD_NS_PER_GB *
								 (double)t->facts->size /
								 (double)(1ULL << 30));
}

/* Copies all pages, while the process runs. */
static int take_all_pages(struct taker *t)
{
	uint64_t begin, bytes;
	int r = ranges_update(&t->ranges, t->proc, t->memory);

	if (!r)
		r = find_pages(t, false);
	if (r)
		return taker_fail(t, r, "memory");
	r = refuse_swap(t);
	if (r)
		return r;
	t->facts->size = pages_of(t, PAGES_COPY);
	if (t->facts->size > memory_free() / 10 * 9)
		return error_set(&t->shared->err, -ENOMEM,
				 "the image takes %.1f MB, and gotap has %.1f MB",
				 (double)t->facts->size / 1e6, (double)memory_free() / 1e6);
	set_bound(t);
	begin = taker_cpu_ns();
	r = copy_runs(t, &bytes);
	t->facts->copied_running += bytes;
	if (bytes)
		t->ns_per_page = (double)(taker_cpu_ns() - begin) / ((double)bytes / pages_size());
	return r ? taker_fail(t, r, "reading memory") : 0;
}

/*
 * The time that a copy of marked pages takes. They lie apart, and a page then takes 1.6 times as
 * long as one of many (Linux 6.18: 0.97 us and 0.6 us).
 */
static uint64_t copy_ns(const struct taker *t, uint64_t bytes)
{
	double apart = t->finder.marks ? 1.6 : 1;

	return (uint64_t)(apart * t->ns_per_page * (double)bytes / pages_size());
}

/* Computes how long a stop would take now. Sets the rate of changes, too. */
static int predict(struct taker *t)
{
	uint64_t begin = taker_cpu_ns(), changed, took;
	int r = find_pages(t, true);

	if (r)
		return taker_fail(t, r, "memory");
	took = taker_cpu_ns() - begin;
	changed = pages_of(t, PAGES_COPY);
	t->facts->changed_per_second =
		(uint64_t)((double)changed * 1e9 / (double)(now_ns() - t->cleared + 1));
	t->facts->predicted_ns = STOP_NS + took + copy_ns(t, changed);
	return 0;
}

static int copy_registers(struct taker *t)
{
	size_t n = 0;

	if (t->held.all.len > TAKER_THREADS)
		return error_set(&t->shared->err, -E2BIG, "process %d has more than %d threads",
				 t->proc->pid, TAKER_THREADS);
	for (size_t i = 0; i < t->held.all.len; i++) {
		int r = threads_registers(&t->held, i, &t->shared->threads[n]);

		if (r < 0)
			return r;
		n += (size_t)r;
	}
	if (!n)
		return -ESRCH;
	t->shared->n_threads = n;
	t->facts->threads = (uint32_t)n;
	return 0;
}

/* In a stop: the pages that were written since the marks were cleared. */
static int copy_changed(struct taker *t)
{
	uint64_t bytes;
	int r = ranges_update(&t->ranges, t->proc, t->memory);

	if (!r)
		r = find_pages(t, true);
	MOMENT_STEP("found");
	if (r)
		return r;
	r = refuse_swap(t);
	if (!r && now_ns() + copy_ns(t, pages_of(t, PAGES_COPY)) > t->deadline)
		return -ETIME;
	if (!r)
		r = copy_runs(t, &bytes);
	MOMENT_STEP("copied");
	if (!r)
		r = copy_registers(t);
	if (!r)
		t->facts->copied_held = bytes;
	return r;
}

static void take_stop_begins(struct taker *t)
{
	uint64_t now = now_ns();

	t->deadline = now + t->facts->bound_ns;
	__atomic_store_n(&t->shared->held_since, now, __ATOMIC_RELEASE);
}

static void take_stop_ended(struct taker *t, uint64_t ns)
{
	t->deadline = UINT64_MAX;
	t->facts->hold_ns = ns;
	if (ns > t->facts->longest_ns)
		t->facts->longest_ns = ns;
}

/* -ETIME: it took too long, and the process runs. */
static int stop_and_copy(struct taker *t)
{
	uint64_t ns;
	int r;

	take_stop_begins(t);
	r = threads_hold(&t->held, t->proc, t->deadline);
	if (r) {
		take_stop_ended(t, t->held.ns);
		if (r == -EPERM)
			return error_set(&t->shared->err, r,
					 "process %d may not be traced, or a debugger traces it",
					 t->proc->pid);
		return taker_fail(t, r, "stopping the threads");
	}
	r = copy_changed(t);
	ns = threads_release(&t->held);
	MOMENT_STEP("released");
	take_stop_ended(t, ns);
	return r ? taker_fail(t, r, "memory") : 0;
}

static int refuse_changes(struct taker *t)
{
	if (!t->finder.marks)
		return error_set(
			&t->shared->err, -EBUSY,
			"this kernel does not mark written pages (CONFIG_MEM_SOFT_DIRTY): an "
			"image would stop process %d for %.1f ms, and %.1f ms are allowed",
			t->proc->pid, (double)t->facts->predicted_ns / 1e6,
			(double)t->facts->bound_ns / 1e6);
	return error_set(
		&t->shared->err, -EBUSY,
		"process %d writes %.0f MB/s of pages; an image would stop it for %.1f ms, "
		"and %.1f ms are allowed",
		t->proc->pid, (double)t->facts->changed_per_second / 1e6,
		(double)t->facts->predicted_ns / 1e6, (double)t->facts->bound_ns / 1e6);
}

static int refuse_time(struct taker *t)
{
	return error_set(
		&t->shared->err, -EBUSY,
		"process %d could not be stopped and copied in the %.1f ms that are allowed: "
		"%u attempts took longer",
		t->proc->pid, (double)t->facts->bound_ns / 1e6, t->facts->given_up);
}

/* -EAGAIN: a further round may help. */
static int take_round(struct taker *t)
{
	int r = clear_marks(t);

	if (!r)
		r = take_all_pages(t);
	t->facts->rounds++;
	for (int try = 0; !r && try < TRIES; try++) {
		r = predict(t);
		if (r || t->facts->predicted_ns > t->facts->bound_ns)
			return r ? r : -EAGAIN;
		r = stop_and_copy(t);
		if (r != -ETIME)
			return r;
		r = 0;
		t->facts->given_up++;
		sleep_ns(1000000L << try);
	}
	return r ? r : -EAGAIN;
}

static int drop_run(struct taker *t, const struct page_run *run)
{
	uint64_t left;

	for (uint64_t at = run->start; at < run->end; at += left) {
		if (!ranges_window(&t->ranges, at, &left))
			return -EFAULT;
		if (left > run->end - at)
			left = run->end - at;
		if (!ranges_is_file(&t->ranges, at) &&
		    fallocate(t->memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at,
			      (off_t)left))
			return -errno;
	}
	return 0;
}

/* What was copied, and is not in memory any more, reads as zeros. */
static int drop_gone(struct taker *t)
{
	int r = 0;

	ranges_drop_rest(&t->ranges, t->memory);
	for (size_t i = 0; i < t->runs.len && !r; i++) {
		const struct page_run *run = vec_at(&t->runs, struct page_run, i);

		if (run->kind == PAGES_GONE)
			r = drop_run(t, run);
	}
	return r ? taker_fail(t, r, "the image") : 0;
}

static int give_ranges(struct taker *t)
{
	if (t->ranges.all.len > TAKER_RANGES)
		return error_set(&t->shared->err, -E2BIG, "process %d has more than %d mappings",
				 t->proc->pid, TAKER_RANGES);
	for (size_t i = 0; i < t->ranges.all.len; i++)
		t->shared->ranges[i] = vec_at(&t->ranges.all, struct window, i)->range;
	t->shared->n_ranges = t->ranges.all.len;
	return 0;
}

/* --- before the first round --- */

static int open_marks(struct taker *t)
{
	char path[PROCFS_PATH];

	procfs_path(&t->proc->fs, t->proc->pid, "clear_refs", path);
	t->marks = open(path, O_WRONLY | O_CLOEXEC);
	if (t->marks < 0)
		return taker_fail(t, -errno, "clear_refs");
	/* a second gotap would clear the marks that this one needs */
	if (flock(t->marks, LOCK_EX | LOCK_NB))
		return error_set(&t->shared->err, -EBUSY,
				 "another gotap takes an image of process %d", t->proc->pid);
	return 0;
}

/* Returns whether the thread has a seccomp filter: the line Seccomp of its status file. */
static bool thread_is_filtered(const struct taker *t, pid_t tid)
{
	struct buf text = { 0 };
	char what[64];
	bool ret;

	snprintf(what, sizeof(what), "task/%d/status", tid);
	ret = !procfs_read(&t->proc->fs, t->proc->pid, what, STATUS_BYTES, &text) &&
	      strstr((const char *)text.data, "\nSeccomp:\t2\n");
	buf_free(&text);
	return ret;
}

/*
 * A call with a timeout goes on by restart_syscall(2) after a stop, and a filter that kills for it
 * ends the program. Only of a thread that is stopped can a filter be read.
 */
static int refuse_filter(struct taker *t)
{
	struct vec tids = { 0 };
	bool found = false;

	if (t->opts->accept_seccomp)
		return 0;
	procfs_tids(&t->proc->fs, t->proc->pid, &tids);
	for (size_t i = 0; i < tids.len && !found; i++) {
		found = thread_is_filtered(t, *vec_at(&tids, pid_t, i));
		taker_progress(t);
	}
	vec_free(&tids);
	return !found ? 0 :
			error_set(&t->shared->err, -ENOTSUP,
				  "process %d has a seccomp filter: one that does not allow "
				  "restart_syscall(2) ends it after a stop",
				  t->proc->pid);
}

/* A process whose marks nobody has ever cleared has all of them. */
static int check_marks(struct taker *t)
{
	for (size_t i = 0; i < t->ranges.all.len && !t->opts->clear_again; i++) {
		const struct moment_range *r = &vec_at(&t->ranges.all, struct window, i)->range;
		int64_t n = r->file ? 0 : pages_unmarked(&t->finder, r->start, r->end);

		if (n < 0)
			return taker_fail(t, (int)n, "pagemap");
		if (n)
			return error_set(
				&t->shared->err, -EEXIST,
				"the soft-dirty bits of process %d have been cleared before, by "
				"gotap or by another program (CRIU), which may need them",
				t->proc->pid);
		taker_progress(t);
	}
	return 0;
}

static int taker_open(struct taker *t)
{
	int r = refuse_filter(t);

	if (!r)
		r = open_marks(t);
	if (r)
		return r;
	r = pages_open(&t->finder, t->proc);
	if (r)
		return taker_fail(t, r, "pagemap");
	t->facts->scan = t->finder.scan;
	t->facts->marks = t->finder.marks;
	r = ranges_find_constants(&t->ranges, t->proc);
	if (!r)
		r = ranges_update(&t->ranges, t->proc, t->memory);
	if (r)
		return taker_fail(t, r, "maps");
	return t->finder.marks ? check_marks(t) : 0;
}

static int take(struct taker *t)
{
	uint32_t rounds = t->opts->rounds ? t->opts->rounds : MOMENT_ROUNDS;
	int r = taker_open(t);

	/* a first copy makes the pages of the image, so that those of the rounds take less time */
	if (!r)
		r = take_all_pages(t);
	if (!r)
		r = check_clearing(t);
	if (r)
		return r;
	/* without marks a further round would find the same */
	do {
		r = take_round(t);
	} while (r == -EAGAIN && t->facts->rounds < rounds &&
		 (t->finder.marks || t->facts->given_up));
	if (r == -EAGAIN)
		return t->facts->given_up ? refuse_time(t) : refuse_changes(t);
	if (!r)
		r = drop_gone(t);
	return r ? r : give_ranges(t);
}

void taker_run(const struct moment_opts *opts, int memory, struct taker_shared *shared)
{
	struct taker t = {
		.opts = opts,
		.proc = opts->proc,
		.shared = shared,
		.facts = &shared->facts,
		.memory = memory,
		.marks = -1,
		.finder = { .pagemap = -1 },
		.deadline = UINT64_MAX,
		.held = { .held = &shared->held_since },
	};

	shared->result = take(&t);
	__atomic_store_n(&shared->done, true, __ATOMIC_RELEASE);
}
