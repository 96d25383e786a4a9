// SPDX-License-Identifier: Apache-2.0
/*
 * ranges: GC cycles, stop-the-world, assists, sweeps, tasks, regions, logs, metrics, samples and
 * losses. Part of perfetto.c, which adds its own visitor before that of this file.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/protobuf.h"
#include "perfetto/internal.h"
#include "read/labels.h"
#include "read/notes.h"

static void note_open(struct perfetto *p, bool open_begin, bool open_end)
{
	if (open_begin)
		perfetto_note(p, NOTE_OPEN_BEGIN, 1);
	if (open_end)
		perfetto_note(p, NOTE_OPEN_END, 1);
}

static void note_id(struct perfetto *p, enum interned_annotation name, uint64_t id)
{
	if (id != TRACEV2_NO_ID)
		perfetto_note(p, name, id);
}

/* --- ranges --- */

/*
 * Returns the lane of a range, and the parent of its tracks in *@parent; NULL: the goroutine of the
 * range has ended.
 */
static struct lane *lane_of(struct perfetto *p, const struct range_span *r, uint64_t *parent)
{
	struct goroutine *g;
	struct place *place;

	if (!strcmp(r->name, "stop-the-world")) {
		*parent = tracks_group(&p->tracks, GROUP_GC);
		return &p->stw;
	}
	switch (r->scope) {
	case RESOURCE_GOROUTINE:
		g = spans_goroutine(p->spans, r->id);
		*parent = perfetto_track(p, r->id);
		return g ? &track_of(p, g)->assist : NULL;
	case RESOURCE_PROC:
		place = places_p(p, r->id);
		*parent = place->track;
		return &place->sweep;
	default:
		*parent = tracks_group(&p->tracks, GROUP_GC);
		return &p->gc;
	}
}

static uint32_t category_of(const struct range_span *r)
{
	if (!strcmp(r->name, "stop-the-world"))
		return CATEGORY_STW;
	return r->scope == RESOURCE_GOROUTINE ? CATEGORY_ASSIST :
	       r->scope == RESOURCE_PROC      ? CATEGORY_SWEEP :
						CATEGORY_GC;
}

static void ranges_on_ranged(void *ctx, const struct range_span *r)
{
	struct perfetto *p = ctx;
	uint64_t parent;
	struct lane *lane = lane_of(p, r, &parent);
	struct packets_event e = { .type = EVENT_BEGIN,
				   .time = r->from,
				   .category = category_of(r) };

	if (!lane)
		return;
	e.track = tracks_lane(&p->tracks, lane, parent, r->name, r->from, r->to);
	e.name = interned_name(&p->interned, r->name);
	e.stack = interned_stack(&p->interned, r->stack);
	if (*r->reason)
		perfetto_note_text(p, NOTE_REASON, r->reason);
	note_id(p, NOTE_GOROUTINE, r->scope == RESOURCE_GOROUTINE ? r->id : r->g);
	if (r->scope == RESOURCE_PROC) {
		perfetto_note(p, NOTE_SWEPT, r->attrs[0]);
		perfetto_note(p, NOTE_RECLAIMED, r->attrs[1]);
	}
	note_open(p, r->open_begin, r->open_end);
	perfetto_slice(p, &e, r->to);
}

/* --- regions and tasks --- */

static struct packets_event region_of(struct perfetto *p, const struct region_span *r,
				      uint64_t track)
{
	struct packets_event e = {
		.type = EVENT_BEGIN, .time = r->from, .category = CATEGORY_REGION, .track = track
	};

	e.name = interned_name(&p->interned, r->type);
	e.stack = interned_stack(&p->interned, r->stack);
	if (r->task)
		perfetto_note(p, NOTE_TASK, r->task);
	return e;
}

static void on_region_begin(void *ctx, const struct region_span *r)
{
	struct perfetto *p = ctx;
	struct go_track *t = track_of(p, r->g);
	struct packets_event e;

	if (!t->regions)
		t->regions = tracks_add(&p->tracks, t->track, "regions");
	e = region_of(p, r, t->regions);
	perfetto_event(p, &e);
}

static void ranges_on_region(void *ctx, const struct region_span *r)
{
	struct perfetto *p = ctx;
	struct go_track *t = track_of(p, r->g);
	struct packets_event e = { .type = EVENT_END, .time = r->to, .track = t->regions };

	if (r->open_begin) {
		e = region_of(p, r,
			      tracks_lane(&p->tracks, &t->old_regions, t->track, "regions", r->from,
					  r->to));
		note_open(p, true, r->open_end);
		perfetto_slice(p, &e, r->to);
		return;
	}
	note_open(p, false, r->open_end);
	perfetto_event(p, &e);
}

/* Returns the first lane that is free at @from. If none is, the last lane gets the slice. */
static struct lane *task_lane(struct perfetto *p, int64_t from)
{
	struct lane *lane = p->tasks;

	while (lane < &p->tasks[TASK_LANES - 1] && lane->track && lane->until > from)
		lane++;
	return lane;
}

