// SPDX-License-Identifier: Apache-2.0
/*
 * check_validator: the rules of testtrace.Validator (Go 1.27): legal to read,
 * wrong to write. In: events in order. Out: faults, and the two warnings about
 * one thing bound to two threads, which that validator overlooks.
 */
#include "read/check_state.h"

#define FAIL(c, ev, ...) check_fail(c, CHECK_VALIDATOR, ev, __VA_ARGS__)

/* Only the leaf may lack name, file, pc or line. */
static bool frame_complete(struct check *c, const struct v2_frame *f)
{
	size_t func, file;

	check_text(c, f->func, &func);
	check_text(c, f->file, &file);
	return func && file && f->pc && f->line;
}

static bool stack_complete(struct check *c, const struct v2_tables *t, size_t index)
{
	const struct v2_stack *stack = vec_at(&t->stacks, struct v2_stack, index);
	uint8_t *seen = vec_at(&c->stack_seen, uint8_t, index);
	uint32_t i;

	if (*seen)
		return *seen == 1;
	*seen = 1;
	for (i = 1; i < stack->len && *seen == 1; i++)
		if (!frame_complete(c, tables_frame(t, stack, i)))
			*seen = 2;
	return *seen == 1;
}

static void check_stack(struct check *c, const struct trace_event *ev, uint64_t id)
{
	uint32_t found = id ? ids_find(&c->tables->stack_ids, id) : 0;

	if (found && !stack_complete(c, c->tables, found - 1))
		FAIL(c, ev, "invalid stack frame in stack %llu: missing information",
		     (unsigned long long)id);
}

/* Where the stacks are, by event number; CPU samples have theirs in front. */
static void check_stacks(struct check *c, const struct trace_event *ev)
{
	const struct raw_spec *spec = &c->specs->of[ev->type];

	if (ev->type == EV_CPUSample) {
		check_stack(c, ev, ev->args[0]);
		return;
	}
	if (spec->stack && ev->args[spec->stack - 1])
		check_stack(c, ev, ev->args[spec->stack - 1]);
	if (spec->new_stack)
		check_stack(c, ev, ev->args[spec->new_stack - 1]);
}

/* time.Time's seconds since year 1, wrapping as they do in Go, with nsec brought below 1e9. */
static void wall_clock(const struct v2_clock *clock, int64_t *sec, int64_t *nsec)
{
	uint64_t s = clock->snap_sec + 62135596800u;
	int64_t ns = (int64_t)clock->snap_nsec, carry = ns / 1000000000;

	ns -= carry * 1000000000;
	if (ns < 0) {
		ns += 1000000000;
		carry--;
	}
	*sec = (int64_t)(s + (uint64_t)carry);
	*nsec = ns;
}

static bool wall_after(const struct v2_clock *a, const struct v2_clock *b)
{
	int64_t a_sec, a_nsec, b_sec, b_nsec;

	wall_clock(a, &a_sec, &a_nsec);
	wall_clock(b, &b_sec, &b_nsec);
	return a_sec != b_sec ? a_sec > b_sec : a_nsec > b_nsec;
}

static void check_clock(struct check *c, const struct trace_event *ev, const struct v2_clock *now)
{
	const struct v2_clock *last = &c->last_clock;
	unsigned long long n = ev->args[0];
	int64_t sec, nsec;

	wall_clock(now, &sec, &nsec);
	if (!sec && !nsec)
		FAIL(c, ev, "sync %llu has zero wall time", n);
	if (!now->snap_mono)
		FAIL(c, ev, "sync %llu has zero mono time", n);
	if (!clock_ns(now, now->snap_time))
		FAIL(c, ev, "sync %llu has zero trace time", n);
	if (!c->has_clock)
		return;
	if (!wall_after(now, last))
		FAIL(c, ev, "sync %llu has non-increasing wall time", n);
	if (now->snap_mono <= last->snap_mono)
		FAIL(c, ev, "sync %llu has non-increasing mono time: %llu vs %llu", n,
		     (unsigned long long)now->snap_mono, (unsigned long long)last->snap_mono);
	if (clock_ns(now, now->snap_time) <= clock_ns(last, last->snap_time))
		FAIL(c, ev, "sync %llu has non-increasing trace time", n);
}

