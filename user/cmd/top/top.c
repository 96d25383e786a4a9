// SPDX-License-Identifier: Apache-2.0
/*
 * top: `gotap top`: a recording that is looked at while it goes on, and not written. One thread
 * does it all: chunks to the assembler, its events to the tally (top/tally.h), its samples to
 * show.h, which has the terminal and the keys. What could wait for another thread or process does
 * not: the terminal takes frames when it can, snapshots have threads of their own.
 */
#define _GNU_SOURCE
#include "cmd/top/top.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/show.h"
#include "cmd/cmd.h"
#include "cmd/record/signals.h"
#include "cmd/top/show.h"

struct top {
	const struct top_options *o;
	struct target *target;
	struct capture *capture;
	struct assembler *assembler;
	struct tally *tally;
	struct top_meter meter;
	struct unit_live *units;
	struct top_sample *held;		/* of --once: shown when its units are known */
	struct top_snapshots *snapshots;	/* NULL: no terminal, no key */
	uint64_t intervals;
	struct top_show show;
};

/* The tally calls it when an interval has ended. */
static void on_ready(void *ctx, struct top_sample *s)
{
	struct top *t = ctx;
	uint64_t now = now_ns();

	if (t->o->count && t->intervals == t->o->count) {
		top_sample_free(s);
		return;
	}
	t->intervals++;
	s->wall_ns = wall_at(now < s->to ? now : s->to);
	top_meter_read(&t->meter, t->assembler, &s->machine);
	if (t->o->once) {
		t->held = s;
		return;
	}
	if (t->units)
		top_units_read(t->units, &s->units);
	top_show_sample(&t->show, s);
}

/* --- the recording --- */

static int top_cmd_start_assembler(struct top *t, struct error *err)
{
	struct assembler_opts opts = {
		.version = t->o->record.version,
		.info = &t->target->info,
		.symbols = t->target->symbols,
		.alloc_type = alloc_type_name,
		.types = &t->target->types,
		.has_goids = t->target->plan.for_inline,
		.most_goroutines = ASSEMBLER_GOROUTINES,
		.goroutines_fit = target_goroutines_fit,
		.fit_ctx = t->target,
	};
	int r;

	t->tally = top_tally_new(&(struct tally_opts){
		.by = t->o->by, .label = t->o->label,
		.requests = t->o->record.groups & 1u << GROUP_HTTP,
		.interval = (uint64_t)(t->o->interval * 1e9),
		.ready = on_ready, .ctx = t,
	});
	top_tally_observe(t->tally, &opts.observers);
	if (!t->o->brief) {
		t->units = unit_live_new((int64_t)(t->o->interval * 1e9));
		top_units_opts(t->units, &opts);
	}
	if (t->snapshots)
		top_snapshots_opts(t->snapshots, &opts);
	t->show.tally = t->tally;
	t->show.snapshots = t->snapshots;
	r = t->units ? unit_live_start(t->units, err) : 0;
	if (!r)
		r = assembler_new(&t->assembler, -1, &opts, err);
	if (!r && t->snapshots)
		top_snapshots_of(t->snapshots, t->assembler);
	return r;
}

/* Takes the terminal last, so that errors of the other steps are printed as by any command. */
static int top_cmd_start(struct top *t, struct error *err)
{
	struct capture_opts capture = t->o->record.capture;
	int r = 0;

	capture.stop = signals_step();
	if (capture.budget == BUDGET_DEFAULT)
		capture.budget = record_default_budget(&t->target->proc);
	if (top_is_interactive(t->o))
		r = terminal_check(err);
	if (r)
		return r;
	top_show_begin(&t->show, t->o, t->target);
	r = target_fault(t->target,
			 capture_start(&t->capture, &t->target->plan, &t->target->proc,
				       &capture, err),
			 err);
	if (!r && top_is_interactive(t->o))
		r = top_snapshots_start(&t->snapshots, t->o, &t->target->info, err);
	if (!r)
		r = top_cmd_start_assembler(t, err);
	if (r)
		return r;
	top_meter_begin(&t->meter, &t->target->proc, t->capture,
			budget_limits(capture.budget) ? capture.budget : 0);
	return top_is_interactive(t->o) ? top_show_open(&t->show, err) : 0;
}

