// SPDX-License-Identifier: Apache-2.0
/* raw_sink: see raw_sink.h. */
#include "read/raw_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SINK_BATCH = 256 * 1024 };

int sink_open(struct raw_sink *s, const char *path, struct error *err)
{
	memset(s, 0, sizeof(*s));
	s->path = path;
	s->fd = -1;
	if (!path)
		return 0;
	if (!strcmp(path, "-"))
		s->fd = STDOUT_FILENO;
	else
		s->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (s->fd < 0)
		return error_set(err, -errno, "cannot create '%s': %s", path, strerror(errno));
	buf_reserve(&s->buf, SINK_BATCH);
	return 0;
}

static void sink_flush(struct raw_sink *s)
{
	size_t done = 0;

	while (done < s->buf.len && !s->error) {
		ssize_t n = write(s->fd, s->buf.data + done, s->buf.len - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			s->error = errno;
	}
	s->buf.len = 0;
}

void sink_settle(struct raw_sink *s)
{
	if (s->fd >= 0 && s->buf.len >= SINK_BATCH / 2)
		sink_flush(s);
}

static bool is_regular(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode);
}

int sink_close(struct raw_sink *s, bool keep, struct error *err)
{
	bool is_stdout = s->fd == STDOUT_FILENO;

	if (s->fd >= 0) {
		sink_flush(s);
		if ((!keep || s->error) && !is_stdout && is_regular(s->fd))
			unlink(s->path);
		if (!is_stdout && close(s->fd) && !s->error)
			s->error = errno;
	}
	buf_free(&s->buf);
	if (s->error)
		return error_set(err, -s->error, "cannot write '%s': %s", s->path,
				 strerror(s->error));
	return 0;
}
