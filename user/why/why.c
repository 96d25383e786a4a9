// SPDX-License-Identifier: Apache-2.0
/* why: see why.h. */
#include "why/why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "read/view.h"
#include "why/walk.h"

enum { MIDDLE_FROM = 40, MIDDLE_TO = 60 };	/* percentiles */

/* The goroutine of an interval for WHY_GOROUTINE and WHY_PROGRAM. */
struct target {
	uint64_t id;
	const char *name;
	bool known, ended;
	/* since: first time at which the goroutine is known; ran: last time at which it ran */
	int64_t since, ran;
	int64_t end;		/* end of the goroutine or of the trace */
	uint32_t newest;	/* its newest record */
};

struct why {
	struct why_question q;
	struct spans *first, *s;	/* of the first pass, and of the pass that answers */
	struct pick pick;
	struct vec picked;		/* struct instance, in the order of trace and begin */
	/* why_key_of() -> index in picked, for instances that have begun */
	struct map64 open;
	size_t next;			/* index in picked; earlier ones have begun */
	size_t left;			/* instances of this trace that have not ended yet */
	uint32_t trace;
	struct trail *trail;
	struct walk walk;
	struct held held;
	struct target target;
	int64_t from, to;		/* on the clock of the trace */
	uint32_t stack;			/* stack at the end of the last region */
	/* the interval has ended, but the target's current stay is still open */
	bool due;
	bool done;
	bool is_split;
	struct why_answer answer;
	struct error failed;
};

/* --- one interval --- */

static void why_walk(struct why *w, struct path *path, int64_t from, int64_t to,
		     const struct trail_rec *at)
{
	path_begin(path, from, to);
	if (at->to < to) {
		struct step ended = { .from = at->to > from ? at->to : from,
				      .to = to,
				      .g = at->g,
				      .name = at->name,
				      .reason = "",
				      .kind = STEP_ENDED,
				      .p = UINT32_MAX };

		path_add(path, &ended);
	}
	w->walk.path = path;
	if (at->to > from)
		walk_back(&w->walk, at);
	if (!w->failed.code && path_check(path, &w->failed) == 0)
		if (!store_error(trail_store(w->trail), &w->failed))
			(void)store_error(trail_parts(w->trail)->store, &w->failed);
}

static void why_put_answer(struct why *w, int64_t from, int64_t to, const struct trail_rec *at)
{
	struct why_answer *a = &w->answer;

	if (a->found)
		return;
	a->found = true;
	a->trace = w->trace;
	a->begin = spans_first(w->s);
	a->g = at->g;
	a->name = at->name;
	why_walk(w, &a->path, from, to, at);
	w->done = true;
	spans_stop(w->s);
}

/* --- instances --- */

/*
 * A key for an instance: no two instances of one goroutine end at the same time, except regions
 * that end with it.
 */
static uint64_t why_key_of(int64_t to, uint64_t id)
{
	return (uint64_t)to ^ hash64(id);
}

static struct instance *why_instance(const struct why *w, size_t i)
{
	return vec_at(&w->picked, struct instance, i);
}

/*
 * Begins the instances that begin up to @time. The trail begins with the first of them, even if its
 * goroutine appears only later (spans.h).
 */
static void instance_event(struct why *w, int64_t time)
{
	for (; w->next < w->picked.len; w->next++) {
		const struct instance *in = why_instance(w, w->next);

		if (in->trace > w->trace || (in->trace == w->trace && in->from > time))
			break;
		if (in->trace < w->trace)
			continue;
		if (!w->open.len)
			trail_begin(w->trail);
		*map64_put(&w->open, why_key_of(in->from + in->ns, in->g), NULL) = w->next;
	}
}

static const struct instance *open_instance(const struct why *w, int64_t from, int64_t to,
					    uint64_t id)
{
	const uint64_t *found = w->open.len ? map64_get(&w->open, why_key_of(to, id)) : NULL;
	const struct instance *in = found ? why_instance(w, *found) : NULL;

	return in && in->g == id && in->from + in->ns == to &&
			       (from == INT64_MIN || in->from == from) ?
		       in :
		       NULL;
}

static void add_to_group(struct why *w, const struct instance *in, const struct trail_rec *at)
{
	struct why_group *group = &w->answer.groups[in->group];
	uint64_t before = group->path.count + w->held.read;

	group->cut |= group->work > WHY_WORK;
	if (group->cut)
		return;
	if (!group->looked++ || in->ns < group->shortest)
		group->shortest = in->ns;
	if (in->ns > group->longest)
		group->longest = in->ns;
	group->ns += in->ns;
	w->answer.found = true;
	w->answer.begin = spans_first(w->s);
	why_walk(w, &group->path, in->from, in->from + in->ns, at);
	group->work += group->path.count + w->held.read - before;
}

