// SPDX-License-Identifier: Apache-2.0
/*
 * exec_amid_inline: preloaded into gotap, makes the target ($TARGET) exec another program once code of gotap's is in its memory,
 * and before a call leads to it: it sends SIGUSR1 behind the write that is the last one before the calls are changed, and waits
 * until the process runs another file.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CODE_LEAST = 4096 };	/* bytes; nothing else that is written into a program is as long */

static void read_exe(const char *pid, char ret[512])
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%s/exe", pid);
	n = readlink(path, ret, 511);
	ret[n < 0 ? 0 : n] = 0;
}

static void make_it_exec(const char *pid)
{
	char before[512], now[512];

	read_exe(pid, before);
	kill(atoi(pid), SIGUSR1);
	do {
		usleep(1000);
		read_exe(pid, now);
	} while (!now[0] || !strcmp(before, now));
}

static bool is_memory(int fd)
{
	char link[64], path[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = 0;
	return n > 4 && !strcmp(path + n - 4, "/mem");
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at)
{
	static ssize_t (*real)(int, const void *, size_t, off_t);
	static bool has_code;
	const char *target = getenv("TARGET");
	ssize_t r;

	if (!real)
		real = dlsym(RTLD_NEXT, "pwrite");
	r = real(fd, data, n, at);
	if (!target || !is_memory(fd))
		return r;
	if (has_code)
		make_it_exec(target);
	has_code = n >= CODE_LEAST;	/* the control page is written behind it */
	return r;
}
