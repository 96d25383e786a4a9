// SPDX-License-Identifier: Apache-2.0
/* flight: see flight.h. */
#define _GNU_SOURCE
#include "flight/flight.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/vec.h"
#include "flight/internal.h"
#include "proc/privilege.h"

enum {
	WAITING = 16,	/* most requests that wait until the time after their fact has passed */
	/*
	 * the part of these that triggers leave free for users' requests and the end of the program
	 */
	ASKED = 4,
	/*
	 * most requests that are being written: each holds generations in memory while the disk is
	 * slow
	 */
	TAKEN = 4,
};

/*
 * The history keeps so much more than asked for: time passes between a fact and the end of its
 * generation.
 */
static const uint64_t SLACK_NS = 1000000000;

/*
 * The end of the recording waits this long for commands of --exec that still run, or have not
 * begun.
 */
static const uint64_t EXEC_NS = 10000000000;

/* --- messages --- */

static void flight_say(void *ctx, const char *text)
{
	struct flight *f = ctx;

	pthread_mutex_lock(&f->files);
	f->opts->say(f->opts->ctx, text);
	pthread_mutex_unlock(&f->files);
}

/* --- triggers --- */

/* Has an incident of this id been here? The caller holds the lock. */
static bool flight_has_seen(const struct flight *f, const char *id)
{
	uint64_t i;

	for (i = 0; *id && i < SEEN && i < f->n_seen; i++)
		if (!strcmp(f->seen[i], id))
			return true;
	return false;
}

static enum flight_refusal flight_refuses(const struct flight *f, const struct flight_fact *fact,
					  uint64_t time)
{
	unsigned int room = fact->asked ? WAITING : WAITING - ASKED;

	if (f->over)
		return FLIGHT_OVER;
	if (flight_has_seen(f, fact->id))
		return FLIGHT_SEEN;
	if (!fact->asked && time < f->cooled)
		return FLIGHT_COOLS;
	return f->waiting.n + f->taken >= room ? FLIGHT_BUSY : FLIGHT_TAKEN;
}

/* A new incident has an id that no other host gives. */
static void flight_name_incident(struct flight *f, struct flight_fact *fact)
{
	uint64_t random[2] = { f->last_id, now_ns() };

	if (!*fact->id) {
		while (getrandom(random, sizeof(random), 0) < 0 && errno == EINTR)
			;
		snprintf(fact->id, sizeof(fact->id), "%016llx%016llx",
			 (unsigned long long)random[0], (unsigned long long)random[1]);
	}
	memcpy(f->seen[f->n_seen++ % SEEN], fact->id, FACT_ID);
}

static struct request *request_new(struct flight *f, const struct flight_fact *fact, uint64_t time,
				   uint64_t wall)
{
	const struct flight_opts *o = f->opts;
	struct request *r = xcalloc(1, sizeof(*r));

	r->fact = *fact;
	r->fact.time = time;
	r->wall = wall;
	r->from = time > o->before ? time - o->before : 0;
	r->to = time + o->after;
	r->refused = f->refused;
	f->refused = 0;
	return r;
}

uint64_t flight_trigger_why(struct flight *f, const struct flight_fact *fact,
			    enum flight_refusal *why)
{
	uint64_t now = now_ns(), time = fact->time && fact->time < now ? fact->time : now;
	uint64_t wall = wall_at(time), id = 0;
	struct flight_fact taken;
	struct request *r;

	pthread_mutex_lock(&f->lock);
	*why = flight_refuses(f, fact, time);
	if (*why) {
		f->refused += *why != FLIGHT_SEEN;
		f->counts.refused += *why != FLIGHT_SEEN;
	} else {
		r = request_new(f, fact, time, wall);
		r->id = id = ++f->last_id;
		flight_name_incident(f, &r->fact);
		taken = r->fact;
		request_put(&f->waiting, r);
		if (!fact->asked)
			f->cooled = time + f->opts->cooldown;
	}
	pthread_mutex_unlock(&f->lock);
	if (id && f->opts->taken)
		f->opts->taken(f->opts->ctx, &taken);
	return id;
}

