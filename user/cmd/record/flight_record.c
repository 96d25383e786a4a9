// SPDX-License-Identifier: Apache-2.0
/* flight_record: see flight.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/show.h"
#include "cmd/record/flight.h"
#include "cmd/record/signals.h"

/* AFTER_WAITS: s that a snapshot goes on after a fact about a wait */
enum { GEN_BYTES = 16 << 20, PARTS = 4, AFTER_WAITS = 1 };

static uint64_t ns(double seconds)
{
	return (uint64_t)(seconds * 1e9);
}

/* --- messages --- */

static void flight_recording_say(void *ctx, const char *text)
{
	show_printf(stderr, "gotap: %s\n", text);
}

static void say_done(const struct flight_done *d)
{
	char size[SHOW_SIZE];

	show_printf(stderr, "%s: %.2f s, %s; %s%s%s\n", d->path, (double)(d->to - d->from) / 1e9,
		    show_size(d->bytes, size), d->fact->trigger, *d->fact->what ? ": " : "",
		    d->fact->what);
}

static void flight_recording_done(void *ctx, const struct flight_done *d)
{
	struct flight_recording *r = ctx;

	if (d->path && !r->quiet)
		say_done(d);
	socket_done(r->socket, d);
}

/* --- begin --- */

/*
 * Listens for `gotap snap`. If that fails, the signal and triggers still work: it is an error
 * only if the user gave the socket's name.
 */
static int start_socket(struct flight_recording *r, const char *path, struct error *err)
{
	int e = socket_listen(&r->socket, path, r->opts.info->pid, r->flight, err);

	if (!e || path)
		return e;
	show_printf(stderr, "gotap: `gotap snap -p %u` does not reach this recording: %s\n",
		    r->opts.info->pid, err->text);
	*err = (struct error){0};
	return 0;
}

static uint64_t flight_recording_fire(void *ctx, const struct flight_fact *fact)
{
	struct flight_fact copy = *fact;

	copy.hops = FACT_HOPS;
	return flight_trigger(ctx, &copy);
}

static void flight_recording_taken(void *ctx, const struct flight_fact *fact)
{
	struct flight_recording *r = ctx;

	if (r->peers)
		peers_ask(r->peers, fact);
}

/*
 * blocked>T fires while its goroutine still waits. The snapshot has to contain the wake-up, so it
 * goes on for a second. An event such as the end of a GC cycle is over when its trigger fires.
 */
static double flight_after(const struct flight_args *a)
{
	return a->after >= 0 ? a->after : on_lasts(&a->on) ? AFTER_WAITS : 0;
}

int flight_recording_begin(struct flight_recording *r, const struct target *t, struct error *err)
{
	return oom_begin(&r->oom, t, err);
}

int flight_recording_start(struct flight_recording *r, const struct flight_args *a,
			   const struct capture_info *info, bool quiet, struct error *err)
{
	int e;

	r->quiet = quiet;
	r->opts = (struct flight_opts){
		.time = ns(a->time),
		.size = a->size,
		.before = ns(a->before < 0 ? a->time : a->before),
		.after = ns(flight_after(a)),
		.cooldown = ns(a->cooldown),
		.keep = (unsigned int)a->keep,
		.keep_bytes = a->keep_bytes,
		.pattern = a->pattern,
		.exec = a->exec,
		.info = info,
		.say = flight_recording_say,
		.done = flight_recording_done,
		.taken = flight_recording_taken,
		.in_child = signals_restore,
		.ctx = r,
	};
	e = a->peers ? peers_new(&r->peers, a->peers, a->peer_token, flight_recording_say, r,
				 err) :
		       0;
	if (!e)
		e = flight_new(&r->flight, &r->opts, err);
	if (!e)
		e = oom_start(&r->oom, err);
	if (!e)
		r->triggers = on_begin(&a->on, flight_recording_fire, r->flight);
	return e ? e : start_socket(r, a->socket, err);
}

