// SPDX-License-Identifier: Apache-2.0
/* rename_new: see rename_new.h. */
#define _GNU_SOURCE
#include "base/rename_new.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Falls back to link(2) and unlink(2): some file systems do not support RENAME_NOREPLACE. */
int rename_new(int dir, const char *from, const char *to)
{
	if (!renameat2(dir, from, dir, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return errno;
	if (linkat(dir, from, dir, to, 0))
		return errno;
	return unlinkat(dir, from, 0) ? errno : 0;
}