static void ranges_on_task(void *ctx, const struct task_span *t)
{
	struct perfetto *p = ctx;
	struct packets_event e = { .type = EVENT_BEGIN,
				   .time = t->from,
				   .category = CATEGORY_TASK };

	e.track = tracks_lane(&p->tracks, task_lane(p, t->from),
			      tracks_group(&p->tracks, GROUP_TASKS), "tasks", t->from, t->to);
	e.name = interned_name(&p->interned, *t->type ? t->type : "(begun before the trace)");
	perfetto_note(p, NOTE_TASK, t->id);
	note_id(p, NOTE_PARENT, t->parent);
	note_id(p, NOTE_GOROUTINE, t->g);
	note_open(p, t->open_begin, t->open_end);
	perfetto_slice(p, &e, t->to);
}

/* --- logs, samples, losses --- */

/*
 * Writes an instant with the name @text, which is not interned since no other event is expected to
 * have it.
 */
static void ranges_put_instant(struct perfetto *p, int64_t time, uint64_t track, uint32_t category,
			       const char *text)
{
	packets_text(&p->more, EVENT_NAME, text);
	perfetto_event(p, &(struct packets_event){ .type = EVENT_INSTANT,
						   .time = time,
						   .track = track,
						   .category = category });
}

static void ranges_on_log(void *ctx, int64_t time, uint64_t g, uint64_t task, const char *category,
			  const char *message)
{
	struct perfetto *p = ctx;
	uint64_t track = perfetto_track(p, g);

	if (!strcmp(category, LABELS_CATEGORY))
		return;
	if (!strcmp(category, NOTES_CATEGORY)) {
		ranges_put_instant(p, time, tracks_group(&p->tracks, GROUP_RECORDING),
				   CATEGORY_LOSS, message);
		return;
	}
	if (*category)
		perfetto_note_text(p, NOTE_CATEGORY, category);
	if (task)
		perfetto_note(p, NOTE_TASK, task);
	ranges_put_instant(p, time, track ? track : tracks_group(&p->tracks, GROUP_TASKS),
			   CATEGORY_LOG, message);
}

static void ranges_on_origin(void *ctx, int64_t time, const char *text)
{
	struct perfetto *p = ctx;

	ranges_put_instant(p, time, tracks_group(&p->tracks, GROUP_RECORDING),
			   CATEGORY_ORIGIN, text);
}

void perfetto_fault(struct perfetto *p, const char *text)
{
	ranges_put_instant(p, spans_last(p->spans), tracks_group(&p->tracks, GROUP_RECORDING),
			   CATEGORY_DAMAGE, text);
}

void perfetto_dropped(struct perfetto *p, int64_t time)
{
	uint64_t names = spans_texts_dropped(p->spans),
		 stacks = stack_set_dropped(spans_stacks(p->spans));
	char text[160];

	if (!names && !stacks)
		return;
	snprintf(text, sizeof(text),
		 "too many names and stacks: %" PRIu64 " names and %" PRIu64
		 " stacks and frames are "
		 "missing",
		 names, stacks);
	ranges_put_instant(p, time, tracks_group(&p->tracks, GROUP_RECORDING), CATEGORY_DAMAGE,
			   text);
}

/*
 * A CPU sample goes to the track of its goroutine; without a goroutine to the track of its thread.
 */
static void on_sample(void *ctx, const struct trace_event *ev, uint32_t stack)
{
	struct perfetto *p = ctx;
	uint64_t track = perfetto_track(p, ev->g);

	if (!track && ev->m != TRACEV2_NO_ID)
		track = places_m(p, ev->m, perfetto_time(p, ev->time))->track;
	if (!track)
		track = p->tracks.process;
	note_id(p, NOTE_P, ev->p);
	note_id(p, NOTE_M, ev->m);
	perfetto_event(p, &(struct packets_event){
				  .type = EVENT_INSTANT,
				  .time = ev->time,
				  .track = track,
				  .category = CATEGORY_SAMPLE,
				  .name = interned_name(&p->interned, "CPU sample"),
				  .stack = interned_stack(&p->interned, stack),
			  });
}

/* --- metrics --- */

/* Returns the track of the metric @name, as "/gc/heap/goal:bytes", and adds it if it is new. */
static uint64_t metric_track(struct perfetto *p, const char *name)
{
	const char *unit = strrchr(name, ':');
	struct metric *m;
	size_t i;

	for (i = 0; i < p->metrics.len; i++) {
		m = vec_at(&p->metrics, struct metric, i);
		if (m->name == name)
			return m->track;
	}
	m = vec_push(&p->metrics, sizeof(*m));
	m->name = name;
	return m->track = tracks_add_counter(
		       &p->tracks, name, unit && !strcmp(unit, ":bytes") ? UNIT_BYTES : UNIT_COUNT,
		       NULL);
}

static void ranges_on_metric(void *ctx, int64_t time, const char *name, uint64_t value)
{
	struct perfetto *p = ctx;

	packets_count(&p->packets, metric_track(p, name), perfetto_time(p, time), value);
}

const struct spans_visitor perfetto_ranges = {
	.range = ranges_on_ranged,
	.region_begin = on_region_begin,
	.region = ranges_on_region,
	.task = ranges_on_task,
	.log = ranges_on_log,
	.origin = ranges_on_origin,
	.sample = on_sample,
	.metric = ranges_on_metric,
};
