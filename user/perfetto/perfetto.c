// SPDX-License-Identifier: Apache-2.0
/*
 * perfetto: see perfetto.h. This file has the states of goroutines and the clocks; places.c,
 * ranges.c and threads.c have the rest.
 */
#include "perfetto/perfetto.h"

#include <stdlib.h>
#include <string.h>

#include "perfetto/internal.h"
#include "read/view.h"
#include "read/wait_text.h"

/* --- goroutines --- */

static uint32_t perfetto_name_of(struct perfetto *p, const struct goroutine *g)
{
	return interned_name(&p->interned, *g->name ? g->name : "goroutine");
}

static void perfetto_on_goroutine(void *ctx, struct goroutine *g)
{
	struct perfetto *p = ctx;

	while (p->goroutines.len <= g->slot)
		vec_push(&p->goroutines, sizeof(struct go_track));
	*track_of(p, g) = (struct go_track){
		.track = tracks_add_goroutine(&p->tracks, g->id, g->name),
		.name = perfetto_name_of(p, g),
		.named = g->named,
	};
	counters_change(&p->counters, COUNTER_GOROUTINES, 1, perfetto_time(p, g->since));
}

static void perfetto_on_goroutine_end(void *ctx, struct goroutine *g, int64_t time, bool ended)
{
	struct perfetto *p = ctx;

	places_leave(p, g, time);
	if (ended)
		counters_change(&p->counters, COUNTER_GOROUTINES, -1, perfetto_time(p, time));
}

/* Writes the name of @g, which became known after its track was written. */
static void name_late(struct perfetto *p, const struct goroutine *g, struct go_track *t)
{
	tracks_name_goroutine(&p->tracks, t->track, g->id, g->name);
	t->name = perfetto_name_of(p, g);
	t->named = true;
}

/* --- states --- */

static const struct {
	uint32_t category;
	const char *name;	/* NULL: the name is the reason */
} states[] = {
	[GO_RUNNABLE] = { CATEGORY_RUNNABLE, "runnable" },
	[GO_RUNNING] = { CATEGORY_RUNNING, "running" },
	[GO_WAITING] = { CATEGORY_WAITING, "waiting" },
	[GO_SYSCALL] = { CATEGORY_SYSCALL, "syscall" },
};

/* Counts the goroutines in a gap: one slice "not recorded" is open while their number is not 0. */
static void count_gap(struct perfetto *p, int step, int64_t time)
{
	static const char name[] = "not recorded";
	struct packets_event e = { .type = EVENT_BEGIN, .time = time, .category = CATEGORY_GAP,
				   .track = tracks_group(&p->tracks, GROUP_RECORDING) };

	if (step < 0)
		e = (struct packets_event){ .type = EVENT_END, .time = time, .track = e.track };
	else if (!p->gaps)
		e.name = interned_name(&p->interned, name);
	p->gaps += (uint64_t)(int64_t)step;
	if (p->gaps == (step > 0))
		perfetto_event(p, &e);
}

/*
 * Writes an instant on the track of the goroutine that woke or created the goroutine of @s, and
 * begins an arrow there. Returns the id of the arrow (flow), or 0: no arrow. An arrow ends at the
 * next event with its id, so all arrows can have one id: different ids would be a tenth of the
 * trace after gzip.
 */
static uint64_t perfetto_put_waker(struct perfetto *p, const struct span *s)
{
	const struct span_edge *by = &s->begin;
	bool creates = by->type == EV_GoCreate || by->type == EV_GoCreateBlocked;
	uint64_t track = by->g == s->g->id ? 0 : perfetto_track(p, by->g);

	if (!by->type || !track)
		return 0;
	perfetto_event(p, &(struct packets_event){
		.type = EVENT_INSTANT, .time = s->from, .track = track, .flow = p->process.pid,
		.category = creates ? CATEGORY_CREATE : CATEGORY_WAKE,
		.name = interned_name(&p->interned, view_event_name(by->type)),
		.stack = interned_stack(&p->interned, by->stack),
	});
	return p->process.pid;
}

static const char *name_of_state(const struct span *s)
{
	return s->state == GO_WAITING && *s->reason ? s->reason : states[s->state].name;
}