static void check_sync(struct check *c, const struct trace_event *ev)
{
	const struct v2_generation *gen = trace_reader_generation(c->r);

	c->syncs = ev->args[0];
	if (c->syncs == 2)
		map64_free(&c->died);
	if (gen) {
		c->tables = &gen->tables;
		c->stack_seen.len = 0;
		vec_reserve(&c->stack_seen, gen->tables.stacks.len, 1);
		while (c->stack_seen.len < gen->tables.stacks.len)
			vec_push(&c->stack_seen, 1);
	}
	if (trace_reader_version(c->r) < 25)
		return;
	if (gen && gen->clock.has_snapshot) {
		check_clock(c, ev, &gen->clock);
		c->last_clock = gen->clock;
		c->has_clock = true;
	}
}

/* Called at a clean end. With a fault to come the missing clock is only its consequence. */
void check_validator_end(struct check *c, const struct trace_event *last)
{
	if (last && last->type == TRACE_SYNC && last->args[0] == 1 &&
	    trace_reader_version(c->r) >= 25)
		FAIL(c, last, "sync 1 has no clock snapshot");
}

/* The thread of an event after which something executes on it. */
static struct check_m *thread_of(struct check *c, const struct trace_event *ev)
{
	struct check_m **recent = &c->recent_m[ev->m % CHECK_RECENT];
	uint64_t *slot;
	bool is_new;

	if (*recent && (*recent)->id == ev->m)
		return *recent;
	if (ev->m == TRACEV2_NO_ID) {
		FAIL(c, ev, "must have thread, but thread ID is none");
		return NULL;
	}
	slot = map64_put(&c->ms, ev->m, &is_new);
	if (is_new) {
		*recent = xcalloc(1, sizeof(**recent));
		**recent = (struct check_m){ ev->m, TRACEV2_NO_ID, TRACEV2_NO_ID };
		*slot = (uintptr_t)*recent;
	}
	*recent = (struct check_m *)(uintptr_t)*slot;
	return *recent;
}

static void start_on_thread(struct check *c, const struct trace_event *ev,
			    struct check_res *res, const struct trace_transition *tr)
{
	bool is_g = tr->of == RESOURCE_GOROUTINE;
	struct check_m *m = thread_of(c, ev);
	uint64_t *running;

	if (!m)
		return;
	running = is_g ? &m->g : &m->p;
	if (*running != TRACEV2_NO_ID && *running != tr->id)
		FAIL(c, ev, "tried to run %s %lld when one was already executing (%lld) on thread"
		     " %lld", is_g ? "goroutine" : "proc", (long long)tr->id, (long long)*running,
		     (long long)ev->m);
	if (res->on && res->on != m && (is_g ? res->on->g : res->on->p) == tr->id)
		check_warn(c, is_g ? WARN_G_ON_TWO_THREADS : WARN_P_ON_TWO_THREADS, &ev->place);
	*running = tr->id;
	res->on = m;
}

static void stop_on_thread(struct check *c, const struct trace_event *ev,
			   struct check_res *res, const struct trace_transition *tr)
{
	bool is_g = tr->of == RESOURCE_GOROUTINE;
	const char *what = is_g ? "goroutine" : "proc";
	uint64_t *running;

	if (!res->on) {
		FAIL(c, ev, "stopping %s %lld not bound to any active context", what,
		     (long long)tr->id);
		return;
	}
	running = is_g ? &res->on->g : &res->on->p;
	if (*running != tr->id)
		FAIL(c, ev, "tried to stop %s %lld when it wasn't currently executing (currently"
		     " executing %lld) on thread %lld", what, (long long)tr->id,
		     (long long)*running, (long long)res->on->id);
	*running = TRACEV2_NO_ID;
	res->on = NULL;
}

