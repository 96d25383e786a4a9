// SPDX-License-Identifier: Apache-2.0
/* pages: see pages.h. */
#define _GNU_SOURCE
#include "moment/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"

/* Documentation/admin-guide/mm/pagemap.rst */
#define ENTRY_MARKED (1ULL << 55)
#define ENTRY_SWAPPED (1ULL << 62)
#define ENTRY_PRESENT (1ULL << 63)
/* the number of the page, if the reader has CAP_SYS_ADMIN, else 0 */
#define ENTRY_FRAME ((1ULL << 55) - 1)

/* include/uapi/linux/fs.h of Linux 6.7; older headers lack it */
struct scan_run {
	uint64_t start, end, categories;
};

struct scan_request {
	uint64_t size, flags, start, end, walk_end, runs, n_runs, max_pages;
	uint64_t inverted, all_of, any_of, returned;
};

#define PAGES_SCAN _IOWR('f', 16, struct scan_request)

enum {
	SCAN_PRESENT = 1 << 3,
	SCAN_SWAPPED = 1 << 4,
	SCAN_ZERO = 1 << 5,
	SCAN_MARKED = 1 << 7,

	RUNS_AT_ONCE = 512,
	ENTRIES_AT_ONCE = 8192,
};

size_t pages_size(void)
{
	static size_t bytes;

	if (!bytes)
		bytes = (size_t)sysconf(_SC_PAGESIZE);
	return bytes;
}