static void note_wait(struct perfetto *p, const struct trace_wait *wait)
{
	struct buf text = {0};

	wait_text(&text, wait);
	buf_add_byte(&text, 0);
	perfetto_note_text(p, NOTE_WAITS_FOR, (const char *)text.data);
	buf_free(&text);
}

static void put_begin_notes(struct perfetto *p, const struct span *s)
{
	if (s->wait)
		note_wait(p, s->wait);
	if (s->state != GO_WAITING && *s->reason)
		perfetto_note_text(p, NOTE_REASON, s->reason);
	if (s->state == GO_RUNNING && *s->g->labels)
		perfetto_note_text(p, NOTE_LABELS, s->g->labels);
	if (!s->begin.type)
		perfetto_note(p, NOTE_OPEN_BEGIN, 1);
}

static void put_begin(struct perfetto *p, const struct span *s)
{
	uint64_t flow = perfetto_put_waker(p, s);
	struct packets_event e = {
		.type = EVENT_BEGIN,
		.time = s->from,
		.track = track_of(p, s->g)->track,
		.flow_end = flow,
		.category = s->gap ? CATEGORY_GAP : states[s->state].category,
		.name = interned_name(&p->interned, name_of_state(s)),
	};

	/*
	 * a goroutine begins to run at the stack where it became runnable: its runnable slice
	 * already has this stack
	 */
	if (s->state != GO_RUNNING || !s->begin.type)
		e.stack = interned_stack(&p->interned, s->stack);
	put_begin_notes(p, s);
	perfetto_event(p, &e);
}

static void count_state(struct perfetto *p, const struct span *s, int step, int64_t time)
{
	if (s->state == GO_RUNNABLE)
		counters_change(&p->counters, COUNTER_RUNNABLE, step, perfetto_time(p, time));
	else if (s->state == GO_RUNNING)
		counters_change(&p->counters, COUNTER_RUNNING, step, perfetto_time(p, time));
	if (s->gap)
		count_gap(p, step, time);
}

static void perfetto_on_span_begin(void *ctx, const struct span *s)
{
	struct perfetto *p = ctx;
	struct go_track *t = track_of(p, s->g);

	if (s->g->named && !t->named)
		name_late(p, s->g, t);
	put_begin(p, s);
	if (go_executing(s->state) && s->begin.type)
		places_enter(p, s);
	else
		places_leave(p, s->g, s->from);
	count_state(p, s, 1, s->from);
}

static void perfetto_on_span(void *ctx, const struct span *s)
{
	struct perfetto *p = ctx;

	if (s->state == GO_RUNNING && !s->begin.type)
		places_found(p, s);
	if (s->state == GO_SYSCALL && s->p == TRACEV2_NO_ID)
		perfetto_note(p, NOTE_LOST_P, 0);
	else if (s->p_until != INT64_MAX)
		perfetto_note(p, NOTE_LOST_P, (uint64_t)s->p_until - (uint64_t)s->from);
	if (!s->end.type)
		perfetto_note(p, NOTE_OPEN_END, 1);
	perfetto_event(p, &(struct packets_event){ .type = EVENT_END, .time = s->to,
						   .track = track_of(p, s->g)->track });
	count_state(p, s, -1, s->to);
}

/* --- clocks --- */

/*
 * Is the time so small that sums and differences of times cannot overflow? A damaged trace may have
 * any time.
 */
static bool perfetto_is_time(int64_t time)
{
	return time >= 0 && time < INT64_MAX / 4;
}

/* Does the trace have valid values of both clocks, from which their values at @time follow? */
static bool is_clock(const struct view_sync *sync, int64_t time)
{
	return sync->has_clock && perfetto_is_time(sync->time) &&
	       perfetto_is_time((int64_t)sync->mono_ns) && perfetto_is_time(time) &&
	       time + (int64_t)sync->mono_ns >= sync->time && sync->wall_sec < 1ull << 33 &&
	       sync->wall_nsec < 1000000000;
}

static uint64_t wall_of(const struct view_sync *sync)
{
	return sync->wall_sec * 1000000000 + sync->wall_nsec;
}

/* Returns the clocks at @time, the time of the first event. */
static struct packets_clocks first_clocks(const struct view_sync *sync, int64_t time)
{
	int64_t since = time - sync->time, wall = (int64_t)wall_of(sync) + since;

