// SPDX-License-Identifier: Apache-2.0
/* snapshot: see snapshot.h. */
#define _GNU_SOURCE
#include "flight/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/rename_new.h"
#include "base/vec.h"
#include "base/write_all.h"
#include "flight/describe.h"
#include "proc/privilege.h"

/* most numbers tried, because earlier recordings have files with them */
enum { TRIES = 100000 };

/* A file that does not have its final name yet. */
struct part {
	int dir, fd;
	char *name, *partial;
	bool named;		/* it has its final name */
};

static int snapshot_fail(const struct naming *names, const char *name, int e, struct error *err)
{
	return error_set(err, -e, "cannot write '%s/%s': %s", names->folder, name, strerror(e));
}

/* --- parts --- */

/* Creates the file under its temporary name. EEXIST: its name, or the temporary one, is taken. */
static int part_create(struct part *p, int dir, const char *name)
{
	struct stat st;

	*p = (struct part){ .dir = dir, .fd = -1, .name = xstrdup(name),
			    .partial = xasprintf("%s%s", name, NAMING_PARTIAL) };
	if (!fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return EEXIST;
	p->fd = openat(dir, p->partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (p->fd < 0)
		return errno;
	/* the lock shows other recordings that the file is being written (keep.c) */
	flock(p->fd, LOCK_EX | LOCK_NB);
	/* Another recording may have finished a file with that name meanwhile. */
	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) ? 0 : EEXIST;
}

/* Closes the file, and deletes it unless @keep. */
static void part_close(struct part *p, bool keep)
{
	if (p->fd >= 0) {
		close(p->fd);
		if (!keep)
			unlinkat(p->dir, p->named ? p->name : p->partial, 0);
	}
	free(p->name);
	free(p->partial);
	*p = (struct part){ .fd = -1 };
}

/*
 * Gives the file its name. Closes a duplicate of the descriptor first, since some file systems
 * report a failed write only at close.
 */
static int part_name(struct part *p)
{
	int copy = fcntl(p->fd, F_DUPFD_CLOEXEC, 0), e;

	if (copy >= 0 && close(copy))
		return errno;
	e = rename_new(p->dir, p->partial, p->name);
	p->named = !e;
	return e;
}

/* --- a snapshot --- */

struct writing {
	const struct flight_opts *opts;
	const struct naming *names;
	struct history *history;
	struct request *request;
	struct part trace, beside[BESIDES];	/* those that are not wanted are closed */
	struct flight_extent extent;
	size_t beside_bytes;
};

#define WRITING_CLOSED \
	.trace = { .fd = -1 }, .beside = { { .fd = -1 }, { .fd = -1 }, { .fd = -1 } }
_Static_assert(BESIDES == 3, "WRITING_CLOSED has all of them");

/* The content of a file beside the trace; -1: it is not wanted, or the JSON, which is made here. */
static int snapshot_content(const struct writing *w, enum naming_beside which)
{
	const struct flight_beside *b = w->request->fact.beside;

	if (!b || which == BESIDE_JSON)
		return -1;
	return which == BESIDE_HEAP ? b->heap : b->heap_diff;
}

/* Closes the files, and deletes them unless @keep. */
static void snapshot_close(struct writing *w, bool keep)
{
	enum naming_beside i;

	for (i = 0; i < BESIDES; i++)
		part_close(&w->beside[i], keep);
	part_close(&w->trace, keep);
}

static int snapshot_create(struct writing *w, int dir, const char *name)
{
	int e = part_create(&w->trace, dir, name);
	enum naming_beside i;

	for (i = 0; i < BESIDES && !e; i++) {
		_cleanup_free_ char *beside = naming_beside(name, i);

		if (i == BESIDE_JSON || snapshot_content(w, i) >= 0)
			e = part_create(&w->beside[i], dir, beside);
	}
	if (e)
		snapshot_close(w, false);
	return e;
}

/* Creates the files, with the first number for which no name is taken. */
static int create_next(struct writing *w, int dir, snapshot_number_fn *number, void *ctx,
		       struct error *err)
{
	int tries, e = EEXIST;

	for (tries = 0; tries < TRIES && e == EEXIST; tries++) {
		_cleanup_free_ char *name = naming_make(w->names, w->request->wall, number(ctx));

		e = snapshot_create(w, dir, name);
		if (e && (e != EEXIST || tries == TRIES - 1))
			return snapshot_fail(w->names, name, e, err);
	}
	return 0;
}

static int snapshot_write_header(struct writing *w, const void *header, size_t n)
{
	size_t done;

	return -write_all(w->trace.fd, header, n, &done);
}

static int write_trace(struct writing *w)
{
	struct history_range *r = &w->request->range;
	int e = snapshot_write_header(w, r->header, r->header_bytes);
	size_t i, done;

	for (i = 0; i < r->n && !e; i++) {
		e = -write_all(w->trace.fd, r->gens[i]->data, r->gens[i]->bytes, &done);
		history_release(w->history, r, i);
	}
	return e;
}

static int write_json(struct writing *w)
{
	size_t done, n;
	_cleanup_free_ char *text = describe(w->opts, w->request, &w->extent, w->trace.name, &n);

	w->beside_bytes += n;
	return -write_all(w->beside[BESIDE_JSON].fd, text, n, &done);
}

/* Copies all of the file @from. Returns an errno. */
static int snapshot_copy(struct writing *w, int from, int to)
{
	enum { CHUNK = 1 << 16 };
	_cleanup_free_ uint8_t *chunk = xrealloc(NULL, CHUNK, 1);
	off_t at = 0;
	ssize_t n;
	size_t done;
	int e;

	while ((n = pread(from, chunk, CHUNK, at)) > 0) {
		e = -write_all(to, chunk, (size_t)n, &done);
		if (e)
			return e;
		at += n;
	}
	w->beside_bytes += (size_t)at;
	return n < 0 ? errno : 0;
}

static int write_beside(struct writing *w)
{
	enum naming_beside i;
	int e = write_json(w);

	for (i = 0; i < BESIDES && !e; i++)
		if (snapshot_content(w, i) >= 0)
			e = snapshot_copy(w, snapshot_content(w, i), w->beside[i].fd);
	return e;
}

/* The trace gets its name last: a reader that finds it finds the files beside it, too. */
static int snapshot_name(struct writing *w)
{
	enum naming_beside i;
	int e = 0;

	for (i = BESIDES; i-- && !e;)
		if (w->beside[i].fd >= 0)
			e = part_name(&w->beside[i]);
	return e ? e : part_name(&w->trace);
}

static int write_all_parts(struct writing *w, struct error *err)
{
	int e = write_trace(w);

	if (!e)
		e = write_beside(w);
	if (!e)
		e = snapshot_name(w);
	return e ? snapshot_fail(w->names, w->trace.name, e, err) : 0;
}

static int snapshot_begin(struct writing *w, int *dir, snapshot_number_fn *number, void *ctx,
			  struct error *err)
{
	if (!w->request->range.n)
		return error_set(err, -ENODATA,
				 "there is nothing to write yet: no generation of the trace is "
				 "whole");
	w->extent = describe_extent(&w->request->range);
	*dir = open(w->names->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*dir < 0)
		return snapshot_fail(w->names, w->names->form, errno, err);
	return create_next(w, *dir, number, ctx, err);
}

static void snapshot_settle(struct writing *w, struct snapshot *ret, bool whole)
{
	if (whole) {
		ret->name = xstrdup(w->trace.name);
		ret->beside_bytes = w->beside_bytes;
		ret->done.path = xasprintf("%s/%s", w->names->folder, ret->name);
		ret->done.bytes = w->extent.bytes;
		ret->done.from = w->extent.from;
		ret->done.to = w->extent.to;
	}
	snapshot_close(w, whole);
}

int snapshot_write(struct snapshot *ret, const struct flight_opts *o, const struct naming *names,
		   struct history *history, struct request *r, snapshot_number_fn *number,
		   void *ctx, struct error *err)
{
	struct writing w = { .opts = o, .names = names, .history = history, .request = r,
			     WRITING_CLOSED };
	_cleanup_close_ int dir = -1;
	int e;

	*ret = (struct snapshot){ .done = { .id = r->id } };
	privilege_raise_files();
	e = snapshot_begin(&w, &dir, number, ctx, err);
	if (!e)
		e = write_all_parts(&w, err);
	snapshot_settle(&w, ret, !e);
	privilege_lower_files();
	return e;
}

void snapshot_release(struct snapshot *s)
{
	free(s->name);
	free((void *)s->done.path);
	*s = (struct snapshot){0};
}
