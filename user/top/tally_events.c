// SPDX-License-Identifier: Apache-2.0
/*
 * tally_events: handles the events that change the state of no goroutine: their effects on Ps, GC,
 * heap, labels and regions. See tally_internal.h.
 */
#include <stdlib.h>
#include <string.h>

#include "read/labels.h"
#include "top/tally_internal.h"

typedef void handler(struct tally *t, struct tap_thread *m, const struct sink_event *e);

/* --- Ps --- */

static void tally_proc_status(struct tally *t, struct tap_thread *m, const struct sink_event *e)
{
	bool has_thread = e->args[1] == P_RUNNING || e->args[1] == P_SYSCALL;

	top_tally_proc_move(t, top_tally_proc(t, e->args[0]), has_thread ? m : NULL);
}

static void tally_proc_start(struct tally *t, struct tap_thread *m, const struct sink_event *e)
{
	top_tally_proc_move(t, top_tally_proc(t, e->args[0]), m);
}

static void tally_proc_stop(struct tally *t, struct tap_thread *m, const struct sink_event *e)
{
	if (m && m->data)
		top_tally_proc_move(t, m->data, NULL);
}

static void tally_proc_steal(struct tally *t, struct tap_thread *m, const struct sink_event *e)
{
	top_tally_proc_move(t, top_tally_proc(t, e->args[0]), NULL);
}

static void tally_procs_change(struct tally *t, struct tap_thread *m, const struct sink_event *e)
{
	t->gomaxprocs = e->args[0];
}

/* --- the program --- */

static void tally_gc_begin(struct tally *t, struct tap_thread *m, const struct sink_event *e)
{
	t->gc_cycles++;
	top_tally_range_begin(&t->gc, t->now);
}

/* A GC was running when the trace or the generation began. */
static void gc_active(struct tally *t, struct tap_thread *m, const struct sink_event *e)
{
	top_tally_range_begin(&t->gc, t->now);
}

static void tally_gc_end(struct tally *t, struct tap_thread *m, const struct sink_event *e)
{
	top_tally_range_end(&t->gc, t->now);
}

static void tally_stw_begin(struct tally *t, struct tap_thread *m, const struct sink_event *e)
{
	const struct sink_text *why = sink_arg_text(e->args[0]);
	bool gc = sink_text_len(why) > 3 && !memcmp(why->bytes, "GC ", 3);

	t->stw_kind = gc ? TOP_HISTOGRAM_STOP_GC : TOP_HISTOGRAM_STOP_OTHER;
	top_tally_range_begin(&t->stw, t->now);
}

static void tally_stw_end(struct tally *t, struct tap_thread *m, const struct sink_event *e)
{
	uint64_t length = top_tally_range_end(&t->stw, t->now);

	t->stw_count++;
	if (length)
		top_histogram_add(&t->histograms[t->stw_kind], TOP_HISTOGRAM_LOW, length);
	if (length > t->stw_longest)
		t->stw_longest = length;
}

static void tally_assist_begin(struct tally *t, struct tap_thread *m, const struct sink_event *e)
{
	if (m && m->go)
		tally_go_of(m->go)->assist = t->now;
}

/* One that had begun before a gap is not counted: its end may be another one's. */
static void tally_assist_end(struct tally *t, struct tap_thread *m, const struct sink_event *e)
{
	uint64_t since = m && m->go ? tally_go_of(m->go)->assist : 0;

	if (m && m->go)
		tally_go_of(m->go)->assist = 0;
	if (!since || since <= t->catch_up || t->in_gap)
		return;
	t->assists++;
	t->assist_ns += t->now - since;
}

static void tally_heap_alloc(struct tally *t, struct tap_thread *m, const struct sink_event *e)
{
	t->heap.bytes = e->args[0];
}

static void tally_heap_goal(struct tally *t, struct tap_thread *m, const struct sink_event *e)
{
	t->heap.goal = e->args[0];
}

