// SPDX-License-Identifier: Apache-2.0
/*
 * measure: what each way to a still image of a process costs, by itself (tools/measure-still).
 *
 *   measure stop PID N       stops all threads by ptrace and continues them, N times
 *   measure read PID N       copies all pages that are in memory, N times
 *   measure sparse PID N     copies one page of 16, N times: pages that lie apart
 *   measure pagemap PID N    reads /proc/PID/pagemap of all writable private mappings, N times
 *   measure scan PID N       the same by PAGEMAP_SCAN (Linux 6.7): pages that are present,
 *   measure scan-dirty PID N and those with a soft-dirty bit
 *   measure clear PID N      clears the soft-dirty bits (/proc/PID/clear_refs), N times
 *   measure dirty PID N MS   clears them, waits, counts the pages with such a bit, N times
 *   measure fork PID N MS    has a thread fork by ptrace; the child is kept for MS and killed, N times
 *   measure racy PID N FILE  copies all pages of a running `pages MB token`, whose output is FILE, and
 *                            looks for the pointer that it moves: how often is it missed?
 *
 * Each prints one line: the median, the 99th percentile and the longest, in ms.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_THREADS = 4096, MOST_MAPS = 4096, PAGE = 4096, AT_ONCE = 512 };

#define SOFT_DIRTY (1ULL << 55)
#define PRESENT (1ULL << 63)
#define SWAPPED (1ULL << 62)

static pid_t pid;
static pid_t tids[MOST_THREADS];
static int n_tids;
static struct { uint64_t start, end; } maps[MOST_MAPS];
static int n_maps;
static char buffer[1 << 20] __attribute__((aligned(8)));

static void die(const char *what)
{
	fprintf(stderr, "measure: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(const char *name, double *ms, int n)
{
	qsort(ms, (size_t)n, sizeof(*ms), by_size);
	printf("%-24s n=%d p50=%.3f p99=%.3f max=%.3f ms", name, n, ms[n / 2],
	       ms[(n * 99) / 100], ms[n - 1]);
}

/* Writable private mappings that are no device. */
static void read_maps(void)
{
	char path[64], line[4500], mode[8];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "r");
	if (!f)
		die(path);
	for (n_maps = 0; n_maps < MOST_MAPS && fgets(line, sizeof(line), f);)
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &maps[n_maps].start,
			   &maps[n_maps].end, mode) == 3 &&
		    mode[0] == 'r' && mode[1] == 'w' && mode[3] == 'p')
			n_maps++;
	fclose(f);
}

static int open_of(const char *name, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		die(path);
	return fd;
}

static void list_threads(void)
{
	char path[64];
	DIR *d;
	struct dirent *e;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	if (!d)
		die(path);
	for (n_tids = 0; n_tids < MOST_THREADS && (e = readdir(d));)
		if (atoi(e->d_name))
			tids[n_tids++] = atoi(e->d_name);
	closedir(d);
}

static int signals[MOST_THREADS];

/* All threads are seized and asked to stop, then waited for; again, until there is no new one. */
static void stop_all(void)
{
	int held = 0, i, status;

	for (;;) {
		list_threads();
		if (held == n_tids)
			return;
		for (i = held; i < n_tids; i++) {
			if (ptrace(PTRACE_SEIZE, tids[i], NULL, NULL) && errno != EPERM)
				die("PTRACE_SEIZE");
			ptrace(PTRACE_INTERRUPT, tids[i], NULL, NULL);
		}
		for (i = held; i < n_tids; i++) {
			if (waitpid(tids[i], &status, __WALL) < 0)
				die("waitpid");
			signals[i] = status >> 16 ? 0 : WSTOPSIG(status);
		}
		held = n_tids;
	}
}

static void continue_all(void)
{
	for (int i = 0; i < n_tids; i++)
		ptrace(PTRACE_DETACH, tids[i], NULL, (long)signals[i]);
}

/* --- pages --- */

static int pagemap;
static uint64_t entries[AT_ONCE * 16];

static uint64_t pages_with(uint64_t bits, void (*each)(uint64_t addr, uint64_t n))
{
	uint64_t count = 0, from = 0;

	for (int m = 0; m < n_maps; m++)
		for (uint64_t a = maps[m].start; a < maps[m].end;) {
			uint64_t left = (maps[m].end - a) / PAGE;
			size_t want = left < AT_ONCE * 16 ? left : AT_ONCE * 16;
			ssize_t n = pread(pagemap, entries, want * 8, (off_t)(a / PAGE * 8));

			if (n <= 0)
				break;
			for (ssize_t i = 0; i < n / 8; i++) {
				bool is = (entries[i] & bits) && (entries[i] & PRESENT);

				count += is;
				if (is && !from)
					from = a + (uint64_t)i * PAGE;
				if (!is && from && each)
					each(from, a + (uint64_t)i * PAGE - from);
				if (!is)
					from = 0;
			}
			a += (uint64_t)n / 8 * PAGE;
			if (from && each)
				each(from, a - from);
			from = 0;
		}
	return count;
}

