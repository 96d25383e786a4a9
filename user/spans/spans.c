// SPDX-License-Identifier: Apache-2.0
/*
 * spans: see spans.h. This file has the goroutines and the loop over the events; ranges.c and
 * procs.c have the ranges and the Ps.
 */
#include "spans/spans.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "read/labels.h"
#include "read/func.h"
#include "read/http.h"
#include "read/notes.h"
#include "read/alloc.h"
#include "read/origin.h"
#include "spans/internal.h"

static const struct span_edge no_edge = { .g = TRACEV2_NO_ID,
					  .p = TRACEV2_NO_ID,
					  .m = TRACEV2_NO_ID };

static struct span_edge edge_of(struct spans *s, const struct trace_event *ev)
{
	return (struct span_edge){ ev->type, ev->g, ev->p, ev->m,
				   names_stack(&s->names, view_stack(ev)) };
}

/* --- goroutines --- */

/*
 * Adds a goroutine with an id that no live goroutine has. The new one gets the record and the slot
 * of a goroutine that has ended, if such a record is free.
 */
static struct goroutine *spans_add(struct spans *s, uint64_t id)
{
	/*
	 * spans_goroutine() never finds TRACEV2_NO_ID: the table may already have a record for it
	 */
	struct goroutine *g = id == TRACEV2_NO_ID ? idtab_find(&s->goroutines, id) : NULL;
	uint32_t slot;

	if (!g)
		g = idtab_add(&s->goroutines, id);
	slot = g->slot ? g->slot : ++s->slots;
	*g = (struct goroutine){
		.id = id, .slot = slot, .alive = true, .labels = "",
		.name = id ? "" : s->stand_in, .named = !id,
		.creator = TRACEV2_NO_ID, .ranges = g->ranges, .regions = g->regions,
		.wait = g->wait,
	};
	return g;
}

/* Names @g after the function at the root of its first stack, as Go's Summarizer does. */
static void name_it(struct spans *s, struct goroutine *g, uint32_t stack)
{
	const struct stack_frame *root = stack_set_root(s->names.stacks, stack);

	if (!root || !g->id)
		return;
	g->name = root->func;
	g->named = true;
}

bool spans_is_system(const char *name)
{
	return (!strncmp(name, "runtime.", 8) && strcmp(name, "runtime.main")) ||
	       !strcmp(name, SPANS_STAND_IN);
}

/*
 * Sets the creator of @g. @g has the labels of its creator, unless it is a goroutine of the
 * runtime, as runtime.newproc1 does.
 */
static void spans_created(struct spans *s, struct goroutine *g, const struct trace_event *ev,
			  uint32_t stack)
{
	const struct goroutine *creator = spans_goroutine(s, ev->g);

	g->created = true;
	g->since = ev->time;
	g->creator = ev->g;
	g->created_at = names_stack(&s->names, view_stack(ev));
	name_it(s, g, stack);
	if (creator && !spans_is_system(g->name))
		g->labels = creator->labels;
}

static void spans_end_span(struct spans *s, struct goroutine *g, int64_t time, struct span_edge end)
{
	struct span *span = &g->now;

	span->to = time;
	span->end = end;
	if (span->state == GO_RUNNING && end.g == g->id && end.p != TRACEV2_NO_ID) {
		span->p = end.p;
		span->m = end.m;
	}
	SHOW(s, span, span);
}

/* What @g waits for after @ev; NULL: not known. */
static const struct trace_wait *spans_wait(struct spans *s, struct goroutine *g,
					   const struct trace_event *ev)
{
	struct trace_wait wait;

	if (!trace_reader_wait(s->reader, ev, &wait))
		return NULL;
	if (!g->wait)
		g->wait = xcalloc(1, sizeof(*g->wait));
	*g->wait = wait;
	return g->wait;
}