/* Answers for an instance that ends. @at: the current piece of its goroutine. */
static void why_ends(struct why *w, const struct instance *in, const struct trail_rec *at)
{
	if (w->q.all)
		add_to_group(w, in, at);
	else
		why_put_answer(w, in->from, in->from + in->ns, at);
	map64_del(&w->open, why_key_of(in->from + in->ns, in->g));
	if (!w->open.len)
		trail_end(w->trail);
	if (!--w->left)
		spans_stop(w->s);
}

static void func_event(void *ctx, const struct trace_event *ev)
{
	instance_event(ctx, ev->time);
}

static void func_ends(void *ctx, struct goroutine *g, int64_t time, bool ended)
{
	struct why *w = ctx;
	const struct instance *in = open_instance(w, g->since, time, g->id);
	struct trail_rec at;

	if (!in)
		return;
	at = walk_from_end(g->id, g->name, time, trail_newest(w->trail, g));
	why_ends(w, in, &at);
}

/* Ends a region. A region that its goroutine left open ends with the last stay of the goroutine. */
static void region_ends(void *ctx, const struct region_span *r)
{
	struct why *w = ctx;
	const struct instance *in = r->open_begin ? NULL :
						    open_instance(w, r->from, r->to, r->g->id);
	struct trail_rec at;

	if (!in)
		return;
	if (r->open_end)
		at = walk_from_end(r->g->id, r->g->name, r->to, trail_newest(w->trail, r->g));
	else
		at = trail_now(w->trail, r->g, r->to, w->stack);
	why_ends(w, in, &at);
}

static void why_region_event(void *ctx, const struct trace_event *ev)
{
	struct why *w = ctx;

	instance_event(w, ev->time);
	if (ev->type == EV_UserRegionEnd && w->open.len)
		w->stack = spans_stack(w->s, view_stack(ev));
}

/* A task ends on the goroutine that calls End(). */
static void why_task_event(void *ctx, const struct trace_event *ev)
{
	struct why *w = ctx;
	struct trail_rec at = walk_from_end(TRACEV2_NO_ID, "", ev->time, STORE_NONE);
	const struct instance *in;
	const struct goroutine *g;

	instance_event(w, ev->time);
	if (ev->type != EV_UserTaskEnd)
		return;
	in = open_instance(w, INT64_MIN, ev->time, ev->args[0]);
	if (!in)
		return;
	g = spans_goroutine(w->s, ev->g);
	if (g)
		at = trail_now(w->trail, g, ev->time, spans_stack(w->s, view_stack(ev)));
	why_ends(w, in, &at);
}

/* --- a goroutine, or the program --- */

static bool is_target(const struct why *w, const struct goroutine *g)
{
	return w->target.known && g->id == w->target.id;
}

static void answer_target(struct why *w, int64_t to, const struct trail_rec *at)
{
	int64_t from = w->from;

	if (w->q.from == INT64_MIN && w->q.of == WHY_GOROUTINE)
		from = w->target.since;
	if (from < spans_first(w->s))
		from = spans_first(w->s);
	if (from < to)
		why_put_answer(w, from, to, at);
	w->done = true;
	spans_stop(w->s);
}

/*
 * Is it a goroutine of the program: neither one of the runtime nor the one that writes the trace?
 */
static bool is_programs_own(const char *name)
{
	return !spans_is_system(name) && strncmp(name, "runtime/trace.", 14);
}

/*
 * Chooses the goroutine of the program that runs at the end of the interval: the one with the
 * lowest id. If none runs, the goroutine that ran last remains chosen.
 */
static void why_take_running(void *ctx, const struct trail_rec *r)
{
	struct why *w = ctx;
	struct target *target = &w->target;

	if (r->kind != TRAIL_RUNNING || !is_programs_own(r->name) ||
	    (target->known && target->ran == r->to && target->id <= r->g))
		return;
	*target = (struct target){ .known = true,
				   .id = r->g,
				   .name = r->name,
				   .since = r->from,
				   .ran = r->to,
				   .end = r->to,
				   .newest = STORE_NONE };
}

