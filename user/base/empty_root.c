// SPDX-License-Identifier: Apache-2.0
/* empty_root: see empty_root.h. */
#define _GNU_SOURCE
#include "base/empty_root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

/* Where one may be made; a container with a root that is read-only has the last. */
static const char *const places[] = { "/tmp", "/run", "/dev/shm" };

enum { PLACES = sizeof(places) / sizeof(places[0]) };

/* Makes one, and removes its name. The descriptor, or a negative errno. */
static int empty_root_make(const char *place)
{
	char path[64];
	int fd, r;

	snprintf(path, sizeof(path), "%s/gotap-empty-XXXXXX", place);
	if (!mkdtemp(path))
		return -errno;
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	r = fd < 0 ? -errno : fd;
	if (rmdir(path) && fd >= 0) {
		r = -errno;
		close(fd);
	}
	return r;
}

int empty_root_enter(struct error *err)
{
	_cleanup_close_ int fd = -1;
	int i;

	for (i = 0; i < PLACES && fd < 0; i++)
		fd = empty_root_make(places[i]);
	if (fd < 0)
		return error_set(err, fd,
				 "cannot make an empty folder in /tmp, /run or /dev/shm, the "
				 "root of a process without rights: %s; make one of them writable",
				 strerror(-fd));
	/* The root stays when the working directory is changed alone: that one is first. */
	if (fchdir(fd) || chroot("."))
		return errno == EPERM ? 0 :
					error_set(err, -errno, "cannot change the root: %s",
						  strerror(errno));
	return 0;
}
