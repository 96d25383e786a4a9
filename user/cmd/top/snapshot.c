// SPDX-License-Identifier: Apache-2.0
/*
 * snapshot: the key s of `gotap top`. Owns a flight recording (user/flight), which keeps the last
 * seconds and writes them, and its last message: threads of the flight recording store it, and
 * the session takes it for the screen. See top.h.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/show.h"
#include "base/vec.h"
#include "cmd/record/signals.h"
#include "cmd/top/top.h"

enum { SIZE = 128 << 20 };	/* of what is kept */

struct top_snapshots {
	struct flight_opts opts;
	struct flight *flight;
	struct assembler *assembler;
	pthread_mutex_t lock;	/* of the rest */
	char text[512];
	bool said;
};

static void top_snapshot_say(void *ctx, const char *text)
{
	struct top_snapshots *s = ctx;

	pthread_mutex_lock(&s->lock);
	snprintf(s->text, sizeof(s->text), "%s", text);
	s->said = true;
	pthread_mutex_unlock(&s->lock);
}

static void top_snapshot_done(void *ctx, const struct flight_done *d)
{
	char text[512], size[SHOW_SIZE];

	if (d->path)
		snprintf(text, sizeof(text), "%s: %.2f s, %s", d->path,
			 (double)(d->to - d->from) / 1e9, show_size(d->bytes, size));
	else
		snprintf(text, sizeof(text), "no snapshot: %s", d->error);
	top_snapshot_say(ctx, text);
}

int top_snapshots_start(struct top_snapshots **ret, const struct top_options *o,
			const struct capture_info *info, struct error *err)
{
	struct top_snapshots *s = xcalloc(1, sizeof(*s));
	uint64_t time = (uint64_t)(o->flight * 1e9);
	int r;

	pthread_mutex_init(&s->lock, NULL);
	s->opts = (struct flight_opts){
		.time = time,
		.size = SIZE,
		.before = time,
		.pattern = o->pattern,
		.info = info,
		.say = top_snapshot_say,
		.done = top_snapshot_done,
		.in_child = signals_restore,
		.ctx = s,
	};
	r = flight_new(&s->flight, &s->opts, err);
	if (!r) {
		*ret = s;
		return 0;
	}
	pthread_mutex_destroy(&s->lock);
	free(s);
	return r;
}

static void snapshot_written(void *ctx, const struct tracefile_generation *g)
{
	struct top_snapshots *s = ctx;
	struct history_losses losses = {0};
	const struct model_counts *c;
	int i;

	if (g->number) {
		c = assembler_counts(s->assembler);
		losses.lost = c->lost;
		losses.unrecorded = c->unrecorded;
		for (i = 0; i < REPAIR_KINDS; i++)
			losses.repairs += c->repairs[i];
	}
	flight_add(s->flight, g, &losses);
}

void top_snapshots_opts(struct top_snapshots *s, struct assembler_opts *opts)
{
	static const struct observer_ops ops = { .written = snapshot_written };

	observers_add(&opts->observers, &ops, s);
	opts->restate = true;
}

void top_snapshots_ask(struct top_snapshots *s, char *text, size_t n)
{
	const struct flight_fact fact = { .trigger = "key", .asked = true,
					  .what = "key s of gotap top" };

	snprintf(text, n, flight_trigger(s->flight, &fact) ? "the snapshot is being written" :
		 "no snapshot: too many are being written");
}

void top_snapshots_of(struct top_snapshots *s, struct assembler *a)
{
	s->assembler = a;
}

int top_snapshots_step(struct top_snapshots *s, struct error *err)
{
	uint64_t seen = assembler_seen(s->assembler);
	char note[FLIGHT_NOTE];
	int r;

	flight_gap(s->flight, assembler_in_gap(s->assembler),
		   assembler_counts(s->assembler)->unrecorded);
	while (flight_note(s->flight, seen, note))
		assembler_note(s->assembler, note);
	if (!flight_is_due(s->flight, seen))
		return 0;
	r = assembler_turn(s->assembler, err);
	if (!r)
		flight_turned(s->flight, seen);
	return r == -EAGAIN ? 0 : r;
}

bool top_snapshots_said(struct top_snapshots *s, char *text, size_t n)
{
	bool said;

	pthread_mutex_lock(&s->lock);
	said = s->said;
	s->said = false;
	if (said)
		snprintf(text, n, "%s", s->text);
	pthread_mutex_unlock(&s->lock);
	return said;
}

void top_snapshots_free(struct top_snapshots *s)
{
	char text[512];

	if (!s)
		return;
	flight_finish(s->flight);
	if (top_snapshots_said(s, text, sizeof(text)))
		show_printf(stderr, "gotap: %s\n", text);
	flight_free(s->flight);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