static bool executing(const struct trace_transition *tr, uint8_t state)
{
	return tr->of == RESOURCE_GOROUTINE ? go_executing(state) : state == PROC_RUNNING;
}

/* The old state must be the one we know. Numbers 0 and 1 mean the same for both kinds. */
static struct check_res *check_old_state(struct check *c, const struct trace_event *ev,
					 const struct trace_transition *tr)
{
	bool is_g = tr->of == RESOURCE_GOROUTINE;
	const char *what = is_g ? "goroutine" : "proc";
	const char *(*name)(uint8_t) = is_g ? go_state_name : proc_state_name;
	struct check_res *res = is_g ? check_find_g(c, tr->id) : check_find_p(c, tr->id);

	if (tr->to == GO_UNDETERMINED)
		FAIL(c, ev, "transition to undetermined state for %s %lld", what,
		     (long long)tr->id);
	if (c->syncs > 1 && tr->from == GO_UNDETERMINED)
		FAIL(c, ev, "undetermined %s %lld after first global sync", what,
		     (long long)tr->id);
	if (res) {
		if (res->state != tr->from)
			FAIL(c, ev, "bad old state for %s %lld: got %s, want %s", what,
			     (long long)tr->id, name(tr->from), name(res->state));
	} else {
		if (tr->from != GO_UNDETERMINED && tr->from != GO_NOT_EXIST)
			FAIL(c, ev, "bad old state for unregistered %s %lld: %s", what,
			     (long long)tr->id, name(tr->from));
		if (is_g && tr->from == GO_UNDETERMINED && map64_get(&c->died, tr->id))
			FAIL(c, ev, "bad old state for goroutine %lld: got Undetermined, want"
			     " NotExist", (long long)tr->id);
		res = check_add(c, is_g ? &c->gs : &c->ps, tr->id);
	}
	return res;
}

static void check_transition(struct check *c, const struct trace_event *ev,
			     const struct trace_transition *tr)
{
	struct check_res *res = check_old_state(c, ev, tr);
	bool gone = tr->of == RESOURCE_GOROUTINE && tr->to == GO_NOT_EXIST;

	if (gone && res->ranges.len)
		FAIL(c, ev, "goroutine %lld died with active ranges", (long long)tr->id);
	res->state = tr->to;
	if (res->in_gc || res->bg_mark)
		check_trap_transition(c, ev, tr);
	if (executing(tr, tr->to))
		start_on_thread(c, ev, res, tr);
	else if (executing(tr, tr->from))
		stop_on_thread(c, ev, res, tr);
	if (gone && !res->ranges.len && !res->on)
		check_forget_g(c, res);
}

static size_t find_range(const struct vec *ranges, const char *name)
{
	size_t i;

	for (i = 0; i < ranges->len; i++)
		if (*vec_at(ranges, const char *, i) == name)
			break;
	return i;
}

static void open_range(struct vec *ranges, const char *name)
{
	*(const char **)vec_push(ranges, sizeof(name)) = name;
}

static void close_range(struct vec *ranges, size_t i)
{
	*vec_at(ranges, const char *, i) = *vec_at(ranges, const char *, ranges->len - 1);
	ranges->len--;
}

static struct vec *ranges_of_g(struct check *c, uint64_t id)
{
	struct check_res *res = check_find_g(c, id);

	return &(res ? res : check_add(c, &c->gs, id))->ranges;
}

static struct vec *ranges_of_p(struct check *c, uint64_t id)
{
	struct check_res *res = check_find_p(c, id);

	return &(res ? res : check_add(c, &c->ps, id))->ranges;
}

enum range_step { RANGE_BEGIN, RANGE_ACTIVE, RANGE_END };

static void check_range(struct check *c, const struct trace_event *ev, enum range_step step,
			struct vec *ranges, const char *name)
{
	size_t at = find_range(ranges, name);
	bool open = at < ranges->len;

	if (step == RANGE_END) {
		if (open)
			close_range(ranges, at);
		else
			FAIL(c, ev, "inactive range \"%.100s\" ended", name);
		return;
	}
	if (step == RANGE_BEGIN && open)
		FAIL(c, ev, "already active range \"%.100s\" begun again", name);
	if (step == RANGE_BEGIN || !open)
		open_range(ranges, name);
}