uint64_t flight_trigger(struct flight *f, const struct flight_fact *fact)
{
	enum flight_refusal why;

	return flight_trigger_why(f, fact, &why);
}

/* --- the recording --- */

void flight_add(struct flight *f, const struct tracefile_generation *g,
		const struct history_losses *losses)
{
	struct error err;
	int r;

	if (!g->number) {
		history_header(f->history, g->parts[0].data, g->parts[0].n);
		return;
	}
	r = history_add(f->history, g, losses, &err);
	if (r && !f->no_memory)
		flight_say(f, err.text);
	f->no_memory = r;
}

/* Appends where the fact was and when: the report of the snapshot looks there (unit/snapshot.h). */
static void flight_put_place(const struct flight_fact *fact, char *text, size_t size)
{
	bool thread = !fact->g && fact->m;

	if (fact->since && fact->until > fact->since && (fact->g || fact->m))
		snprintf(text, size, "; of %s %llu from %llu to %llu",
			 thread ? "thread" : "goroutine",
			 (unsigned long long)(thread ? fact->m : fact->g),
			 (unsigned long long)fact->since, (unsigned long long)fact->until);
}

bool flight_note(struct flight *f, uint64_t seen, char text[static FLIGHT_NOTE])
{
	struct request *r;

	pthread_mutex_lock(&f->lock);
	for (r = f->waiting.first; r && (r->noted || r->fact.time > seen); r = r->next)
		;
	if (r) {
		r->noted = true;
		snprintf(text, FLIGHT_NOTE, "snapshot: %.40s%s%.100s", r->fact.trigger,
			 *r->fact.what ? ": " : "", r->fact.what);
		flight_put_place(&r->fact, text + strlen(text), FLIGHT_NOTE - strlen(text));
	}
	pthread_mutex_unlock(&f->lock);
	return r;
}

void flight_gap(struct flight *f, bool open, uint64_t unrecorded)
{
	pthread_mutex_lock(&f->lock);
	f->in_gap = open;
	f->unrecorded = unrecorded;
	pthread_mutex_unlock(&f->lock);
}

/*
 * Returns whether the time of the fact is in a gap, which follows the last generation that begins
 * before the fact. The gap may be over by now; the generations after it do not show the fact. The
 * caller holds the lock.
 */
static bool is_unrecorded(const struct flight *f, const struct request *r)
{
	const struct history_range *range = &r->range;
	uint64_t time = r->fact.time;
	size_t n = 0;

	while (n < range->n && range->gens[n]->from <= time)
		n++;
	if (!n || time <= range->gens[n - 1]->to + HISTORY_ROUNDING_NS)
		return false;
	if (n < range->n)
		return range->gens[n]->losses.unrecorded > range->gens[n - 1]->losses.unrecorded;
	return f->in_gap || f->unrecorded > range->gens[n - 1]->losses.unrecorded;
}

/*
 * Returns whether all that the request wants is in the trace, with its note: flight_note() returns
 * the note once.
 */
static bool flight_is_whole(const struct request *r, uint64_t seen)
{
	return r->noted && r->to <= seen;
}

bool flight_is_due(struct flight *f, uint64_t seen)
{
	struct request *r;

	pthread_mutex_lock(&f->lock);
	for (r = f->waiting.first; r && !flight_is_whole(r, seen); r = r->next)
		;
	if (f->taken >= TAKEN)
		r = NULL;
	pthread_mutex_unlock(&f->lock);
	return r;
}

/*
 * For a request that came while gotap ended the recording: moves its fact to the end of the
 * recording, if the fact is later.
 */
static void end_at(struct request *r, uint64_t end)
{
	uint64_t late = r->fact.time > end ? r->fact.time - end : 0;

	r->fact.time -= late;
	r->from -= r->from < late ? r->from : late;
	r->wall -= late;
	r->to -= late;
}

/*
 * Passes requests to the writers, at most TAKEN at a time: those that end at @seen or before; all,
 * if the recording is over. The caller holds the lock.
 */
