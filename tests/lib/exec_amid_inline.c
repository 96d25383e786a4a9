// SPDX-License-Identifier: Apache-2.0
/*
 * exec_amid_inline: preloaded into gotap, makes the target ($TARGET) exec another program when gotap has written its
 * code into it, but has not yet changed a call to lead there. That is after the write of the control page, which
 * follows that of the code.
 */
#define _GNU_SOURCE
#include "make_exec.h"

#include <dlfcn.h>
#include <stdbool.h>

enum { CODE_LEAST = 4096 };	/* bytes; gotap writes nothing else of this length into a program */

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
	has_code = n >= CODE_LEAST;	/* then the next write is that of the control page */
	return r;
}
