// SPDX-License-Identifier: Apache-2.0
/* folder_lock: see folder_lock.h. */
#define _GNU_SOURCE
#include "base/folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/vec.h"

static const uint64_t WAIT_NS = 5000000000;
enum { POLL_US = 5000 };

int folder_lock(const char *path)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *folder = slash ? xstrndup(path, (size_t)(slash - path) + 1) :
					      xstrdup(".");
	_cleanup_close_ int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uint64_t deadline = now_ns() + WAIT_NS;

	if (fd < 0)
		return -errno;
	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if ((errno != EWOULDBLOCK && errno != EINTR) || now_ns() > deadline)
			return -errno;
		usleep(POLL_US);
	}
	return take_fd(&fd);
}
