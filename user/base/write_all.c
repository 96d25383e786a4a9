// SPDX-License-Identifier: Apache-2.0
/* write_all: see write_all.h. */
#include "base/write_all.h"

#include <errno.h>
#include <unistd.h>

int write_all(int fd, const void *data, size_t n, size_t *done)
{
	const char *p = data;
	ssize_t w;

	for (*done = 0; *done < n; *done += (size_t)w) {
		w = write(fd, p + *done, n - *done);
		if (w < 0 && errno == EINTR)
			w = 0;
		else if (w <= 0)
			return w ? -errno : -EIO;
	}
	return 0;
}