/* --- labels and regions --- */

static void tally_user_log(struct tally *t, struct tap_thread *m, const struct sink_event *e)
{
	const struct sink_text *category = sink_arg_text(e->args[1]),
			       *text = sink_arg_text(e->args[2]);
	size_t n = sizeof(LABELS_CATEGORY) - 1;

	if (!m || !m->go || sink_text_len(category) != n ||
	    memcmp(category->bytes, LABELS_CATEGORY, n))
		return;
	free(tally_go_of(m->go)->labels);
	n = sink_text_len(text);
	tally_go_of(m->go)->labels = n ? xstrndup(text->bytes, n) : NULL;
	if (t->opts.by == BY_LABEL)
		top_tally_go_regroup(t, m->go);
}

/*
 * Limits: on the bytes of all names of regions, and on nested regions. Most programs have few of
 * both. Regions with further names share one row.
 */
enum { REGION_BYTES = 1 << 20, DEPTH_MAX = 64 };

static const char *region_name(struct tally *t, const struct sink_text *text)
{
	static const char too_many[] = "(regions beyond 1 MB of names)";
	size_t n = sink_text_len(text);
	const char *known;

	if (strset_size(t->regions) < REGION_BYTES)
		return strset_add(t->regions, text->bytes ? text->bytes : "", n);
	known = strset_find(t->regions, text->bytes ? text->bytes : "", n);
	return known ? known : strset_add(t->regions, too_many, strlen(too_many));
}

static void tally_region_begin(struct tally *t, struct tap_thread *m, const struct sink_event *e)
{
	if (!m || !m->go || tally_go_of(m->go)->regions.len >= DEPTH_MAX)
		return;
	*(const char **)vec_push(&tally_go_of(m->go)->regions, sizeof(char *)) =
		region_name(t, sink_arg_text(e->args[1]));
	if (t->opts.by == BY_REGION)
		top_tally_go_regroup(t, m->go);
}

/* Ends the innermost region with the name of @e. */
static void tally_region_end(struct tally *t, struct tap_thread *m, const struct sink_event *e)
{
	const char *name;
	struct vec *all;
	size_t i;

	if (!m || !m->go)
		return;
	all = &tally_go_of(m->go)->regions;
	name = region_name(t, sink_arg_text(e->args[1]));
	for (i = all->len; i && *vec_at(all, const char *, i - 1) != name; i--)
		;
	if (!i)
		return;
	memmove(vec_at(all, const char *, i - 1), vec_at(all, const char *, i),
		(all->len - i) * sizeof(char *));
	all->len--;
	if (t->opts.by == BY_REGION)
		top_tally_go_regroup(t, m->go);
}

static handler *const handlers[256] = {
	[EV_ProcStatus] = tally_proc_status,
	[EV_ProcStart] = tally_proc_start,
	[EV_ProcStop] = tally_proc_stop,
	[EV_ProcSteal] = tally_proc_steal,
	[EV_ProcsChange] = tally_procs_change,
	[EV_GCBegin] = tally_gc_begin,
	[EV_GCActive] = gc_active,
	[EV_GCEnd] = tally_gc_end,
	[EV_STWBegin] = tally_stw_begin,
	[EV_STWEnd] = tally_stw_end,
	[EV_GCMarkAssistBegin] = tally_assist_begin,
	[EV_GCMarkAssistEnd] = tally_assist_end,
	[EV_HeapAlloc] = tally_heap_alloc,
	[EV_HeapGoal] = tally_heap_goal,
	[EV_UserLog] = tally_user_log,
	[EV_UserRegionBegin] = tally_region_begin,
	[EV_UserRegionEnd] = tally_region_end,
};

void top_tally_event(struct tally *t, const struct sink_event *e, struct tap_thread *m)
{
	handler *h = handlers[e->kind & 0xff];

	if (h && !sink_is_stand_in(e))
		h(t, m, e);
}