/* The interval has ended; the next event is at @time. */
static void is_due(struct why *w, int64_t time)
{
	const struct goroutine *g;
	struct trail_rec at;

	if (w->q.of == WHY_PROGRAM)
		trail_open(w->trail, time, why_take_running, w);
	if (!w->target.known)
		return;
	g = spans_goroutine(w->s, w->target.id);
	if (!g || w->target.ended) {
		at = walk_from_end(w->target.id, w->target.name, w->target.end, w->target.newest);
		answer_target(w, w->to, &at);
	} else if (g->now.state == GO_WAITING ||
		   (trail_parts(w->trail)->oncpu && go_executing(g->now.state))) {
		/* the waker of the goroutine, or of its thread, is not known yet */
		w->due = true;
	} else {
		at = trail_now(w->trail, g, time, 0);
		answer_target(w, w->to, &at);
	}
}

static void why_on_event(void *ctx, const struct trace_event *ev)
{
	struct why *w = ctx;

	if (w->done || w->due)
		return;
	if (ev->time > w->to) {
		is_due(w, ev->time);
	} else if (ev->type == TRACE_SYNC && w->q.from == INT64_MIN && w->q.of == WHY_GOROUTINE &&
		   !w->target.known) {
		/*
		 * the goroutine may appear only later, but it has existed since this generation
		 * began
		 */
		trail_end(w->trail);
		trail_begin(w->trail);
	} else if (ev->time >= w->from && w->q.from != INT64_MIN) {
		trail_begin(w->trail);
	}
}

static void target_begins(void *ctx, struct goroutine *g)
{
	struct why *w = ctx;

	if (w->q.of != WHY_GOROUTINE || g->id != w->q.id || w->done)
		return;
	w->target = (struct target){ .known = true, .id = g->id, .name = g->name, .since = g->since,
				     .newest = STORE_NONE };
	w->answer.from_start = g->created && w->q.from == INT64_MIN;
	if (w->q.from != INT64_MIN || !g->created)
		return;
	trail_end(w->trail);
	trail_begin(w->trail);
}

static void target_runs(void *ctx, const struct span *span)
{
	struct why *w = ctx;
	struct trail_rec at;

	if (w->done)
		return;
	if (w->q.of == WHY_PROGRAM && !w->due && span->state == GO_RUNNING) {
		struct trail_rec r = { .kind = TRAIL_RUNNING, .from = span->from, .to = span->to,
				       .g = span->g->id, .name = span->g->name };

		why_take_running(w, &r);
	}
	if (!w->due || !is_target(w, span->g))
		return;
	at = walk_from_end(span->g->id, span->g->name, span->to, trail_newest(w->trail, span->g));
	answer_target(w, w->to, &at);
}

static void target_ends(void *ctx, struct goroutine *g, int64_t time, bool ended)
{
	struct why *w = ctx;
	struct trail_rec at;

	if (w->done || !is_target(w, g))
		return;
	w->target.name = g->name;
	w->target.newest = trail_newest(w->trail, g);
	w->target.end = time;
	w->target.ended = true;
	if (w->q.of == WHY_PROGRAM)
		return;
	at = walk_from_end(g->id, g->name, time, w->target.newest);
	w->answer.to_end = ended;
	answer_target(w, time, &at);
}

static void trace_begins(void *ctx, int64_t time)
{
	struct why *w = ctx;
	const struct why_question *q = &w->q;

	w->from = q->from == INT64_MIN       ? time :
		  q->from > INT64_MAX - time ? INT64_MAX :
					       time + q->from;
	w->to = q->to > INT64_MAX - time ? INT64_MAX : time + q->to;
	if (q->of == WHY_PROGRAM && q->from == INT64_MIN)
		trail_begin(w->trail);
}

static void trace_ends(void *ctx, int64_t time)
{
	struct why *w = ctx;
	struct trail_rec at;

	if (w->done || w->q.of != WHY_PROGRAM || !w->target.known)
		return;
	at = walk_from_end(w->target.id, w->target.name, w->target.end, w->target.newest);
	answer_target(w, time < w->to ? time : w->to, &at);
}

/* --- passes --- */

static void visit_instances(struct why *w)
{
	enum why_of of = w->q.of;

	spans_visit(w->s, &(struct spans_visitor){
				  .ctx = w,
				  .event = of == WHY_TASK   ? why_task_event :
					   of == WHY_REGION ? why_region_event :
							      func_event,
				  .goroutine_end = of == WHY_FUNC ? func_ends : NULL,
				  .region = of == WHY_REGION ? region_ends : NULL,
			  });
}

struct why *why_new(const struct why_question *q)
{
	struct why *w = xcalloc(1, sizeof(*w));