/* --- from the assembler --- */

static void flight_record_written(void *ctx, const struct tracefile_generation *g)
{
	struct flight_recording *r = ctx;
	struct history_losses losses = {0};
	const struct model_counts *c;
	int i;

	if (g->number) {
		c = assembler_counts(r->assembler);
		losses.lost = c->lost;
		losses.unrecorded = c->unrecorded;
		for (i = 0; i < REPAIR_KINDS; i++)
			losses.repairs += c->repairs[i];
	}
	flight_add(r->flight, g, &losses);
}

static void flight_record_dies(void *ctx, const struct rec_user *r)
{
	oom_dies(&((struct flight_recording *)ctx)->oom, r);
}

void flight_recording_opts(struct flight_recording *r, struct assembler_opts *opts)
{
	static const struct observer_ops ops = { .written = flight_record_written,
						 .dies = flight_record_dies };

	observers_add(&opts->observers, &ops, r);
	if (r->triggers)
		triggers_observe(r->triggers, &opts->observers);
	opts->restate = true;
	if (r->opts.size / PARTS < GEN_BYTES)
		opts->gen_bytes = r->opts.size / PARTS;
}

void flight_recording_assembler(struct flight_recording *r, struct assembler *a)
{
	r->assembler = a;
	if (!r->triggers || !a)
		return;
	triggers_threads(r->triggers, assembler_threads(a));
	triggers_losses(r->triggers, &assembler_counts(a)->lost);
}

/* --- while it goes on --- */

static void look_at_signal(struct flight_recording *r)
{
	uint64_t time = signals_snapshot();

	if (time)
		flight_trigger(r->flight, &(struct flight_fact){ .trigger = "signal", .asked = true,
								 .time = time });
}

int flight_recording_step(struct flight_recording *r, struct error *err)
{
	uint64_t seen = assembler_seen(r->assembler);
	char note[FLIGHT_NOTE];
	int e;

	look_at_signal(r);
	flight_gap(r->flight, assembler_in_gap(r->assembler),
		   assembler_counts(r->assembler)->unrecorded);
	while (flight_note(r->flight, seen, note))
		assembler_note(r->assembler, note);
	if (!flight_is_due(r->flight, seen))
		return 0;
	e = assembler_turn(r->assembler, err);
	if (!e)
		flight_turned(r->flight, seen);
	return e == -EAGAIN ? 0 : e;
}

/* --- the end --- */

void flight_recording_last(struct flight_recording *r, struct process *ended, bool watched,
			   uint64_t victim_at)
{
	char note[FLIGHT_NOTE];
	struct flight_fact fact;

	if (!r->flight)
		return;
	look_at_signal(r);
	r->out_of_memory = oom_end(&r->oom, ended, watched, victim_at, &fact);
	if (r->out_of_memory)
		flight_recording_fire(r->flight, &fact);
	while (flight_note(r->flight, UINT64_MAX, note))
		assembler_note(r->assembler, note);
}

void flight_recording_finish(struct flight_recording *r, struct process *ended)
{
	if (!r->flight)
		return;
	look_at_signal(r);
	if (r->triggers && r->assembler) {
		triggers_finish(r->triggers);
		/* one snapshot of the end is enough */
		if (ended && !r->out_of_memory)
			on_ended(r->triggers, ended, assembler_counts(r->assembler)->end);
	}
	flight_finish(r->flight);
	flight_counts(r->flight, &r->counts);
	if (r->peers) {
		peers_wait(r->peers);
		peers_counts(r->peers, &r->asked);
	}
}

void flight_recording_free(struct flight_recording *r)
{
	if (r->flight)
		flight_finish(r->flight);
	socket_close(r->socket);
	flight_free(r->flight);
	peers_close(r->peers);
	triggers_free(r->triggers);
	oom_free(&r->oom);
	*r = (struct flight_recording){0};
}
