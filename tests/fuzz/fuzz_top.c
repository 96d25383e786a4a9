// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_top: the events of a trace of any bytes, counted by the tally of `gotap top`, and each
 * sample drawn on a screen and written as JSON. No goroutine has been in its states for longer than
 * the interval, and no control character of the trace reaches the terminal.
 *
 * The input begins with four bytes: how rows are grouped and sorted, the interval, the size of the
 * screen, and a key.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <string.h>

#include "rewrite/replay.h"
#include "rewrite/stackkeys.h"
#include "top/json.h"
#include "top/tally.h"
#include "top/view.h"

enum { HEAD = 4, SAMPLES = 64, JUMP = 4 };

struct shown {
	struct observers observers;	/* first: the other functions of their sink get this address */
	const uint8_t *head;
	struct tally *tally;
	struct screen *screen;
	struct ui ui;
	struct view view;
	unsigned int samples;
	struct sink tally_sink;
	uint64_t interval, last, skew;
};

static void look_at_text(const char *text, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		must((uint8_t)text[i] >= ' ' || text[i] == '\n', "no control character is shown");
}

static void show_as_text(struct shown *s, const struct top_sample *sample)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	view_draw(&s->view, s->screen, &s->ui, sample);
	screen_print(s->screen, f);
	top_json(&s->view, &s->ui, sample, f);
	fclose(f);
	look_at_text(text, n);
	free(text);
}

static void look_at_sums(const struct top_sample *sample)
{
	struct top_numbers sum = {0};
	unsigned int state;
	size_t i;

	must(sample->from <= sample->to, "an interval ends after it begins");
	for (i = 0; i < sample->rows.len; i++)
		for (state = 0; state < TOP_STATES; state++)
			sum.now[state] += vec_at(&sample->rows, struct top_row, i)->n.now[state];
	for (state = 0; state < TOP_STATES; state++)
		must(sum.now[state] == sample->all.now[state], "each goroutine is in one row");
}

static void on_ready(void *ctx, struct top_sample *sample)
{
	struct shown *s = ctx;
	struct buf out = {0};

	if (s->samples++ < SAMPLES) {
		look_at_sums(sample);
		top_tally_places(s->tally, sample);
		ui_arrange(&s->ui, sample);
		ui_key(&s->ui, s->head[3], sample);
		ui_arrange(&s->ui, sample);
		show_as_text(s, sample);
		screen_flush(s->screen, &out);
	}
	buf_free(&out);
	top_sample_free(sample);
}

/* Records are not later than the clock, so that few intervals pass between two of them. */
static void on_event(void *ctx, const struct sink_event *e)
{
	struct shown *s = ctx;
	struct sink_event now = *e;
	uint64_t most = s->last + JUMP * s->interval;

	now.time -= s->skew;
	if (s->last && now.time > most) {
		s->skew += now.time - most;
		now.time = most;
	}
	s->last = now.time;
	s->tally_sink.ops->event(s->tally_sink.ctx, &now);
}

static void count_trace(struct shown *s, const uint8_t *data, size_t size)
{
	struct replay *p = replay_new(false);
	struct rewrite_result result = {0};
	struct raw_source source;
	struct sink_ops ops;
	struct error err;

	top_tally_observe(s->tally, &s->observers);
	observers_begin(&s->observers, stackkeys_frames, NULL);
	s->tally_sink = observers_sink(&s->observers);
	ops = *s->tally_sink.ops;
	ops.event = on_event;
	source_open_memory(&source, data, size);
	(void)replay_run(p, &source, (struct sink){ .ops = &ops, .ctx = s }, &result, &err);
	top_tally_finish(s->tally, s->last);
	replay_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shown s = {
		.head = data,
		.view = { .program = "program", .pid = 1, .go_version = "go1.27", .keys = true },
	};
	struct tally_opts opts = { .ready = on_ready, .ctx = &s };

	if (size <= HEAD)
		return 0;
	opts.by = data[0] % GROUP_BYS;
	s.interval = opts.interval = 1ULL << data[1] % 40;
	s.ui.sort = data[0] / GROUP_BYS % COLUMNS;
	s.screen = screen_new(data[2] & 1, data[2] & 2);
	screen_resize(s.screen, data[2] >> 2, 4 * (data[2] >> 2));
	s.tally = top_tally_new(&opts);
	s.view.frames = stackkeys_frames;
	top_tally_want_places(s.tally, NULL, SIZE_MAX);
	count_trace(&s, data + HEAD, size - HEAD);
	top_tally_free(s.tally);
	screen_free(s.screen);
	ui_free(&s.ui);
	return 0;
}