/* Begins a span. @stack: where @g is from now on; 0: @g is where it was before. */
static void begin_span(struct spans *s, struct goroutine *g, uint8_t state, uint32_t stack,
		       const char *reason, const struct trace_event *ev, struct span_edge edge)
{
	struct span *now = &g->now;
	bool on = go_executing(state);

	/*
	 * Set field by field: this function runs once for each span, and zeroing the struct first
	 * took a fifth of a report's time.
	 */
	now->g = g;
	now->state = state;
	now->gap = reason == s->gap;
	now->from = ev->time;
	now->to = INT64_MAX;
	now->reason = reason;
	if (stack)
		now->stack = stack;
	now->p = on ? ev->p : TRACEV2_NO_ID;
	now->m = on ? ev->m : TRACEV2_NO_ID;
	now->p_until = INT64_MAX;
	now->wait = s->waits && state == GO_WAITING ? spans_wait(s, g, ev) : NULL;
	now->begin = edge;
	now->end = (struct span_edge){0};
	g->starts += state == GO_RUNNING;
	SHOW(s, span_begin, &g->now);
}

static void end_goroutine(struct spans *s, struct goroutine *g, int64_t time, bool ended)
{
	if (g->ranges)
		spans_end_ranges(s, g->ranges, time);
	spans_end_regions(s, g, time);
	SHOW(s, goroutine_end, g, time, ended);
	g->alive = false;
}

static void spans_forget(struct spans *s, struct goroutine *g)
{
	uint64_t id = g->id;

	idtab_del(&s->goroutines, id);
}

/*
 * Adds a goroutine of which nothing was known: it has been in its state since the trace or the
 * current generation began.
 */
static struct goroutine *spans_found(struct spans *s, uint64_t id)
{
	struct goroutine *g = spans_add(s, id);

	g->since = s->sync;
	return g;
}

static bool spans_is_status(const struct trace_event *ev)
{
	return ev->type == EV_GoStatus || ev->type == EV_GoStatusStack;
}

static void begin_found(struct spans *s, struct goroutine *g, uint8_t state, uint32_t stack,
			const struct trace_event *ev)
{
	struct trace_event since = *ev;

	name_it(s, g, stack);
	SHOW(s, goroutine_begin, g);
	since.time = s->sync;
	if (state != GO_SYSCALL && state != GO_RUNNING)
		since.p = since.m = TRACEV2_NO_ID;
	else if (spans_is_status(ev) && ev->args[1] != ev->m) {
		/*
		 * Another thread wrote the status, when the generation ended
		 * (runtime.traceAdvance): ev->p is the P of that thread.
		 */
		since.p = TRACEV2_NO_ID;
		since.m = ev->args[1];
	}
	begin_span(s, g, state, stack, "", &since, no_edge);
}

/* --- transitions --- */

/* A repeated status has no news, except for a goroutine of which no stack was known. */
static void spans_repeated(struct spans *s, struct goroutine *g, uint32_t stack)
{
	if (!stack)
		return;
	if (!g->now.stack)
		g->now.stack = stack;
	if (!g->named)
		name_it(s, g, stack);
}

static void spans_appears(struct spans *s, const struct trace_event *ev,
			  const struct view_transition *tr, uint32_t stack)
{
	struct goroutine *g;

	if (tr->to == GO_NOT_EXIST || tr->to == GO_UNDETERMINED)
		return;
	if (tr->from != GO_NOT_EXIST) {
		g = spans_found(s, tr->id);
		begin_found(s, g, tr->to, stack, ev);
	} else {
		g = spans_add(s, tr->id);
		spans_created(s, g, ev, stack);
		SHOW(s, goroutine_begin, g);
		begin_span(s, g, tr->to, stack, "", ev, edge_of(s, ev));
	}
	if (tr->to == GO_SYSCALL)
		spans_syscall_begin(s, spans_is_status(ev) ? ev->args[1] : ev->m, g->id);
}

static void spans_moves(struct spans *s, const struct trace_event *ev,
			const struct view_transition *tr, struct goroutine *g, uint32_t stack)
{
	struct span_edge edge = edge_of(s, ev);

	if (g->now.state == GO_SYSCALL)
		spans_syscall_end(s, g->now.m, g->id);
	spans_end_span(s, g, ev->time, edge);
	if (tr->to == GO_NOT_EXIST) {
		end_goroutine(s, g, ev->time, true);
		spans_forget(s, g);
		return;
	}
	if (!g->named)
		name_it(s, g, stack);
	begin_span(s, g, tr->to, stack, tr->reason ? names_string(&s->names, tr->reason) : "", ev,
		   edge);
	if (tr->to == GO_SYSCALL)
		spans_syscall_begin(s, ev->m, g->id);
}

