// SPDX-License-Identifier: Apache-2.0
/* reread: see reread.h. */
#include "files/reread.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/temp_file.h"
#include "files/leftover.h"

static int reread_copy(struct reread *in, struct error *err)
{
	long long offset = 0;
	int ret = 0, fd = temp_file_open(err);

	if (fd < 0)
		return fd;
	do {
		size_t n = source_left(&in->source);

		ret = temp_file_write(fd, in->source.pos, n, offset, err);
		offset += (long long)n;
		in->source.pos = in->source.end;
	} while (!ret && source_need(&in->source, 1));
	if (!ret)
		ret = source_check(&in->source, err);
	if (ret)
		close(fd);
	else
		in->fd = fd;
	source_close(&in->source);
	return ret;
}

static int reread_keep(struct reread *in, struct error *err)
{
	in->fd = fcntl(in->source.fd, F_DUPFD_CLOEXEC, 3);
	source_close(&in->source);
	return in->fd < 0 ? error_set(err, -errno, "cannot open it again: %s", strerror(errno)) : 0;
}

int reread_open(struct reread *in, const char *path, bool twice, struct error *err)
{
	int ret;

	*in = (struct reread){ .path = path, .fd = -1 };
	ret = leftover_source_open(&in->source, path, err);
	if (ret || !(twice || (in->source.seekable && strcmp(path, "-"))))
		return ret;
	ret = in->source.seekable ? reread_keep(in, err) : reread_copy(in, err);
	return ret ? error_prefix(err, "%s", path) : 0;
}

int reread_rewind(struct reread *in, struct error *err)
{
	int fd;

	if (in->fd < 0)
		return 0;
	fd = fcntl(in->fd, F_DUPFD_CLOEXEC, 3);
	if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return error_set(err, -errno, "%s: cannot read it again: %s", in->path,
				 strerror(errno));
	source_open_fd(&in->source, fd, true);
	return 0;
}

void reread_close(struct reread *in)
{
	if (in->fd >= 0)
		close(in->fd);
	in->fd = -1;
}