	return (struct packets_clocks){ CLOCK_MONOTONIC_ID, (int64_t)sync->mono_ns + since,
					wall > 0 ? (uint64_t)wall : 0 };
}

static void perfetto_begin(struct perfetto *p, const struct view_sync *sync, int64_t time)
{
	if (is_clock(sync, time))
		p->clocks = first_clocks(sync, time);
	else
		p->clocks = (struct packets_clocks){ CLOCK_BOOTTIME_ID,
						     perfetto_is_time(time) ? time : 0, 0 };
	p->offset = (int64_t)((uint64_t)p->clocks.time - (uint64_t)time);
	p->began = true;
	packets_begin(&p->packets, p->sink, &p->clocks, p->process.number);
	interned_begin(&p->interned, &p->packets, spans_stacks(p->spans));
	tracks_begin(&p->tracks, &p->packets, &p->process);
	counters_begin(&p->counters, &p->packets, &p->tracks);
}

/* Writes the time of day at the begin of a further generation. */
static void perfetto_go_on(struct perfetto *p, const struct view_sync *sync)
{
	struct packets_clocks now = { CLOCK_MONOTONIC_ID, (int64_t)sync->mono_ns, wall_of(sync) };

	if (!is_clock(sync, sync->time) || p->clocks.clock != now.clock ||
	    now.time <= p->clocks.time || now.wall <= p->clocks.wall)
		return;
	p->clocks = now;
	packets_clocks(&p->packets, &now);
}

static void perfetto_on_event(void *ctx, const struct trace_event *ev)
{
	const struct v2_generation *gen;
	struct perfetto *p = ctx;
	struct view_sync sync;

	if (ev->type != TRACE_SYNC)
		return;
	gen = trace_reader_generation(p->reader);
	sync = view_sync(ev, gen);
	if (!p->began)
		perfetto_begin(p, &sync, ev->time);
	else if (gen)
		perfetto_go_on(p, &sync);
}

/* --- begin and end --- */

static void perfetto_on_end(void *ctx, int64_t time)
{
	struct perfetto *p = ctx;

	counters_end(&p->counters);
	perfetto_dropped(p, time);
}

static struct perfetto *perfetto_new_of(struct spans *s, struct raw_sink *sink,
					const struct perfetto_process *process)
{
	struct perfetto *p = xcalloc(1, sizeof(*p));
	struct spans_visitor states_of = {
		.ctx = p,
		.waits = true,
		.event = perfetto_on_event,
		.goroutine_begin = perfetto_on_goroutine,
		.goroutine_end = perfetto_on_goroutine_end,
		.span_begin = perfetto_on_span_begin,
		.span = perfetto_on_span,
		.proc = places_proc,
		.trace_end = perfetto_on_end,
	};
	struct spans_visitor ranges = perfetto_ranges;

	p->sink = sink;
	p->process = *process;
	p->spans = s;
	ranges.ctx = p;
	idtab_init(&p->ps, sizeof(struct place));
	idtab_init(&p->ms, sizeof(struct place));
	spans_visit(p->spans, &states_of);
	spans_visit(p->spans, &ranges);
	return p;
}

struct perfetto *perfetto_new(struct raw_sink *sink, const struct perfetto_process *process)
{
	return perfetto_new_of(spans_new(), sink, process);
}

struct perfetto *perfetto_new_beside(struct perfetto *with, const struct perfetto_process *process)
{
	return perfetto_new_of(spans_new_beside(with->spans), with->sink, process);
}

int perfetto_read(struct perfetto *p, struct trace_reader *r, struct error *err)
{
	int ret;

	p->reader = r;
	ret = spans_read(p->spans, r, err);
	if (ret && p->began)
		perfetto_fault(p, err->text);
	return ret;
}

struct spans *perfetto_spans(struct perfetto *p)
{
	return p->spans;
}

void perfetto_free(struct perfetto *p)
{
	if (!p)
		return;
	spans_free(p->spans);
	interned_free(&p->interned);
	vec_free(&p->goroutines);
	vec_free(&p->metrics);
	map64_free(&p->others);
	idtab_free(&p->ps);
	idtab_free(&p->ms);
	buf_free(&p->more);
	free(p);
}
