// SPDX-License-Identifier: Apache-2.0
/*
 * writers: the threads of a flight recording that write snapshots, so that a slow disk delays no
 * other thread. flight.c starts them.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "flight/internal.h"
#include "flight/snapshot.h"

/*
 * Prints the outcome of a snapshot if it differs from that of the last one, so that an error that
 * persists is printed once. The caller holds the lock of files.
 */
static void say_outcome(struct flight *f, const struct error *err)
{
	char text[600];

	if (err->code && err->code != f->failing) {
		snprintf(text, sizeof(text), "%s; the recording goes on", err->text);
		f->opts->say(f->opts->ctx, text);
	} else if (!err->code && f->failing) {
		f->opts->say(f->opts->ctx, "snapshots can be written again");
	}
	f->failing = err->code;
}

/*
 * Prints the outcome of the removal of old snapshots (--keep, --keep-bytes), as say_outcome() does.
 * The caller holds the lock of files.
 */
static void say_kept(struct flight *f, const struct keep_outcome *kept)
{
	const struct error *err = &kept->err;
	char text[600];

	if (err->code && err->code != f->keeping) {
		snprintf(text, sizeof(text), "%s; the recording goes on", err->text);
		f->opts->say(f->opts->ctx, text);
	}
	if (err->code || !kept->undeleted)
		f->keeping = err->code;
}

/* Takes the next request that is ready; NULL: there are no more. */
static struct request *next_ready(struct flight *f)
{
	struct request *r;

	pthread_mutex_lock(&f->lock);
	while (!f->ready.n && !f->over)
		pthread_cond_wait(&f->more, &f->lock);
	r = request_take(&f->ready);
	pthread_mutex_unlock(&f->lock);
	return r;
}

static uint64_t next_number(void *ctx)
{
	struct flight *f = ctx;
	uint64_t n;

	pthread_mutex_lock(&f->lock);
	n = ++f->last_number;
	pthread_mutex_unlock(&f->lock);
	return n;
}

/* @kept: NULL if the snapshot was not written. */
static void writers_count(struct flight *f, const struct keep_outcome *kept)
{
	pthread_mutex_lock(&f->lock);
	f->taken--;
	f->counts.written += kept != NULL;
	f->counts.failed += !kept;
	if (kept) {
		f->counts.deleted += kept->deleted;
		f->counts.undeleted = kept->undeleted;
	}
	pthread_mutex_unlock(&f->lock);
}

static void writers_settle(struct flight *f, const struct request *r, const struct snapshot *s,
		   const struct error *err)
{
	const struct flight_opts *o = f->opts;
	struct flight_done done = s->done;
	struct keep_outcome kept;

	done.fact = &r->fact;
	if (err->code)
		done.error = err->text;
	pthread_mutex_lock(&f->files);
	if (!err->code)
		keep_add(f->keep, s->name, s->done.bytes + s->beside_bytes, &kept);
	say_outcome(f, err);
	if (!err->code)
		say_kept(f, &kept);
	/* under the lock of files, so that the newest outcome is counted last */
	writers_count(f, err->code ? NULL : &kept);
	if (o->done)
		o->done(o->ctx, &done);
	pthread_mutex_unlock(&f->files);
	if (!err->code)
		exec_run(f->exec, s->done.path);
}

static void write_one(struct flight *f, struct request *r)
{
	struct error err = {0};
	struct snapshot s;

	snapshot_write(&s, f->opts, &f->names, f->history, r, next_number, f, &err);
	history_range_free(f->history, &r->range);
	writers_settle(f, r, &s, &err);
	snapshot_release(&s);
	free(r);
}

static void *write_all_ready(void *ctx)
{
	struct flight *f = ctx;
	struct request *r;

	while ((r = next_ready(f)))
		write_one(f, r);
	return NULL;
}

int writers_start(struct flight *f, struct error *err)
{
	int e = 0;

	while (f->n_writers < WRITERS && !e) {
		e = thread_start(&f->writers[f->n_writers], write_all_ready, f);
		f->n_writers += !e;
	}
	return e ? error_set(err, -e, "cannot start a thread: %s", strerror(e)) : 0;
}

void writers_join(struct flight *f)
{
	while (f->n_writers)
		pthread_join(f->writers[--f->n_writers], NULL);
}
