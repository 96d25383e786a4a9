// SPDX-License-Identifier: Apache-2.0
/*
 * check_validator: the rules of testtrace.Validator (Go 1.27) for events that a reader accepts and
 * no writer should make. Input: events in order. Output: faults. The rules for changes of state are
 * in check_transition.c.
 */
#include "read/check_state.h"

#define FAIL(c, ev, ...) check_fail(c, CHECK_VALIDATOR, ev, __VA_ARGS__)

/* True if the frame has name, file, pc and line. Only the leaf may lack some of them. */
static bool frame_complete(struct check *c, const struct v2_frame *f)
{
	size_t func, file;

	check_text(c, f->func, &func);
	check_text(c, f->file, &file);
	return func && file && f->pc && f->line;
}

static bool stack_complete(struct check *c, const struct v2_stack *stack)
{
	uint32_t i;

	for (i = 1; i < stack->len; i++)
		if (!frame_complete(c, tables_frame(c->tables, stack, i)))
			return false;
	return true;
}

/*
 * True if no stack of the generation lacks such facts, which is the rule: then check_stacks() is
 * not needed.
 */
static bool all_stacks_complete(struct check *c)
{
	const struct v2_tables *t = c->tables;
	bool complete = true;
	size_t i;

	for (i = 0; i < t->frames.len && complete; i++)
		complete = frame_complete(c, vec_at(&t->frames, struct v2_frame, i));
	if (complete)
		return true;
	for (i = 0; i < t->stacks.len; i++)
		if (!stack_complete(c, vec_at(&t->stacks, struct v2_stack, i)))
			return false;
	return true;
}

static void validator_check_stack(struct check *c, const struct trace_event *ev, uint64_t id)
{
	const struct v2_stack *stack = tables_stack(c->tables, id);

	if (stack && !stack_complete(c, stack))
		FAIL(c, ev, "invalid stack frame in stack %llu: missing information",
		     (unsigned long long)id);
}

/*
 * Checks the stacks of an event. tracev2.def has their places in the arguments; a CPU sample's is
 * the first.
 */
void check_stacks(struct check *c, const struct trace_event *ev)
{
	const struct raw_spec *spec;

	if (ev->type == TRACE_SYNC)
		return;
	if (ev->type == EV_CPUSample) {
		validator_check_stack(c, ev, ev->args[0]);
		return;
	}
	spec = &c->specs->of[ev->type];
	if (spec->stack)
		validator_check_stack(c, ev, ev->args[spec->stack - 1]);
	if (spec->new_stack)
		validator_check_stack(c, ev, ev->args[spec->new_stack - 1]);
}

void check_time(struct check *c, const struct trace_event *ev)
{
	FAIL(c, ev, "timestamp out-of-order (want > %lld)", (long long)c->last_time);
}

/*
 * The seconds of Go's time.Time, since year 1, which overflow as in Go, with nsec reduced below
 * 1e9.
 */
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
		idtab_free(&c->died);
	if (gen) {
		c->tables = &gen->tables;
		c->look_at_stacks = !all_stacks_complete(c);
	}
	if (trace_reader_version(c->r) < 25)
		return;
	if (gen && gen->clock.has_snapshot) {
		check_clock(c, ev, &gen->clock);
		c->last_clock = gen->clock;
		c->has_clock = true;
	}
}

/* Called at an end without a fault: with a fault a missing clock would only be a consequence. */
void check_validator_end(struct check *c, const struct trace_event *last)
{
	if (last && last->type == TRACE_SYNC && last->args[0] == 1 &&
	    trace_reader_version(c->r) >= 25)
		FAIL(c, last, "sync 1 has no clock snapshot");
}

static size_t validator_find_range(const struct vec *ranges, const char *name)
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

static struct vec *validator_ranges_of(struct check_res *res)
{
	if (!res->ranges) {
		res->ranges = xcalloc(1, sizeof(*res->ranges));
		*res->ranges = vec_of_one(sizeof(const char *));
	}
	return res->ranges;
}

static struct vec *ranges_of_g(struct check *c, uint64_t id)
{
	struct check_res *g = check_find_g(c, id);

	return validator_ranges_of(g ? g : check_add(&c->gs, id));
}

static struct vec *ranges_of_p(struct check *c, uint64_t id)
{
	struct check_res *p = check_find_p(c, id);

	return validator_ranges_of(p ? p : check_add(&c->ps, id));
}

enum range_step { RANGE_BEGIN, RANGE_ACTIVE, RANGE_END };

static void check_range(struct check *c, const struct trace_event *ev, enum range_step step,
			struct vec *ranges, const char *name)
{
	size_t at = validator_find_range(ranges, name);
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

	/* If there is no such string Go panics; trap_stw() of check_traps.c reports this. */
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
	struct check_task *task = idtab_find(&c->tasks, ev->args[0]);

	if (!ev->args[0] || ev->args[0] == TRACEV2_NO_ID)
		FAIL(c, ev, "found invalid task ID for task of type \"%.80s\"", ev->text);
	if (!task)
		task = idtab_add(&c->tasks, ev->args[0]);
	task->type = ev->text;
}

static void check_task_end(struct check *c, const struct trace_event *ev)
{
	const struct check_task *task = idtab_find(&c->tasks, ev->args[0]);

	if (!task)
		return;
	if (task->type != ev->text)
		FAIL(c, ev, "task end type doesn't match task start type for task %llu",
		     (unsigned long long)ev->args[0]);
	idtab_del(&c->tasks, ev->args[0]);
}

void check_details(struct check *c, const struct trace_event *ev)
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
