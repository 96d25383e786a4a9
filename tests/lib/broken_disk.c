// SPDX-License-Identifier: Apache-2.0
/*
 * broken_disk: preloaded into gotap, fails the $BROKEN_AT-th read of a file of $BROKEN_SIZE bytes, and
 * all after it: with EIO, or as at the end of the file if $BROKEN_HOW is "cut".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int reads;

static int is_broken(int fd)
{
	struct stat st;

	if (fstat(fd, &st) || st.st_size != atol(getenv("BROKEN_SIZE")))
		return 0;
	return ++reads >= atoi(getenv("BROKEN_AT"));
}

static ssize_t fail(void)
{
	const char *how = getenv("BROKEN_HOW");

	errno = EIO;
	return how && !strcmp(how, "cut") ? 0 : -1;
}

ssize_t read(int fd, void *p, size_t n)
{
	ssize_t (*next)(int, void *, size_t) = (ssize_t (*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");

	return is_broken(fd) ? fail() : next(fd, p, n);
}

ssize_t pread64(int fd, void *p, size_t n, off64_t at)
{
	ssize_t (*next)(int, void *, size_t, off64_t) =
		(ssize_t (*)(int, void *, size_t, off64_t))dlsym(RTLD_NEXT, "pread64");

	return is_broken(fd) ? fail() : next(fd, p, n, at);
}

ssize_t pread(int fd, void *p, size_t n, off_t at)
{
	return pread64(fd, p, n, at);
}