static int pages_open_file(const struct procfs *fs, pid_t pid)
{
	char path[PROCFS_PATH];
	int fd;

	procfs_path(fs, pid, "pagemap", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Without an address range the kernel only checks whether it knows the request. */
static bool pages_can_scan(int pagemap)
{
	struct scan_request none = { .size = sizeof(none),
				     .any_of = SCAN_MARKED,
				     .returned = SCAN_MARKED };

	return !ioctl(pagemap, PAGES_SCAN, &none);
}

/* Returns whether this kernel has soft-dirty bits, by a look at a page of gotap's own. */
static bool pages_have_marks(void)
{
	size_t n = pages_size();
	volatile char *page =
		mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry = 0;

	if (page != MAP_FAILED) {
		page[0] = 1;
		if (pread(fd, &entry, sizeof(entry), (off_t)((uintptr_t)page / n * 8)) < 0)
			entry = 0;
		munmap((void *)(uintptr_t)page, n);
	}
	if (fd >= 0)
		close(fd);
	return entry & ENTRY_MARKED;
}

/* Reads a byte of @n bytes of new memory, and returns the number of its page; 0: not known. */
static uint64_t frame_of_zeros(size_t n, int advice)
{
	char *at = mmap(NULL, 2 * n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile char *aligned = (char *)(((uintptr_t)at + n - 1) / n * n);
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry = 0;

	if (at != MAP_FAILED) {
		madvise(at, 2 * n, advice);
		if (aligned[0] || pread(fd, &entry, sizeof(entry),
					(off_t)((uintptr_t)aligned / pages_size() * 8)) < 0)
			entry = 0;
		munmap(at, 2 * n);
	}
	if (fd >= 0)
		close(fd);
	return entry & ENTRY_FRAME;
}

static size_t huge_page_bytes(void)
{
	FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "re");
	size_t bytes = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%zu", &bytes) != 1 || bytes % pages_size())
		bytes = 0;
	fclose(file);
	return bytes;
}

/* There are two pages of zeros, a small one and a huge one, if huge pages are used at all. */
static void find_zeros(struct page_finder *f)
{
	f->zero = frame_of_zeros(pages_size(), MADV_NOHUGEPAGE);
	f->huge_pages = huge_page_bytes() / pages_size();
	f->huge_zero = 0;
	if (f->huge_pages)
		f->huge_zero = frame_of_zeros(f->huge_pages * pages_size(), MADV_HUGEPAGE);
	if (f->huge_pages && f->huge_zero % f->huge_pages)
		f->huge_zero = 0;
}

int pages_open(struct page_finder *f, const struct process *p)
{
	f->pagemap = pages_open_file(&p->fs, p->pid);
	if (f->pagemap < 0)
		return f->pagemap;
	f->scan = pages_can_scan(f->pagemap);
	f->marks = pages_have_marks();
	find_zeros(f);
	return 0;
}

enum { SAMPLE_BYTES = 16 << 20 };

static uint64_t clear_own(void)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
	uint64_t begin = now_ns();
	bool done = fd >= 0 && write(fd, "4", 1) == 1;

	if (fd >= 0)
		close(fd);
	return done ? now_ns() - begin : 0;
}

/* With the pages, and once more without: the rest of the process has pages, too. */
static void measure_clearing(double *ns)
{
	char *sample = mmap(NULL, SAMPLE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	uint64_t with, without;

	if (sample == MAP_FAILED)
		return;
	madvise(sample, SAMPLE_BYTES, MADV_NOHUGEPAGE);
	memset(sample, 1, SAMPLE_BYTES);
	with = clear_own();
	munmap(sample, SAMPLE_BYTES);
	without = clear_own();
	*ns = with > without ? (double)(with - without) / (SAMPLE_BYTES / pages_size()) : 0;
}

double pages_clear_ns(void)
{
	double *ns =
		mmap(NULL, sizeof(*ns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double ret;
	pid_t pid;

	if (ns == MAP_FAILED)
		return 0;
	*ns = 0;
	pid = fork_deaf();
	if (!pid) {
		measure_clearing(ns);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	ret = *ns;
	munmap(ns, sizeof(*ns));
	return ret;
}

/* Appends a run, or makes the last one longer. */
static void pages_add(struct vec *runs, uint64_t start, uint64_t end, enum page_kind kind)
{
	struct page_run *last = runs->len ? vec_at(runs, struct page_run, runs->len - 1) : NULL;

	if (last && last->end == start && last->kind == kind)
		last->end = end;
	else
		*(struct page_run *)vec_push(runs, sizeof(*last)) =
			(struct page_run){ start, end, kind };
}

/* --- PAGEMAP_SCAN --- */

/* The kernel's page of zeros, for which memory that was only read has an entry, has no mark. */
static enum page_kind kind_of_scan(uint64_t categories)
{
	if (categories & SCAN_ZERO)
		return PAGES_GONE;
	if (categories & SCAN_PRESENT)
		return PAGES_COPY;
	return categories & SCAN_SWAPPED ? PAGES_SWAPPED : PAGES_GONE;
}

/* Without marks, all pages are asked for, those that are not in memory, too. */
static void scan_ask(struct scan_request *r, bool changed, bool marks)
{
	r->returned = SCAN_PRESENT | SCAN_SWAPPED | SCAN_ZERO | (marks ? SCAN_MARKED : 0);
	if (!changed)
		r->any_of = SCAN_PRESENT | SCAN_SWAPPED;
	else if (marks)
		r->any_of = SCAN_PRESENT | SCAN_MARKED | SCAN_ZERO;
	if (changed && marks)
		r->inverted = SCAN_PRESENT;
}

static int pages_scan(const struct page_finder *f, uint64_t start, uint64_t end, bool changed,
		      struct vec *runs)
{
	struct scan_run found[RUNS_AT_ONCE];
	struct scan_request r = {
		.size = sizeof(r),
		.start = start,
		.end = end,
		.runs = (uintptr_t)found,
		.n_runs = RUNS_AT_ONCE,
	};

	scan_ask(&r, changed, f->marks);
	while (r.start < end) {
		int n = ioctl(f->pagemap, PAGES_SCAN, &r);

		if (n < 0)
			return -errno;
		for (int i = 0; i < n; i++) {
			enum page_kind kind = kind_of_scan(found[i].categories);

			if (kind == PAGES_GONE && !changed)
				continue;
			/* in swap as it was copied */
			if (changed && f->marks && kind == PAGES_SWAPPED &&
			    !(found[i].categories & SCAN_MARKED))
				continue;
			pages_add(runs, found[i].start, found[i].end, kind);
		}
		if (r.walk_end <= r.start)
			return -EIO;
		r.start = r.walk_end;
	}
	return 0;
}

/* --- the pagemap file --- */

/* @marked: its mark, if marks matter. @zero: it is the kernel's page of zeros. */
static void pages_add_entry(struct vec *runs, uint64_t at, uint64_t entry, bool changed,
			    bool marked, bool zero)
{
	if ((entry & ENTRY_PRESENT) && !zero) {
		if (marked)
			pages_add(runs, at, at + pages_size(), PAGES_COPY);
	} else if (entry & ENTRY_SWAPPED) {
		if (marked)
			pages_add(runs, at, at + pages_size(), PAGES_SWAPPED);
	} else if (changed) {
		pages_add(runs, at, at + pages_size(), PAGES_GONE);
	}
}

/* Calls @each for each entry. -errno. */
static int pages_each(const struct page_finder *f, uint64_t start, uint64_t end,
		      void (*each)(void *ctx, uint64_t at, uint64_t entry), void *ctx)
{
	static uint64_t entries[ENTRIES_AT_ONCE];

	while (start < end) {
		uint64_t left = (end - start) / pages_size();
		size_t want = left < ENTRIES_AT_ONCE ? left : ENTRIES_AT_ONCE;
		ssize_t n = pread(f->pagemap, entries, want * 8, (off_t)(start / pages_size() * 8));

		if (n < 8)
			return n < 0 ? -errno : -ESRCH;
		for (ssize_t i = 0; i < n / 8; i++)
			each(ctx, start + (uint64_t)i * pages_size(), entries[i]);
		start += (uint64_t)n / 8 * pages_size();
	}
	return 0;
}

struct entries_to {
	struct vec *runs;
	const struct page_finder *finder;
	bool changed;
};

static bool entry_is_zero(const struct page_finder *f, uint64_t entry)
{
	uint64_t frame = entry & ENTRY_FRAME;

	return frame && (frame == f->zero || (f->huge_zero && frame >= f->huge_zero &&
					      frame < f->huge_zero + f->huge_pages));
}

static void entry_to_runs(void *ctx, uint64_t at, uint64_t entry)
{
	const struct entries_to *to = ctx;

	pages_add_entry(to->runs, at, entry, to->changed,
			!to->changed || !to->finder->marks || (entry & ENTRY_MARKED),
			entry_is_zero(to->finder, entry));
}

int pages_find(const struct page_finder *f, uint64_t start, uint64_t end, bool changed,
	       struct vec *runs)
{
	struct entries_to to = { runs, f, changed };

	if (f->scan)
		return pages_scan(f, start, end, changed, runs);
	return pages_each(f, start, end, entry_to_runs, &to);
}

static void count_unmarked(void *ctx, uint64_t at, uint64_t entry)
{
	int64_t *n = ctx;

	(void)at;
	*n += (entry & ENTRY_PRESENT) && !(entry & ENTRY_MARKED);
}

/* The file also has the mark of a mapping that is new as a whole. */
int64_t pages_unmarked(const struct page_finder *f, uint64_t start, uint64_t end)
{
	int64_t n = 0;
	int r = pages_each(f, start, end, count_unmarked, &n);

	return r ? r : n;
}