static void check_stw(struct check *c, const struct trace_event *ev, enum range_step step)
{
	size_t len;
	const char *reason = check_text(c, ev->args[0], &len);

	/* Without the string Go panics: check_traps() reports it. */
	if (reason)
		check_range(c, ev, step, ranges_of_g(c, ev->g),
			    strset_add(c->names, reason, len));
}

static void check_label(struct check *c, const struct trace_event *ev)
{
	size_t len;

	check_text(c, ev->args[0], &len);
	if (!len)
		FAIL(c, ev, "invalid label \"\"");
	if (!check_find_g(c, ev->g))
		FAIL(c, ev, "label for invalid goroutine %lld", (long long)ev->g);
}

static void check_task_begin(struct check *c, const struct trace_event *ev)
{
	if (!ev->args[0] || ev->args[0] == TRACEV2_NO_ID)
		FAIL(c, ev, "found invalid task ID for task of type \"%.80s\"", ev->text);
	*map64_put(&c->tasks, ev->args[0], NULL) = (uintptr_t)ev->text;
}

static void check_task_end(struct check *c, const struct trace_event *ev)
{
	const uint64_t *type = map64_get(&c->tasks, ev->args[0]);

	if (!type)
		return;
	if (*type != (uintptr_t)ev->text)
		FAIL(c, ev, "task end type doesn't match task start type for task %llu",
		     (unsigned long long)ev->args[0]);
	map64_del(&c->tasks, ev->args[0]);
}

static void check_details(struct check *c, const struct trace_event *ev)
{
	static const char mark[] = "GC concurrent mark phase", sweep[] = "GC incremental sweep",
			  assist[] = "GC mark assist";

	switch (ev->type) {
	case TRACE_SYNC:
		return check_sync(c, ev);
	case EV_GoLabel:
		return check_label(c, ev);
	case EV_STWBegin:
		return check_stw(c, ev, RANGE_BEGIN);
	case EV_STWEnd:
		return check_stw(c, ev, RANGE_END);
	case EV_GCBegin:
		return check_range(c, ev, RANGE_BEGIN, &c->gc_ranges, mark);
	case EV_GCActive:
		return check_range(c, ev, RANGE_ACTIVE, &c->gc_ranges, mark);
	case EV_GCEnd:
		return check_range(c, ev, RANGE_END, &c->gc_ranges, mark);
	case EV_GCSweepBegin:
		return check_range(c, ev, RANGE_BEGIN, ranges_of_p(c, ev->p), sweep);
	case EV_GCSweepActive:
		return check_range(c, ev, RANGE_ACTIVE, ranges_of_p(c, ev->args[0]), sweep);
	case EV_GCSweepEnd:
		return check_range(c, ev, RANGE_END, ranges_of_p(c, ev->p), sweep);
	case EV_GCMarkAssistBegin:
		return check_range(c, ev, RANGE_BEGIN, ranges_of_g(c, ev->g), assist);
	case EV_GCMarkAssistActive:
		return check_range(c, ev, RANGE_ACTIVE, ranges_of_g(c, ev->args[0]), assist);
	case EV_GCMarkAssistEnd:
		return check_range(c, ev, RANGE_END, ranges_of_g(c, ev->g), assist);
	case EV_UserTaskBegin:
		return check_task_begin(c, ev);
	case EV_UserTaskEnd:
		return check_task_end(c, ev);
	}
}

void check_validator(struct check *c, const struct trace_event *ev)
{
	struct trace_transition tr = event_transition(ev);

	if (c->last_time && ev->time <= c->last_time)
		FAIL(c, ev, "timestamp out-of-order (want > %lld)", (long long)c->last_time);
	else
		c->last_time = ev->time;
	if (ev->type != TRACE_SYNC)
		check_stacks(c, ev);
	if (tr.of != RESOURCE_NONE)
		check_transition(c, ev, &tr);
	else
		check_details(c, ev);
}