	w->q = *q;
	w->s = spans_new();
	w->trail = trail_new(w->s);
	w->walk.trail = w->trail;
	w->walk.held = &w->held;
	path_init(&w->answer.path, w->s, !q->all);
	path_init(&w->answer.groups[0].path, w->s, false);
	path_init(&w->answer.groups[1].path, w->s, false);
	if (why_chooses(w)) {
		w->first = spans_new();
		pick_init(&w->pick, w->first, q->of, q->name, q->id);
		visit_instances(w);
	} else {
		spans_visit(w->s, &(struct spans_visitor){
			.ctx = w, .trace_begin = trace_begins, .event = why_on_event,
			.goroutine_begin = target_begins, .span = target_runs,
			.goroutine_end = target_ends, .trace_end = trace_ends,
		});
	}
	return w;
}

void why_free(struct why *w)
{
	if (!w)
		return;
	path_free(&w->answer.path);
	path_free(&w->answer.groups[0].path);
	path_free(&w->answer.groups[1].path);
	pick_free(&w->pick);
	held_free(&w->held);
	vec_free(&w->walk.frames);
	vec_free(&w->picked);
	map64_free(&w->open);
	trail_free(w->trail);
	spans_free(w->s);
	spans_free(w->first);
	free(w);
}

bool why_chooses(const struct why *w)
{
	return w->q.of != WHY_PROGRAM && w->q.of != WHY_GOROUTINE;
}

int why_choose(struct why *w, uint32_t trace, struct trace_reader *r, struct error *err)
{
	w->pick.trace = trace;
	return spans_read(w->first, r, err);
}

static int why_by_begin(const void *a, const void *b)
{
	const struct instance *x = a, *y = b;

	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* Chooses the instances of the two groups. No instance is in both. */
static int pick_groups(struct why *w, struct error *err)
{
	const struct pick *p = &w->pick;
	struct why_group *groups = w->answer.groups;
	size_t slow = pick_rank(p, w->q.percentile), middle = pick_rank(p, MIDDLE_TO) + 1;

	if (middle > slow)
		middle = slow;
	groups[0].n =
		pick_group(p, pick_rank(p, MIDDLE_FROM), middle, WHY_LOOKED_AT, 0, &w->picked);
	groups[1].n = pick_group(p, slow, p->list->kept.len, WHY_LOOKED_AT, 1, &w->picked);
	if (!groups[0].n)
		return error_set(err, -ENOENT,
				 "--all needs more instances than %llu to compare slow ones with "
				 "those of the middle",
				 (unsigned long long)p->list->n);
	vec_sort(&w->picked, sizeof(struct instance), why_by_begin);
	return 0;
}

int why_chosen(struct why *w, struct error *err)
{
	struct instance one;

	if (pick_sort(&w->pick, err))
		return err->code;
	w->answer.pick = &w->pick;
	spans_free(w->first);	/* its tables grow with each goroutine that lived */
	w->first = NULL;
	w->answer.from_start = w->answer.to_end = !w->pick.is_part;
	if (w->q.all)
		return pick_groups(w, err);
	one = pick_at(&w->pick, w->q.percentile);
	*(struct instance *)vec_push(&w->picked, sizeof(one)) = one;
	return 0;
}

static size_t picked_in(const struct why *w, uint32_t trace)
{
	size_t i, n = 0;

	for (i = 0; i < w->picked.len; i++)
		n += vec_at(&w->picked, struct instance, i)->trace == trace;
	return n;
}

bool why_needs(const struct why *w, uint32_t trace)
{
	return !w->failed.code && (why_chooses(w) ? picked_in(w, trace) > 0 : !w->answer.found);
}

void why_split(struct why *w, struct oncpu *o)
{
	trail_parts(w->trail)->oncpu = o;
	w->is_split |= o != NULL;
}

bool why_is_split(const struct why *w)
{
	return w->is_split;
}

int why_read(struct why *w, uint32_t trace, struct trace_reader *r, struct error *err)
{
	w->trace = trace;
	w->left = picked_in(w, trace);
	w->done = w->due = false;
	w->target = (struct target){0};
	map64_clear(&w->open);
	return spans_read(w->s, r, err);
}

int why_check(struct why *w, struct error *err)
{
	if (w->failed.code) {
		*err = w->failed;
		return err->code;
	}
	if (w->q.all && w->answer.found &&
	    !(w->answer.groups[0].looked && w->answer.groups[1].looked))
		return error_set(
			err, -ENOENT,
			"the trace could not be read again as far as to one of each group");
	if (w->answer.found)
		return 0;
	if (w->q.of == WHY_GOROUTINE)
		return error_set(err, -ENOENT, "the trace has no goroutine %llu in that time",
				 (unsigned long long)w->q.id);
	return error_set(err, -ENOENT, "the trace has nothing in that time");
}

const struct why_answer *why_answer(const struct why *w)
{
	return &w->answer;
}

struct spans *why_spans(const struct why *w)
{
	return w->s;
}
