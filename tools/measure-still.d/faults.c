// SPDX-License-Identifier: Apache-2.0
/*
 * faults: what a page costs that is write-protected, by itself (tools/measure-still): by userfaultfd
 * in asynchronous mode (Linux 6.7), and by fork with a child that has gone, or that still holds the
 * page.
 *
 *   faults MB [huge]
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, WP_UNPOPULATED = 1 << 13, WP_ASYNC = 1 << 15, USER_MODE_ONLY = 1 };

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void write_all(volatile char *p, size_t n, const char *what)
{
	double begin = now_ms(), ms;

	for (size_t i = 0; i < n; i += PAGE)
		p[i] = 3;
	ms = now_ms() - begin;
	printf("  write to each page, %-36s %8.2f ms, %5.0f ns a page\n", what, ms,
	       ms * 1e6 / (double)(n / PAGE));
}

static void by_userfaultfd(char *p, size_t n)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | USER_MODE_ONLY);
	struct uffdio_api api = { .api = UFFD_API, .features = WP_ASYNC | WP_UNPOPULATED };
	struct uffdio_register range = { .range = { (uintptr_t)p, n },
					 .mode = UFFDIO_REGISTER_MODE_WP };
	struct uffdio_writeprotect protect = { .range = { (uintptr_t)p, n },
					       .mode = UFFDIO_WRITEPROTECT_MODE_WP };
	double begin;

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range)) {
		perror("  userfaultfd");
		return;
	}
	begin = now_ms();
	if (ioctl(fd, UFFDIO_WRITEPROTECT, &protect))
		perror("  UFFDIO_WRITEPROTECT");
	printf("  write-protect by userfaultfd: %.2f ms\n", now_ms() - begin);
	write_all(p, n, "after that");
	close(fd);
}

int main(int argc, char **argv)
{
	size_t n = (size_t)(argc > 1 ? atoi(argv[1]) : 256) << 20;
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t child;

	if (p == MAP_FAILED) {
		perror("faults: mmap");
		return 1;
	}
	madvise(p, n, argc > 2 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	memset(p, 1, n);
	printf("%zu MB%s\n", n >> 20, argc > 2 ? ", huge pages" : "");
	write_all(p, n, "no fault");
	by_userfaultfd(p, n);
	child = fork();
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	write_all(p, n, "after a fork, the child has gone");
	child = fork();
	if (!child)
		pause();
	write_all(p, n, "after a fork, the child is there");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return 0;
}
