// SPDX-License-Identifier: Apache-2.0
/* temp_file: see temp_file.h. */
#define _GNU_SOURCE
#include "base/temp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/vec.h"

static const char *temp_file_folder(void)
{
	const char *dir = secure_getenv("TMPDIR");

	return dir && *dir ? dir : "/var/tmp";
}

/* For a file system without O_TMPFILE. */
static int open_named(const char *dir)
{
	_cleanup_free_ char *path = xasprintf("%s/gotap-XXXXXX", dir);
	int fd = mkostemp(path, O_CLOEXEC);

	if (fd >= 0)
		unlink(path);
	return fd;
}

int temp_file_open(struct error *err)
{
	int fd = open(temp_file_folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0)
		fd = open_named(temp_file_folder());
	if (fd < 0)
		return error_set(
			err, -errno,
			"cannot make a temporary file in %s: %s (TMPDIR names another folder)",
			temp_file_folder(), strerror(errno));
	return fd;
}

int temp_file_write(int fd, const void *data, size_t n, long long offset, struct error *err)
{
	const char *p = data;

	while (n) {
		ssize_t put = pwrite(fd, p, n, offset);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return error_set(err, put ? -errno : -ENOSPC,
					 "cannot write the temporary file in %s: %s "
					 "(TMPDIR names another folder)",
					 temp_file_folder(), strerror(put ? errno : ENOSPC));
		p += put;
		n -= (size_t)put;
		offset += put;
	}
	return 0;
}

int temp_file_read(int fd, void *data, size_t n, long long offset, struct error *err)
{
	char *p = data;

	while (n) {
		ssize_t got = pread(fd, p, n, offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return error_set(err, got ? -errno : -EIO,
					 "cannot read the temporary file: %s",
					 strerror(got ? errno : EIO));
		p += got;
		n -= (size_t)got;
		offset += got;
	}
	return 0;
}