static uint64_t copied, token, tokens;

static void read_token(const char *path)
{
	char line[100];
	FILE *f = fopen(path, "r");

	if (!f)
		die(path);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "token %" SCNx64, &token) == 1)
			break;
	fclose(f);
	token = ~token;
}

static void count_tokens(size_t n)
{
	const uint64_t *word = (const uint64_t *)(const void *)buffer;

	for (size_t i = 0; i < n / 8; i++)
		tokens += word[i] == token;
}

static void copy(uint64_t addr, uint64_t n)
{
	while (n) {
		size_t part = n < sizeof(buffer) ? n : sizeof(buffer);
		struct iovec to = { buffer, part }, from = { (void *)(uintptr_t)addr, part };
		ssize_t r = process_vm_readv(pid, &to, 1, &from, 1, 0);

		if (r <= 0)
			return;
		copied += (uint64_t)r;
		if (token)
			count_tokens((size_t)r);
		addr += (uint64_t)r;
		n -= (uint64_t)r;
	}
}

/* One page of 16, in calls of 256 pieces. */
static void copy_sparse(uint64_t addr, uint64_t n)
{
	struct iovec to[256], from[256];
	unsigned int k = 0;

	for (uint64_t at = 0; at < n; at += 16 * PAGE) {
		to[k] = (struct iovec){ buffer + k * PAGE, PAGE };
		from[k++] = (struct iovec){ (void *)(uintptr_t)(addr + at), PAGE };
		if (k < 256 && at + 16 * PAGE < n)
			continue;
		copied += (uint64_t)process_vm_readv(pid, to, k, from, k, 0);
		k = 0;
	}
}

/* As <linux/fs.h> of Linux 6.7 has it; older headers lack it. */
struct region {
	uint64_t start, end, categories;
};

