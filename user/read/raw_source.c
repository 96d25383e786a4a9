// SPDX-License-Identifier: Apache-2.0
/*
 * raw_source: see raw_source.h. Input: a path, a descriptor, a function or memory. Output: bytes,
 * in order, and again by offset if the input can seek.
 */
#include "read/raw_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "tracev2.h"

static void open_window(struct raw_source *s, int fd)
{
	memset(s, 0, sizeof(*s));
	s->fd = fd;
	s->window = xcalloc(1, RAW_WINDOW);
	s->pos = s->end = s->window;
}

void source_open_fd(struct raw_source *s, int fd, bool own)
{
	struct stat st;

	open_window(s, fd);
	s->own_fd = own;
	s->seekable = !fstat(fd, &st) && S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
}

void source_open_function(struct raw_source *s, source_read_fn *read, void *ctx)
{
	open_window(s, -1);
	s->read = read;
	s->ctx = ctx;
}

int source_open(struct raw_source *s, const char *path, struct error *err)
{
	bool own = strcmp(path, "-") != 0;
	int fd = own ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;

	memset(s, 0, sizeof(*s));
	if (fd < 0)
		return error_set(err, -errno, "cannot open '%s': %s", path, strerror(errno));
	source_open_fd(s, fd, own);
	return 0;
}

void source_open_memory(struct raw_source *s, const void *data, size_t n)
{
	memset(s, 0, sizeof(*s));
	s->fd = -1;
	s->seekable = s->eof = true;
	s->pos = data;
	s->end = s->pos + n;
	s->end_offset = n;
}

void source_close(struct raw_source *s)
{
	free(s->window);
	if (s->own_fd && s->fd >= 0)
		close(s->fd);
	memset(s, 0, sizeof(*s));
	s->fd = -1;
}

/* Reads up to @n bytes into @buf. Returns their number, 0 at the end, or a negative errno. */
static int64_t raw_source_read_some(struct raw_source *s, void *buf, size_t n)
{
	ssize_t got;

	if (s->read) {
		int64_t had = s->read(s->ctx, buf, n);

		return had > (int64_t)n || had < -INT32_MAX ? -EIO : had;
	}
	do
		got = read(s->fd, buf, n);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

bool source_fill(struct raw_source *s, size_t n)
{
	size_t have = source_left(s);

	if (!s->window || n > RAW_WINDOW)
		return have >= n;
	memmove(s->window, s->pos, have);
	s->pos = s->window;
	while (have < n && !s->eof) {
		int64_t got = raw_source_read_some(s, s->window + have, RAW_WINDOW - have);

		if (got < 0)
			s->error = (int)-got;
		if (got <= 0)
			s->eof = true;
		else
			have += (size_t)got, s->end_offset += (uint64_t)got;
	}
	s->end = s->window + have;
	return have >= n;
}

int source_take_all(struct raw_source *s, struct buf *out, struct error *err)
{
	do {
		buf_add(out, s->pos, source_left(s));
		s->pos = s->end;
	} while (source_need(s, 1));
	return source_check(s, err);
}

enum cursor_status source_uvarint(struct raw_source *s, uint64_t *v)
{
	struct cursor c;
	enum cursor_status status;

	source_need(s, 10);
	c = cursor_of(s->pos, source_left(s), 0);
	status = cursor_uvarint(&c, v);
	s->pos = c.pos;
	return status;
}

int source_check(const struct raw_source *s, struct error *err)
{
	if (s->error == ESTALE)
		return error_set(err, -ESTALE, "the file changed while it was read");
	if (s->error)
		return error_set(err, -s->error, "cannot read: %s", strerror(s->error));
	return 0;
}

const uint8_t *source_read_at(struct raw_source *s, uint64_t off, uint8_t *buf, size_t n)
{
	size_t have = 0;

	if (!s->seekable)
		return NULL;
	if (!s->window)	/* memory: all bytes are before end already */
		return s->end - (s->end_offset - off);
	while (have < n) {
		ssize_t got = pread(s->fd, buf + have, n - have, (off_t)(off + have));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			s->error = got ? errno : ESTALE;
			return NULL;
		}
		have += (size_t)got;
	}
	return buf;
}

/* NN of "go 1.NN trace", padded with NULs, NN of one to three digits; 0 for other bytes. */
static int header_version(const uint8_t *h)
{
	char text[TRACEV2_HEADER_SIZE + 1] = "";
	int version = 0, i;

	if (memcmp(h, "go 1.", 5))
		return 0;
	for (i = 5; i < 8 && h[i] >= '0' && h[i] <= '9'; i++)
		version = version * 10 + h[i] - '0';
	snprintf(text, sizeof(text), "go 1.%u trace", (unsigned int)version % 1000);
	return memcmp(h, text, TRACEV2_HEADER_SIZE) ? 0 : version;
}

/* The end of an error text: the command that makes a trace of this kind of file. */
static const char *raw_source_advice(const struct raw_source *s)
{
	if (source_left(s) > 2 && !memcmp(s->pos, "\x1f\x8b", 2))
		return ", but gzip: unpack it with gunzip or zcat";
	if (source_left(s) > 9 && !memcmp(s->pos, "Trace Go1", 9))
		return ", but the text of one: `gotap wire` makes a trace of it";
	return "";
}

int source_header(struct raw_source *s, int *version, struct error *err)
{
	int v = source_need(s, TRACEV2_HEADER_SIZE) ? header_version(s->pos) : 0;

	if (s->error)
		return source_check(s, err);
	if (!v)
		return error_set(err, -EINVAL, "bad file format: not a Go execution trace%s",
				 raw_source_advice(s));
	if (v != 22 && v != 23 && v != 25 && v != 26)
		return error_set(err, -ENOTSUP,
				 "unknown or unsupported trace version go 1.%d", v);
	s->pos += TRACEV2_HEADER_SIZE;
	*version = v;
	return 0;
}
