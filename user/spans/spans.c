// SPDX-License-Identifier: Apache-2.0
/*
 * spans: see spans.h. This file has the loop over the events, and the visitors. Events go to
 * goroutines.c, procs.c, ranges.c and logs.c.
 */
#include "spans/spans.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "spans/internal.h"

/* --- the loop --- */

static void spans_enter(struct spans *s, const struct trace_event *ev, struct trace_reader *r)
{
	const struct v2_generation *gen = trace_reader_generation(r);
	struct view_sync sync = view_sync(ev, gen);

	s->sync = ev->time;
	if (sync.has_clock)
		s->wall_now = (int64_t)(sync.wall_sec * 1000000000 + sync.wall_nsec -
					sync.mono_ns);
	names_enter(&s->names, gen ? &gen->tables : NULL);
}

static void spans_other(struct spans *s, const struct trace_event *ev)
{
	enum view_kind kind = view_kind(ev);

	switch (kind) {
	case VIEW_RANGE_BEGIN:
	case VIEW_RANGE_ACTIVE:
	case VIEW_RANGE_END:
		spans_range(s, ev, kind);
		break;
	case VIEW_REGION_BEGIN:
	case VIEW_REGION_END:
		spans_region(s, ev, kind == VIEW_REGION_BEGIN);
		break;
	case VIEW_TASK_BEGIN:
	case VIEW_TASK_END:
		spans_task(s, ev, kind == VIEW_TASK_BEGIN);
		break;
	case VIEW_METRIC:
		SHOW(s, metric, ev->time, view_specs[ev->type].name, ev->args[0]);
		break;
	case VIEW_LOG:
		spans_log(s, ev);
		break;
	default:
		break;
	}
}

static void spans_take(struct spans *s, const struct trace_event *ev)
{
	SHOW(s, event, ev);
	switch (event_changes[ev->type].of) {
	case RESOURCE_GOROUTINE:
		spans_transition(s, ev);
		break;
	case RESOURCE_PROC:
		spans_proc(s, ev);
		break;
	default:
		spans_other(s, ev);
	}
}

static void spans_take_clock(struct spans *s, const struct trace_event *ev, struct trace_reader *r)
{
	struct view_sync sync = {0};

	if (ev->type == TRACE_SYNC)
		sync = view_sync(ev, trace_reader_generation(r));
	s->has_wall = sync.has_clock;
	s->wall = (int64_t)(sync.wall_sec * 1000000000 + sync.wall_nsec - sync.mono_ns);
	s->wall_now = s->wall;
}

static void spans_next(struct spans *s, const struct trace_event *ev, struct trace_reader *r)
{
	if (!s->began) {
		s->began = true;
		s->first = s->last = s->sync = ev->time;
		spans_take_clock(s, ev, r);
		SHOW(s, trace_begin, ev->time);
	}
	s->last = ev->time;
	if (ev->type == TRACE_SYNC)
		spans_enter(s, ev, r);
	if (ev->type == EV_CPUSample)
		SHOW(s, sample, ev, names_stack(&s->names, view_stack(ev)));
	else
		spans_take(s, ev);
}

/* --- reading --- */

/* Ends everything that is open, with the trace. Open spans end in no particular order. */
static void end_all(struct spans *s)
{
	spans_goroutines_end(s);
	spans_procs_end(s);
	spans_end_ranges(s, &s->program_ranges, s->last);
	spans_tasks_end(s);
	SHOW(s, trace_end, s->last);
}

/* Slots count from 1 again, since only the records of these tables have slots. */
static void free_tables(struct spans *s)
{
	spans_goroutines_free(s);
	spans_procs_free(s);
	idtab_free(&s->tasks);
}

static void init_tables(struct spans *s)
{
	idtab_init(&s->goroutines, sizeof(struct goroutine));
	idtab_init(&s->procs, sizeof(struct proc));
	idtab_init(&s->threads, sizeof(struct thread));
	idtab_init(&s->tasks, sizeof(struct task));
	s->began = s->stopped = false;
	s->program_ranges.len = 0;
}

static void spans_begin_reading(struct spans *s, struct trace_reader *r)
{
	free_tables(s);
	init_tables(s);
	s->reader = r;
}

static void spans_end_reading(struct spans *s)
{
	if (s->began)
		end_all(s);
	names_enter(&s->names, NULL);
}

