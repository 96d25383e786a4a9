// SPDX-License-Identifier: Apache-2.0
/* raw_sink: see raw_sink.h. */
#include "read/raw_sink.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { SINK_BATCH = 256 * 1024 };

void sink_open(struct raw_sink *s, int fd, const char *name)
{
	*s = (struct raw_sink){ .fd = fd, .name = name };
	if (fd >= 0)
		buf_reserve(&s->buf, SINK_BATCH);
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
	s->written += done;
	s->buf.len = 0;
}

void sink_settle(struct raw_sink *s)
{
	if (s->fd >= 0 && s->buf.len >= SINK_BATCH / 2)
		sink_flush(s);
}

int sink_error(const struct raw_sink *s, struct error *err)
{
	if (s->error && s->name)
		return error_set(err, -s->error, "cannot write '%s': %s", s->name,
				 strerror(s->error));
	if (s->error)
		return error_set(err, -s->error, "cannot write the trace: %s", strerror(s->error));
	return 0;
}

int sink_close(struct raw_sink *s, struct error *err)
{
	if (s->fd >= 0)
		sink_flush(s);
	buf_free(&s->buf);
	return sink_error(s, err);
}