static void hand_over(struct flight *f, uint64_t seen)
{
	struct request_queue rest = {0};
	struct request *r;

	while ((r = request_take(&f->waiting))) {
		if (!f->over && (!flight_is_whole(r, seen) || f->taken >= TAKEN)) {
			request_put(&rest, r);
			continue;
		}
		if (f->over && seen)
			end_at(r, seen);
		r->cut = f->over && r->to > seen + HISTORY_ROUNDING_NS;
		history_take(f->history, r->from, r->to, &r->range);
		r->unknown = is_unrecorded(f, r);
		request_put(&f->ready, r);
		f->taken++;
		pthread_cond_signal(&f->more);
	}
	f->waiting = rest;
}

void flight_turned(struct flight *f, uint64_t seen)
{
	pthread_mutex_lock(&f->lock);
	hand_over(f, seen);
	pthread_mutex_unlock(&f->lock);
}

/* --- begin and end --- */

static uint64_t kept_time(const struct flight_opts *o)
{
	uint64_t needed = o->before + o->after;

	return (o->time > needed ? o->time : needed) + SLACK_NS;
}

static int flight_begin(struct flight *f, struct error *err)
{
	const struct flight_opts *o = f->opts;
	int r;

	/* folders on the way to the snapshots may belong to another user */
	privilege_raise_files();
	r = naming_parse(&f->names, o->pattern, o->info, err);
	privilege_lower_files();
	if (r)
		return r;
	f->history = history_new(kept_time(o), o->size);
	f->keep = keep_new(&f->names, o->keep, o->keep_bytes);
	keep_adopt(f->keep);
	if (o->exec)
		r = exec_new(&f->exec, o->exec, o->in_child, flight_say, f, err);
	return r ? r : writers_start(f, err);
}

int flight_check(const char *pattern, struct error *err)
{
	static const struct capture_info nobody = { .exe = "program", .pid = UINT32_MAX };
	struct naming names;
	int r = naming_parse(&names, pattern, &nobody, err);

	if (!r && faccessat(AT_FDCWD, names.folder, W_OK | X_OK, AT_EACCESS))
		r = error_set(err, -errno, "cannot write snapshots to '%s': %s", names.folder,
			      strerror(errno));
	if (!r)
		privilege_reserve_folder(names.folder);
	naming_free(&names);
	return r;
}

int flight_new(struct flight **ret, const struct flight_opts *opts, struct error *err)
{
	struct flight *f = xcalloc(1, sizeof(*f));
	int r;

	f->opts = opts;
	pthread_mutex_init(&f->lock, NULL);
	pthread_mutex_init(&f->files, NULL);
	pthread_cond_init(&f->more, NULL);
	r = flight_begin(f, err);
	if (r)
		flight_free(f);
	else
		*ret = f;
	return r;
}

void flight_finish(struct flight *f)
{
	struct history_usage usage;

	history_usage(f->history, &usage);
	pthread_mutex_lock(&f->lock);
	f->over = true;
	hand_over(f, usage.to);
	pthread_cond_broadcast(&f->more);
	pthread_mutex_unlock(&f->lock);
	writers_join(f);
	if (!f->exec)
		return;
	f->counts.not_run = exec_free(f->exec, EXEC_NS);
	f->exec = NULL;
}

void flight_counts(struct flight *f, struct flight_counts *ret)
{
	pthread_mutex_lock(&f->lock);
	*ret = f->counts;
	pthread_mutex_unlock(&f->lock);
	ret->not_run = f->exec ? exec_missed(f->exec) : ret->not_run;
	history_usage(f->history, &ret->usage);
}

void flight_free(struct flight *f)
{
	if (!f)
		return;
	if (f->history)
		flight_finish(f);
	history_free(f->history);
	keep_free(f->keep);
	naming_free(&f->names);
	pthread_mutex_destroy(&f->lock);
	pthread_mutex_destroy(&f->files);
	pthread_cond_destroy(&f->more);
	free(f);
}
