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
	struct labelled *label;		/* of the first pass; NULL: not asked for */
	struct instances chosen;
	uint32_t trace;
	struct trail *trail;
	struct allocated *allocated;
	struct walk walk;
	struct held held;
	struct sides *sides;
	bool is_beside;		/* sides is of the reading that comes next */
	struct target target;
	int64_t from, to;		/* on the clock of the trace */
	/* the interval has ended, but the target's current stay is still open */
	bool due;
	bool done;
	bool is_split;
	struct why_answer *answers;	/* by rank, the slowest first; without @q.slowest one */
	size_t turn;			/* which one is at hand */
	struct error failed;
};

/* --- one interval --- */

static void why_put_answer(struct why *w, struct why_answer *a, int64_t from, int64_t to,
			   const struct trail_rec *at)
{
	if (a->found)
		return;
	a->found = true;
	a->trace = w->trace;
	a->begin = spans_first(w->s);
	a->g = at->g;
	a->name = at->name;
	walk_interval(&w->walk, &a->path, from, to, at, &w->failed);
	allocated_because(w->allocated, &a->path, &a->because);
}

/* --- instances --- */

/* Answers for an instance that ends. @at: the current piece of its goroutine. */
static void why_ends(void *ctx, const struct instance *in, const struct trail_rec *at)
{
	struct why *w = ctx;

	if (!w->q.all) {
		w->answers[in->group].task = in->g;
		why_put_answer(w, &w->answers[in->group], in->from, in->from + in->ns, at);
		return;
	}
	w->answers->found = true;
	w->answers->begin = spans_first(w->s);
	group_add(&w->answers->groups[in->group], &w->walk, in->from, in->from + in->ns, at,
		  &w->failed);
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
		why_put_answer(w, w->answers, from, to, at);
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
	w->answers->from_start = g->created && w->q.from == INT64_MIN;
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
	w->answers->to_end = ended;
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

/* The number of answers that are made. */
static size_t why_wanted(const struct why *w)
{
	return w->q.slowest && !w->q.all ? w->q.slowest : 1;
}

static void why_init_answers(struct why *w)
{
	size_t i;

	w->answers = xcalloc(why_wanted(w), sizeof(*w->answers));
	for (i = 0; i < why_wanted(w); i++) {
		path_init(&w->answers[i].path, w->s, !w->q.all);
		path_init(&w->answers[i].groups[0].path, w->s, false);
		path_init(&w->answers[i].groups[1].path, w->s, false);
	}
}

static void why_free_answers(struct why *w)
{
	size_t i;

	for (i = 0; i < why_wanted(w); i++) {
		path_free(&w->answers[i].path);
		why_because_free(&w->answers[i].because);
		path_free(&w->answers[i].groups[0].path);
		path_free(&w->answers[i].groups[1].path);
	}
	free(w->answers);
}

struct why *why_new(const struct why_question *q)
{
	struct why *w = xcalloc(1, sizeof(*w));

	w->q = *q;
	w->s = spans_new();
	w->trail = trail_new(w->s);
	w->allocated = allocated_new(w->s);
	w->walk.trail = w->trail;
	w->walk.held = &w->held;
	why_init_answers(w);
	if (why_chooses(w)) {
		w->first = spans_new();
		w->label = q->label ? labelled_new(w->first, q->label) : NULL;
		pick_init(&w->pick, w->first, q->of, q->name, q->id);
		w->pick.label = w->label;
		w->pick.request = q->request;
		instances_init(&w->chosen, w->s, w->trail, w, why_ends);
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
	why_free_answers(w);
	pick_free(&w->pick);
	labelled_free(w->label);
	held_free(&w->held);
	vec_free(&w->walk.frames);
	instances_free(&w->chosen);
	sides_free(w->sides);
	trail_free(w->trail);
	allocated_free(w->allocated);
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

/* Chooses the instances of the two groups. No instance is in both. */
static int pick_groups(struct why *w, struct error *err)
{
	const struct pick *p = &w->pick;
	struct why_group *groups = w->answers->groups;
	size_t slow = pick_rank(p, w->q.percentile), middle = pick_rank(p, MIDDLE_TO) + 1;

	if (middle > slow)
		middle = slow;
	groups[0].n =
		pick_group(p, pick_rank(p, MIDDLE_FROM), middle, WHY_LOOKED_AT, 0,
			   &w->chosen.picked);
	groups[1].n = pick_group(p, slow, p->list->kept.len, WHY_LOOKED_AT, 1,
				 &w->chosen.picked);
	if (!groups[0].n)
		return error_set(err, -ENOENT,
				 "--all needs more instances than %llu to compare slow ones with "
				 "those of the middle",
				 (unsigned long long)p->list->n);
	instances_sort(&w->chosen);
	return 0;
}

/* Chooses the slowest ones, or the one at the percentile. Group: the number of the answer. */
static void pick_answers(struct why *w)
{
	size_t i, n = pick_kept(&w->pick);
	struct instance one;

	for (i = 0; i < n && i < why_wanted(w); i++) {
		one = i ? pick_slowest(&w->pick, i) : pick_at(&w->pick, w->q.percentile);
		one.group = (uint16_t)i;
		*(struct instance *)vec_push(&w->chosen.picked, sizeof(one)) = one;
		w->answers[i].pick = &w->pick;
		w->answers[i].from_start = w->answers[i].to_end = !w->pick.is_part;
	}
	instances_sort(&w->chosen);
}

int why_chosen(struct why *w, struct error *err)
{
	if (pick_sort(&w->pick, err))
		return err->code;
	w->answers->pick = &w->pick;
	labelled_free(w->label);
	w->label = w->pick.label = NULL;
	spans_free(w->first);	/* its tables grow with each goroutine that lived */
	w->first = NULL;
	if (w->q.all)
		return pick_groups(w, err);
	pick_answers(w);
	return 0;
}

bool why_needs(const struct why *w, uint32_t trace)
{
	return !w->failed.code &&
	       (why_chooses(w) ? instances_in(&w->chosen, trace) > 0 : !w->answers->found);
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
	int ret;

	w->trace = trace;
	instances_trace(&w->chosen, trace);
	allocated_trace(w->allocated);
	w->done = w->due = false;
	w->target = (struct target){0};
	if (!w->is_beside)
		return spans_read(w->s, r, err);
	w->walk.sides = w->sides;
	ret = sides_read(w->sides, r, err);
	w->walk.sides = NULL;
	w->is_beside = false;
	return ret;
}

void why_beside(struct why *w, struct trace_reader *const *readers, size_t n)
{
	sides_free(w->sides);
	w->sides = sides_new(w->s, w->trail, readers, n);
	w->is_beside = true;
}

const struct sides *why_besides(const struct why *w)
{
	return w->sides;
}

int why_check(struct why *w, struct error *err)
{
	if (w->failed.code) {
		*err = w->failed;
		return err->code;
	}
	if (w->q.all && w->answers->found &&
	    !(w->answers->groups[0].looked && w->answers->groups[1].looked))
		return error_set(
			err, -ENOENT,
			"the trace could not be read again as far as to one of each group");
	if (why_answers(w))
		return 0;
	if (w->q.of == WHY_GOROUTINE)
		return error_set(err, -ENOENT, "the trace has no goroutine %llu in that time",
				 (unsigned long long)w->q.id);
	return error_set(err, -ENOENT, "the trace has nothing in that time");
}

const struct why_answer *why_answer(const struct why *w)
{
	return &w->answers[w->turn];
}

size_t why_answers(const struct why *w)
{
	size_t i, n = 0;

	for (i = 0; i < why_wanted(w); i++)
		n += w->answers[i].found;
	return n;
}

void why_turn(struct why *w, size_t i)
{
	for (w->turn = 0; w->turn < why_wanted(w) - 1; w->turn++)
		if (w->answers[w->turn].found && !i--)
			break;
}

struct spans *why_spans(const struct why *w)
{
	return w->s;
}
