// SPDX-License-Identifier: Apache-2.0
/* open_under: see open_under.h. */
#define _GNU_SOURCE
#include "base/open_under.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

/*
 * O_NONBLOCK: open() does not wait for the end of a lease on the file. It does not change reads of
 * a regular file.
 */
enum { FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };

/*
 * Opens the file of the O_PATH descriptor @at for reading. @path names the same file, for a system
 * where /proc is not mounted.
 */
static int open_under_reopen(int at, const char *path)
{
	struct stat st;
	char own[64];
	int fd;

	if (fstat(at, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOEXEC;
	snprintf(own, sizeof(own), "/proc/self/fd/%d", at);
	fd = open(own, FLAGS);
	if (fd < 0 && errno == ENOENT && path)
		fd = open(path, FLAGS);
	return fd < 0 ? -errno : fd;
}

int open_regular(const char *path)
{
	_cleanup_close_ int at = open(path, O_PATH | O_CLOEXEC);

	return at < 0 ? -errno : open_under_reopen(at, path);
}

int open_under_at(int root, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	_cleanup_close_ int at = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	return at < 0 ? -errno : open_under_reopen(at, NULL);
}

int open_under(const char *root, const char *path)
{
	_cleanup_close_ int dir =
		open(root && *root ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	return dir < 0 ? -errno : open_under_at(dir, path);
}