struct scan {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define SCAN _IOWR('f', 16, struct scan)
enum { SCAN_PRESENT = 1 << 3, SCAN_SOFT_DIRTY = 1 << 7 };

static uint64_t scan(uint64_t category)
{
	static struct region found[1024];
	uint64_t pages = 0;

	for (int m = 0; m < n_maps; m++) {
		uint64_t at = maps[m].start;

		while (at < maps[m].end) {
			struct scan a = {
				.size = sizeof(a), .start = at, .end = maps[m].end,
				.vec = (uintptr_t)found, .vec_len = 1024,
				.category_mask = category, .return_mask = category,
			};
			int n = ioctl(pagemap, SCAN, &a);

			if (n < 0)
				die("PAGEMAP_SCAN");
			for (int i = 0; i < n; i++)
				pages += (found[i].end - found[i].start) / PAGE;
			at = a.walk_end;
		}
	}
	return pages;
}

static void clear_bits(void)
{
	int fd = open_of("clear_refs", O_WRONLY);

	if (write(fd, "4", 1) != 1)
		die("clear_refs");
	close(fd);
}

static void sleep_ms(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

/* --- fork --- */

static int thread_of_fork(void)
{
	char path[80], text[64];

	for (int i = n_tids - 1; i >= 0; i--) {
		int fd;
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, tids[i]);
		fd = open(path, O_RDONLY);
		n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
		close(fd);
		text[n > 0 ? n : 0] = '\0';
		if (n > 0 && !strncmp(text, "202 ", 4))
			return i;
	}
	errno = ESRCH;
	die("no thread sleeps in futex()");
	return -1;
}

static double fork_once(int ms, double *fork_ms)
{
	struct user_regs_struct old, regs;
	uint64_t begin, since;
	int i, status;
	pid_t child;

	list_threads();
	i = thread_of_fork();
	begin = now();
	stop_all();
	i = thread_of_fork();
	ptrace(PTRACE_SETOPTIONS, tids[i], NULL,
	       PTRACE_O_TRACEFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEVFORK |
	       PTRACE_O_TRACESYSGOOD);
	ptrace(PTRACE_GETREGS, tids[i], NULL, &old);
	regs = old;
	regs.rip -= 2;
	regs.rax = SYS_clone;
	regs.orig_rax = (unsigned long)-1;
	regs.rdi = SIGCHLD;
	regs.rsi = regs.rdx = regs.r10 = regs.r8 = 0;
	ptrace(PTRACE_SETREGS, tids[i], NULL, &regs);
	since = now();
	/* entry, the event of the fork, exit */
	ptrace(PTRACE_SYSCALL, tids[i], NULL, NULL);
	waitpid(tids[i], &status, __WALL);
	ptrace(PTRACE_SYSCALL, tids[i], NULL, NULL);
	waitpid(tids[i], &status, __WALL);
	*fork_ms = (double)(now() - since) / 1e6;
	ptrace(PTRACE_SYSCALL, tids[i], NULL, NULL);
	waitpid(tids[i], &status, __WALL);
	ptrace(PTRACE_GETREGS, tids[i], NULL, &regs);
	child = (pid_t)regs.rax;
	ptrace(PTRACE_SETREGS, tids[i], NULL, &old);
	ptrace(PTRACE_SETOPTIONS, tids[i], NULL, 0);
	continue_all();
	begin = now() - begin;
	if (child <= 0) {
		fprintf(stderr, "measure: fork: %s\n", strerror(-child));
		exit(1);
	}
	waitpid(child, &status, __WALL);
	sleep_ms(ms);
	kill(child, SIGKILL);
	waitpid(child, &status, __WALL);
	return (double)begin / 1e6;
}

int main(int argc, char **argv)
{
	int n = argc > 3 ? atoi(argv[3]) : 0, ms = argc > 4 ? atoi(argv[4]) : 0;
	struct sched_param fifo = { .sched_priority = 1 };
	double *t, *u;
	uint64_t pages = 0;
	int missed = 0, missed_twice = 0;
	const char *what;

	if (argc < 4 || n < 1) {
		fprintf(stderr, "usage: measure WHAT PID N [MS]\n");
		return 2;
	}
	what = argv[1];
	pid = atoi(argv[2]);
	t = calloc((size_t)n, sizeof(*t));
	u = calloc((size_t)n, sizeof(*u));
	if (!t || !u)
		die("memory");
	sched_setscheduler(0, SCHED_FIFO, &fifo);
	read_maps();
	pagemap = open_of("pagemap", O_RDONLY);
	memset(buffer, 1, sizeof(buffer));
	for (int i = 0; i < n; i++) {
		uint64_t since = now();

		if (!strcmp(what, "stop")) {
			stop_all();
			continue_all();
			pages = (uint64_t)n_tids;
		} else if (!strcmp(what, "read")) {
			copied = 0;
			pages_with(PRESENT, copy);
			pages = copied / PAGE;
		} else if (!strcmp(what, "sparse")) {
			copied = 0;
			pages_with(PRESENT, NULL);
			since = now();
			pages_with(PRESENT, copy_sparse);
			pages = copied / PAGE;
		} else if (!strcmp(what, "racy")) {
			read_token(argv[4]);
			tokens = 0;
			pages_with(PRESENT, copy);
			u[i] = (double)tokens;
			missed += !tokens;
			missed_twice += i && !tokens && !(uint64_t)u[i - 1];
		} else if (!strcmp(what, "pagemap")) {
			pages = pages_with(PRESENT, NULL);
		} else if (!strcmp(what, "clear")) {
			clear_bits();
		} else if (!strcmp(what, "dirty")) {
			clear_bits();
			sleep_ms(ms);
			since = now();
			pages = pages_with(SOFT_DIRTY, NULL);
			u[i] = (double)pages / 256;
		} else if (!strcmp(what, "fork")) {
			t[i] = fork_once(ms, &u[i]);
			sleep_ms(20);
			continue;
		} else if (!strcmp(what, "scan")) {
			pages = scan(SCAN_PRESENT);
		} else if (!strcmp(what, "scan-dirty")) {
			pages = scan(SCAN_SOFT_DIRTY);
		} else {
			fprintf(stderr, "measure: no such measurement: %s\n", what);
			return 2;
		}
		t[i] = (double)(now() - since) / 1e6;
		sleep_ms(5);
	}
	print(what, t, n);
	printf(" (%" PRIu64 " %s)\n", pages, strcmp(what, "stop") ? "pages" : "threads");
	if (!strcmp(what, "fork")) {
		print("  of it fork()", u, n);
		putchar('\n');
	}
	if (!strcmp(what, "racy"))
		printf("  missed %d times, %d of these twice in a row\n", missed, missed_twice);
	if (!strcmp(what, "dirty")) {
		print("  MB dirty, not ms", u, n);
		putchar('\n');
	}
	return 0;
}