/* Takes the events of @b up to @time. */
static void spans_beside_up_to(struct spans_beside *b, int64_t time)
{
	int ret;

	while (!b->over) {
		if (b->next && b->next->time > time)
			return;
		if (b->next)
			spans_next(b->s, b->next, b->reader);
		b->next = NULL;
		ret = trace_reader_next(b->reader, &b->next);
		b->over = ret <= 0;
		if (ret < 0)
			trace_reader_stopped(b->reader, &b->fault);
	}
}

int spans_read_beside(struct spans *s, struct trace_reader *r, struct spans_beside *others,
		      size_t n, struct error *err)
{
	const struct trace_event *ev;
	int ret = 0;
	size_t i;

	spans_begin_reading(s, r);
	for (i = 0; i < n; i++)
		spans_begin_reading(others[i].s, others[i].reader);
	while (!s->stopped && (ret = trace_reader_next(r, &ev)) > 0) {
		for (i = 0; i < n; i++)
			spans_beside_up_to(&others[i], ev->time);
		spans_next(s, ev, r);
	}
	spans_end_reading(s);
	for (i = 0; i < n; i++)
		spans_end_reading(others[i].s);
	return ret < 0 ? trace_reader_stopped(r, err) : 0;
}

int spans_read(struct spans *s, struct trace_reader *r, struct error *err)
{
	return spans_read_beside(s, r, NULL, 0, err);
}

void spans_stop(struct spans *s)
{
	s->stopped = true;
}

/* --- functions for visitors --- */

bool spans_wall(const struct spans *s, int64_t *ret)
{
	*ret = s->wall;
	return s->has_wall;
}

bool spans_wall_now(const struct spans *s, int64_t *ret)
{
	*ret = s->wall_now;
	return s->has_wall;
}

int64_t spans_first(const struct spans *s)
{
	return s->first;
}

int64_t spans_last(const struct spans *s)
{
	return s->last;
}

uint32_t spans_slots(const struct spans *s)
{
	return s->slots + 1;
}

uint32_t spans_stack(struct spans *s, uint64_t id)
{
	return names_stack(&s->names, id);
}

const char *spans_string(struct spans *s, uint64_t id)
{
	return names_string(&s->names, id);
}

const char *spans_text(struct spans *s, const char *text, size_t n)
{
	return names_text(&s->names, text, n);
}

uint64_t spans_texts_dropped(const struct spans *s)
{
	return s->names.dropped;
}

struct stack_set *spans_stacks(struct spans *s)
{
	return s->names.stacks;
}

/* --- frames --- */

/* Packages of the standard library have no dot in the first element of their path. */
static bool spans_is_library(const char *func)
{
	static const char main_package[] = "main.";
	size_t slash = strcspn(func, "/"), dot = strcspn(func, ".");

	if (!strncmp(func, main_package, sizeof(main_package) - 1))
		return false;
	return !func[slash] || dot > slash;
}

uint32_t spans_own_frame(struct spans *s, uint32_t stack)
{
	const struct stack_frame *f;
	uint32_t i;

	for (i = 0; (f = stack_set_at(spans_stacks(s), stack, i)); i++)
		if (!spans_is_library(f->func))
			return i;
	return 0;
}

/* --- begin and end --- */

static struct spans *spans_new_of(struct spans *s)
{
	s->gap = names_text(&s->names, SPANS_GAP, strlen(SPANS_GAP));
	s->stand_in = names_text(&s->names, SPANS_STAND_IN, strlen(SPANS_STAND_IN));
	init_tables(s);
	return s;
}

struct spans *spans_new(void)
{
	struct spans *s = xcalloc(1, sizeof(*s));

	names_init(&s->names);
	return spans_new_of(s);
}

struct spans *spans_new_beside(const struct spans *with)
{
	struct spans *s = xcalloc(1, sizeof(*s));

	names_share(&s->names, &with->names);
	return spans_new_of(s);
}

void spans_visit(struct spans *s, const struct spans_visitor *visitor)
{
	*(struct spans_visitor *)vec_push(&s->visitors, sizeof(*visitor)) = *visitor;
	s->waits |= visitor->waits;
}

void spans_leave(struct spans *s, const void *ctx)
{
	struct spans_visitor *v = s->visitors.data;
	size_t i, kept = 0;

	for (i = 0; i < s->visitors.len; i++)
		if (v[i].ctx != ctx)
			v[kept++] = v[i];
	s->visitors.len = kept;
}

void spans_free(struct spans *s)
{
	if (!s)
		return;
	free_tables(s);
	vec_free(&s->program_ranges);
	vec_free(&s->visitors);
	buf_free(&s->message);
	names_free(&s->names);
	free(s);
}