static bool top_cmd_is_over(const struct top *t)
{
	return t->show.quit || t->show.broken || signals_stop() ||
	       (t->o->count && t->intervals >= t->o->count);
}

static int top_cmd_take_chunk(struct top *t, const struct chunk *c, struct error *err)
{
	int r = assembler_chunk(t->assembler, c, err);

	return !r && t->snapshots ? top_snapshots_step(t->snapshots, err) : r;
}

/*
 * Runs until the capture has ended. Gives the terminal back as soon as the user or a limit ends
 * it.
 */
static int top_cmd_run(struct top *t, struct error *err)
{
	bool asked = false;
	struct chunk *c;
	int r;

	while ((r = capture_next(t->capture, 50, &c)) != -ENODATA) {
		if (r > 0)
			r = top_cmd_take_chunk(t, c, err);
		if (r < 0)
			return r;
		if (top_is_interactive(t->o) && !asked)
			top_show_attend(&t->show);
		if (top_cmd_is_over(t) && !asked) {
			capture_stop(t->capture);
			asked = true;
			top_show_close(&t->show);
		}
		if (signals_give_up())
			return 0;
	}
	return 0;
}

/*
 * With --json the last interval is printed, though it is shorter: else the records since the one
 * before would be in none.
 */
static int top_cmd_finish(struct top *t, struct error *err)
{
	int r = assembler_finish(t->assembler, err);

	if (t->units)
		unit_live_end(t->units);
	if (t->o->json)
		top_tally_finish(t->tally, assembler_counts(t->assembler)->end);
	if (t->held) {
		if (t->units)
			top_units_read(t->units, &t->held->units);
		top_show_sample(&t->show, t->held);
		t->held = NULL;
	}
	return r;
}

static void top_cmd_say_end(const struct top *t)
{
	const struct model_counts *c = assembler_counts(t->assembler);
	const char *why = record_end_text(t->capture);

	if (why)
		show_printf(stderr, "gotap: %s\n", why);
	if (c->lost || c->unrecorded)
		fprintf(stderr, "gotap: %llu records were lost, and %.2f s were not recorded\n",
			(unsigned long long)c->lost, (double)c->unrecorded / 1e9);
}

/* -ENODATA if the recording ended before the first interval did, and nothing was shown. */
static int check_intervals(const struct top *t, struct error *err)
{
	if (t->intervals || top_is_interactive(t->o))
		return 0;
	return error_set(err, -ENODATA, "the recording ended before the first interval of %.3g s",
			 t->o->interval);
}

static int top(const struct top_options *o, struct target *target, struct error *err)
{
	struct top t = { .o = o, .target = target, .show = TOP_SHOW_NONE };
	int r = top_cmd_start(&t, err);

	if (!r)
		r = top_cmd_run(&t, err);
	top_show_close(&t.show);
	if (!r && !signals_give_up())
		r = top_cmd_finish(&t, err);
	top_snapshots_free(t.snapshots);
	if (!r)
		top_cmd_say_end(&t);
	if (!r)
		r = check_intervals(&t, err);
	capture_free(t.capture);
	assembler_free(t.assembler);
	unit_live_free(t.units);
	top_sample_free(t.held);
	top_tally_free(t.tally);
	top_meter_free(&t.meter);
	top_show_free(&t.show);
	return r;
}

int cmd_top(int argc, char **argv)
{
	struct record_files none = { OUTPUT_CLOSED, OUTPUT_CLOSED, OUTPUT_CLOSED,
				     THREAD_FILE_CLOSED };
	struct top_options o;
	struct target *t;
	struct error err = {0};
	int r, status = top_read_options(&o, argc, argv);

	if (status)
		return status - 1;
	t = xcalloc(1, sizeof(*t));
	*t = (struct target)TARGET_CLOSED;
	signals_catch(false);
	r = target_open(t, &o.record, &none, &err);
	if (!r)
		r = top(&o, t, &err);
	target_close(t);
	free(t);
	return r ? cmd_fail(&err) : EXIT_OK;
}
