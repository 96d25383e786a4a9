// SPDX-License-Identifier: Apache-2.0
/* deferred: see deferred.h. */
#define _GNU_SOURCE
#include "cmd/record/deferred.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/show.h"
#include "proc/memory_free.h"

#define MIB (1ULL << 20)
#define DEFERRED_MEMORY (1024 * MIB)
#define DEFERRED_FILE (16384 * MIB)
enum { DEFERRED_SHARE = 4 };	/* records get this part of the memory that is free at the begin */
/* The free memory is looked up each time that so much more is kept; and so much must be left. */
#define DEFERRED_LOOK (32 * MIB)
#define DEFERRED_LEAVE (128 * MIB)
/* Memory whose records are in the trace is given back in pieces of so much. */
#define DEFERRED_PIECE (16 * MIB)

uint64_t deferred_recorder_max(unsigned long recorders)
{
	uint64_t room = memory_free() / DEFERRED_SHARE;
	uint64_t each = (room < DEFERRED_MEMORY ? room : DEFERRED_MEMORY) / recorders;

	return each > MIB ? each : MIB;
}

/* A second descriptor of the file of @fd, with a position of its own. */
static int deferred_reader(int fd, const char *name, struct error *err)
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = open(path, O_RDONLY | O_CLOEXEC);
	return ret >= 0 ? ret : error_set(err, -errno, "cannot read '%s': %s", name,
					  strerror(errno));
}

static int deferred_file(const struct output *spool, struct error *err)
{
	struct stat st;

	if (fstat(spool->fd, &st) || !S_ISREG(st.st_mode))
		return error_set(err, -EINVAL,
				 "--defer reads the raw records again: '%s' is no file",
				 spool->path);
	return spool->fd;
}

static int deferred_memory(struct error *err)
{
	int fd = memfd_create("gotap-records", MFD_CLOEXEC);

	return fd >= 0 ? fd : error_set(err, -errno, "cannot get memory for raw records: %s",
					strerror(errno));
}

int deferred_open(struct deferred *d, const struct record_options *o, const struct output *spool,
		  struct error *err)
{
	int fd = o->spool ? deferred_file(spool, err) : deferred_memory(err);

	if (fd < 0)
		return fd;
	d->on = true;
	d->path = o->spool;
	d->fd = fd;
	d->max = o->defer_max ? o->defer_max : o->spool ? DEFERRED_FILE : deferred_recorder_max(1);
	d->reader = deferred_reader(fd, o->spool ? o->spool : "memory", err);
	return d->reader < 0 ? d->reader : 0;
}

static void deferred_look(void *ctx, uint32_t cpu, struct rec *r)
{
	struct deferred *d = ctx;

	d->begun |= rec_is_of_goroutine(r->kind);
}

/* Only whole chunks are kept, so that the file can be read to its end. */
static void deferred_fail(struct deferred *d)
{
	d->end = DEFERRED_FAILED;
	if (ftruncate(d->fd, (off_t)d->bytes))
		return;	/* then reading it ends with an error, behind the last whole chunk */
}

static enum deferred_end deferred_check(struct deferred *d)
{
	if (d->bytes >= d->max)
		return DEFERRED_FULL;
	if (d->path || d->bytes - d->looked < DEFERRED_LOOK)
		return DEFERRED_GOES_ON;
	d->looked = d->bytes;
	return memory_free() < DEFERRED_LEAVE ? DEFERRED_NO_MEMORY : DEFERRED_GOES_ON;
}

/* Chunks that come after the end are kept, too: they hold what was in the rings by then. */
void deferred_keep(struct deferred *d, struct spool_writer *w, const struct chunk *c)
{
	off_t at;

	if (d->end == DEFERRED_FAILED)
		return;
	if (!d->bytes)	/* the head is written */
		d->bytes = (uint64_t)lseek(d->fd, 0, SEEK_CUR);
	if (!d->begun)
		chunk_each(c, c->data.len, deferred_look, d);
	if (spool_write(w, c, &d->failure)) {
		deferred_fail(d);
		return;
	}
	at = lseek(d->fd, 0, SEEK_CUR);
	d->bytes = at > 0 ? (uint64_t)at : d->bytes;
	if (d->end == DEFERRED_GOES_ON)
		d->end = deferred_check(d);
}

/* Gives back the memory of records that were read. */
static void deferred_shrink(struct deferred *d, uint64_t *from)
{
	uint64_t to = d->done / DEFERRED_PIECE * DEFERRED_PIECE;

	if (d->path || to == *from)
		return;
	if (!fallocate(d->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)*from,
		       (off_t)(to - *from)))
		*from = to;
}

static int deferred_read(struct deferred *d, struct spool_reader *in, deferred_take_fn *take,
			 void *ctx, struct error *err)
{
	struct chunk c = {0};
	uint64_t freed = 0;
	int r;

	while ((r = spool_read(in, &c, err)) > 0) {
		r = take(ctx, &c, err);
		d->done = spool_read_bytes(in);
		d->ns = now_ns() - d->began;
		if (r)
			break;
		deferred_shrink(d, &freed);
	}
	chunk_free(&c);
	return r;
}

int deferred_replay(struct deferred *d, deferred_take_fn *take, void *ctx, struct error *err)
{
	struct capture_info *info = xcalloc(1, sizeof(*info));
	struct spool_reader *in = NULL;
	int fd = d->reader, r;

	d->reader = -1;
	d->began = now_ns();
	r = spool_open_fd(&in, fd, d->path ? d->path : "memory", info, err);
	free(info);
	if (r)
		return r;
	r = deferred_read(d, in, take, ctx, err);
	spool_close(in);
	return r;
}

const char *deferred_end_text(const struct deferred *d)
{
	static char text[160];
	char size[SHOW_SIZE];

	if (d->end == DEFERRED_GOES_ON || d->end == DEFERRED_FAILED)
		return NULL;
	snprintf(text, sizeof(text), "%s with %s of raw records (--defer-max): what came then was "
		 "not recorded",
		 d->end == DEFERRED_FULL ? "the recording was full" : "memory had run short",
		 show_size(d->bytes, size));
	return text;
}

void deferred_close(struct deferred *d)
{
	if (!d->on)
		return;
	if (d->reader >= 0)
		close(d->reader);
	if (!d->path)
		close(d->fd);
	*d = (struct deferred){0};
}
