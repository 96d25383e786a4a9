// SPDX-License-Identifier: Apache-2.0
/* spill: see spill.h. */
#define _GNU_SOURCE
#include "html/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/write_all.h"

enum { CURSOR = 1 << 16 };

static int spill_temporary(const char *dir)
{
	_cleanup_free_ char *name = NULL;
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	name = xasprintf("%s/gotap-XXXXXX", dir);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

static const char *temporary_folder(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/var/tmp";
}

static void spill_flush(struct spill *st)
{
	size_t done;

	if (st->err.code) {
		st->buf.len = 0;
		return;
	}
	if (st->fd < 0)
		st->fd = spill_temporary(temporary_folder());
	if (st->fd < 0 || write_all(st->fd, st->buf.data, st->buf.len, &done))
		error_set(&st->err, -errno,
			  "temporary file in %s: %s; set TMPDIR to a folder with room",
			  temporary_folder(), strerror(errno));
	st->flushed += st->buf.len;
	st->buf.len = 0;
}

void spill_room(struct spill *st, size_t n)
{
	if (st->buf.len + n > SPILL_MEMORY)
		spill_flush(st);
	buf_reserve(&st->buf, n);
}

void spill_add(struct spill *st, const void *p, size_t n)
{
	spill_room(st, n);
	buf_add(&st->buf, p, n);
}

static int spill_read_file(struct spill *st, uint64_t at, uint8_t *p, size_t n)
{
	while (n) {
		ssize_t got = pread(st->fd, p, n, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return error_set(&st->err, got ? -errno : -EIO,
					 "temporary file: cannot be read again");
		p += got;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

int spill_read(struct spill *st, uint64_t at, void *p, size_t n)
{
	uint8_t *to = p;
	size_t front = at >= st->flushed    ? 0 :
		       st->flushed - at < n ? (size_t)(st->flushed - at) :
					      n;

	if (st->err.code)
		return st->err.code;
	if (front && spill_read_file(st, at, to, front))
		return st->err.code;
	if (n > front)
		memcpy(to + front, st->buf.data + (at + front - st->flushed), n - front);
	return 0;
}

int spill_error(const struct spill *st, struct error *err)
{
	if (st->err.code && err)
		*err = st->err;
	return st->err.code;
}

void spill_free(struct spill *st)
{
	if (st->fd >= 0)
		close(st->fd);
	buf_free(&st->buf);
	*st = (struct spill)SPILL_EMPTY;
}

/* --- from begin to end --- */

struct spill_cursor spill_cursor(struct spill *st)
{
	return (struct spill_cursor){ .st = st, .buf = xcalloc(1, CURSOR) };
}

static void spill_fill(struct spill_cursor *c)
{
	uint64_t left = spill_size(c->st) - c->at;
	size_t n;

	memmove(c->buf, c->buf + c->pos, c->len - c->pos);
	c->len -= c->pos;
	c->pos = 0;
	n = left < CURSOR - c->len ? (size_t)left : CURSOR - c->len;
	if (!n || spill_read(c->st, c->at, c->buf + c->len, n))
		return;
	c->at += n;
	c->len += n;
}

int spill_more(struct spill_cursor *c, size_t want)
{
	if (c->len - c->pos < want)
		spill_fill(c);
	return c->len > c->pos;
}

void spill_cursor_free(struct spill_cursor *c)
{
	free(c->buf);
	c->buf = NULL;
}

uint64_t spill_varint(struct spill_cursor *c)
{
	uint64_t v = 0;
	unsigned shift = 0;

	while (c->pos < c->len && shift < 64) {
		uint8_t b = c->buf[c->pos++];

		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			break;
		shift += 7;
	}
	return v;
}