static void spans_transition(struct spans *s, const struct trace_event *ev)
{
	struct view_transition tr = view_transition(ev);
	struct goroutine *g = spans_goroutine(s, tr.id);
	uint32_t stack = tr.stack ? names_stack(&s->names, tr.stack) : 0;

	if (!g)
		spans_appears(s, ev, &tr, stack);
	else if (tr.from == tr.to)
		spans_repeated(s, g, stack);
	else
		spans_moves(s, ev, &tr, g, stack);
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

/* --- other events --- */

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

static bool log_is_gotaps(const struct trace_event *ev)
{
	return !ev->args[3] && (!ev->args[0] || ev->args[0] > HTTP_TASKS);
}

/*
 * Returns the category for visitors. A log event of the program in a category that gotap reserves
 * gets another name, so that no visitor takes it for a note of gotap.
 */
static const char *log_category(struct spans *s, const struct trace_event *ev)
{
	const char *category = names_string(&s->names, ev->args[1]);
	_cleanup_free_ char *renamed = NULL;

	if (!notes_is_reserved(category, strlen(category)) || log_is_gotaps(ev) ||
	    (alloc_is_log(category) && !ev->args[0]))
		return category;
	renamed = xasprintf("%s%s", NOTES_PROGRAM, category);
	return names_text(&s->names, renamed, strlen(renamed));
}

/* The name that a task should have had from its begin. */
static void log_take_route(struct spans *s, uint64_t task, const char *message)
{
	struct http_pair p;
	char name[512];

	while ((message = http_log_next(message, &p))) {
		if (!http_log_is(&p, "route"))
			continue;
		http_log_copy(&p, name, sizeof(name));
		spans_name_task(s, task, names_text(&s->names, name, strlen(name)));
	}
}

static bool log_is_for(const struct spans_visitor *v, bool note)
{
	return v->log && (note || !v->notes);
}

static void show_log_to(struct spans *s, const struct trace_event *ev, const char *category,
			const char *message)
{
	const struct spans_visitor *v = s->visitors.data;
	bool note = !strcmp(category, NOTES_CATEGORY);
	size_t i;

	for (i = 0; i < s->visitors.len; i++)
		if (log_is_for(&v[i], note))
			v[i].log(v[i].ctx, ev->time, ev->g, ev->args[0], category, message);
}

/* The goroutine has left the call of a function otherwise than by its return (read/func.h). */
static void log_take_left(struct spans *s, const struct trace_event *ev, const char *category,
			  const char *message)
{
	if (func_log_is_left(category, strlen(category), message, strlen(message)))
		spans_leave_region(s, ev->g);
}

/* The message of the event, without a place among the texts. */
static const char *log_message(struct spans *s, const struct trace_event *ev)
{
	size_t n = 0;
	const char *text = s->names.tables ? tables_string(s->names.tables, ev->args[2], &n) : NULL;

	s->message.len = 0;
	if (text)
		buf_add(&s->message, text, n);
	buf_add_byte(&s->message, 0);
	return (const char *)s->message.data;
}

/* The message gets a place among the texts only if a visitor may keep it. */
static void show_op_log(struct spans *s, const struct trace_event *ev, const char *category)
{
	const char *message = log_message(s, ev);
	const struct spans_visitor *v = s->visitors.data;
	size_t i;

	if (!strcmp(category, HTTP_CATEGORY))
		log_take_route(s, ev->args[0], message);
	log_take_left(s, ev, category, message);
	for (i = 0; i < s->visitors.len; i++) {
		if (v[i].op_log)
			v[i].op_log(v[i].ctx, ev->time, ev->g, ev->args[0], category, message);
		else if (log_is_for(&v[i], false))
			v[i].log(v[i].ctx, ev->time, ev->g, ev->args[0], category,
				 names_string(&s->names, ev->args[2]));
	}
}

/* Is it a category of gotap about operations? */
static bool log_is_of_op(const char *category)
{
	return notes_is_reserved(category, strlen(category)) && strcmp(category, NOTES_CATEGORY) &&
	       strcmp(category, ORIGIN_CATEGORY) && strcmp(category, LABELS_CATEGORY) &&
	       !alloc_is_log(category);
}

/* False: the message has another form. */
static bool show_alloc(struct spans *s, const struct trace_event *ev, const char *category)
{
	const struct spans_visitor *v = s->visitors.data;
	const char *message = log_message(s, ev);
	struct alloc_event e;
	struct alloc_log log;
	size_t i;

	if (!alloc_log_parse(&log, message))
		return false;
	e = (struct alloc_event){
		.time = ev->time, .g = ev->g, .freed = !strcmp(category, ALLOC_FREE_CATEGORY),
		.stack = names_stack(&s->names, ev->args[3]), .size = log.size, .rate = log.rate,
		.collections = log.collections,
		.type = names_text(&s->names, log.type, strlen(log.type)),
	};
	for (i = 0; i < s->visitors.len; i++) {
		if (v[i].alloc)
			v[i].alloc(v[i].ctx, &e);
		else if (log_is_for(&v[i], false))
			v[i].log(v[i].ctx, ev->time, ev->g, 0, category,
				 names_string(&s->names, ev->args[2]));
	}
	return true;
}

static void show_log(struct spans *s, const struct trace_event *ev)
{
	const char *category = log_category(s, ev), *message;
	struct goroutine *g;

	if (log_is_of_op(category)) {
		show_op_log(s, ev, category);
		return;
	}
	if (alloc_is_log(category) && show_alloc(s, ev, category))
		return;
	message = names_string(&s->names, ev->args[2]);
	if (!strcmp(category, ORIGIN_CATEGORY)) {
		SHOW(s, origin, ev->time, message);
		return;
	}
	if (!strcmp(category, LABELS_CATEGORY)) {
		g = spans_goroutine(s, ev->g);
		if (g)
			g->labels = message;
	}
	show_log_to(s, ev, category, message);
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
		show_log(s, ev);
		break;
	default:
		break;
	}
}

