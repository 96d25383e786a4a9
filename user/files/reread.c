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

	*in = REREAD_CLOSED;
	in->path = path;
	ret = leftover_source_open(&in->source, path, err);
	if (ret || !(twice || (in->source.seekable && strcmp(path, "-"))))
		return ret;
	ret = in->source.seekable ? reread_keep(in, err) : reread_copy(in, err);
	return ret ? error_prefix(err, "%s", path) : 0;
}

/* --- a copy that is made while the pipe is read --- */

static void reread_put_copy(struct reread *in, const void *data, size_t n)
{
	if (in->copy < 0)
		return;
	if (temp_file_write(in->copy, data, n, in->copied, &in->failed)) {
		close(in->copy);
		in->copy = -1;
	}
	in->copied += (long long)n;
}

static int64_t reread_tee_read(void *ctx, void *buf, size_t n)
{
	struct reread *in = ctx;
	size_t had;

	if (!source_need(&in->pipe, 1))
		return -in->pipe.error;
	had = source_left(&in->pipe) < n ? source_left(&in->pipe) : n;
	memcpy(buf, in->pipe.pos, had);
	in->pipe.pos += had;
	reread_put_copy(in, buf, had);
	return (int64_t)had;
}

int reread_open_tee(struct reread *in, const char *path, struct error *err)
{
	int ret;

	*in = REREAD_CLOSED;
	in->path = path;
	ret = leftover_source_open(&in->source, path, err);
	if (ret)
		return ret;
	if (in->source.seekable) {
		ret = reread_keep(in, err);
		return ret ? error_prefix(err, "%s", path) : 0;
	}
	in->tee = true;
	in->pipe = in->source;
	in->copy = temp_file_open(&in->failed);
	source_open_function(&in->source, reread_tee_read, in);
	return 0;
}

/* The second reading is that of the copy. */
static int reread_take_copy(struct reread *in, struct error *err)
{
	if (!in->began) {
		in->began = true;
		return 0;
	}
	if (in->copy < 0) {
		*err = in->failed;
		return error_prefix(err, "%s", in->path);
	}
	in->fd = in->copy;
	in->copy = -1;
	in->tee = false;
	return 0;
}

int reread_rewind(struct reread *in, struct error *err)
{
	int fd, ret = in->tee ? reread_take_copy(in, err) : 0;

	if (ret)
		return ret;
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
	if (in->copy >= 0)
		close(in->copy);
	if (in->pipe.window)
		source_close(&in->pipe);
	in->fd = in->copy = -1;
}