/* --- the loop --- */

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

/* Ends everything that is open, with the trace. Open spans end in no particular order. */
static void end_all(struct spans *s)
{
	uint32_t i;

	for (i = 0; i < s->goroutines.made; i++) {
		struct goroutine *g = idtab_at(&s->goroutines, i);

		if (!g->alive)
			continue;
		spans_end_span(s, g, s->last, no_edge);
		end_goroutine(s, g, s->last, false);
	}
	spans_procs_end(s);
	spans_end_ranges(s, &s->program_ranges, s->last);
	spans_tasks_end(s);
	SHOW(s, trace_end, s->last);
}

/* Frees the tables. Slots count from 1 again, since only the records of these tables have slots. */
static void free_goroutines(struct spans *s)
{
	uint32_t i;

	for (i = 0; i < s->goroutines.made; i++) {
		struct goroutine *g = idtab_at(&s->goroutines, i);

		spans_vec_free(&g->ranges);
		spans_vec_free(&g->regions);
		free(g->wait);
	}
	for (i = 0; i < s->procs.made; i++)
		spans_vec_free(&((struct proc *)idtab_at(&s->procs, i))->ranges);
	idtab_free(&s->goroutines);
	idtab_free(&s->procs);
	idtab_free(&s->threads);
	idtab_free(&s->tasks);
}

static void init_tables(struct spans *s)
{
	idtab_init(&s->goroutines, sizeof(struct goroutine));
	idtab_init(&s->procs, sizeof(struct proc));
	idtab_init(&s->threads, sizeof(struct thread));
	idtab_init(&s->tasks, sizeof(struct task));
	s->slots = 0;
	s->began = s->stopped = false;
	s->program_ranges.len = 0;
}

static void spans_begin_reading(struct spans *s, struct trace_reader *r)
{
	free_goroutines(s);
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
	free_goroutines(s);
	vec_free(&s->program_ranges);
	vec_free(&s->visitors);
	buf_free(&s->message);
	names_free(&s->names);
	free(s);
}
