// SPDX-License-Identifier: Apache-2.0
/* candidates: see candidates.h. */
#include "unit/candidates.h"

#include <string.h>

#include "base/map64.h"
#include "read/http.h"
#include "release/release.h"
#include "why/place.h"

/* PLACES: places at which one goroutine comes back to wait; WOKEN: goroutines that it woke last */
enum { PLACES = 4, WOKEN = 4, LINES = 1 << 16 };

/* Sums over the life of a goroutine up to its last span, ns. */
struct sums {
	int64_t pace, net, running;
};

/* A place at which a goroutine has waited. A round began when the last wait there ended. */
struct visit {
	uint32_t at;
	int64_t from;		/* the begin of the round */
	struct sums begin;
	int64_t busy_to;	/* the begin of the next wait at this place; 0: it has not come */
	struct sums busy;
};

struct unit_turn {
	struct sums sums;
	struct visit visits[PLACES];
	uint32_t nvisits;
	uint64_t woken[WOKEN];
	uint32_t nwoken;
	const char *handler;	/* of the current request; NULL: none was seen */
	bool program;
};

static struct unit_turn *candidates_turn(struct candidates *c, const struct goroutine *g)
{
	while (c->turns.len <= g->slot)
		vec_push(&c->turns, sizeof(struct unit_turn));
	return vec_at(&c->turns, struct unit_turn, g->slot);
}

/* --- places --- */

/* Returns a number that frames of one function and line share; 0: there are too many lines. */
static uint32_t candidates_line(struct candidates *c, const struct stack_frame *f)
{
	uint64_t key = hash64_seeded((uint64_t)(uintptr_t)f->func) ^ hash64_seeded(f->line);
	uint64_t *found = map64_get(&c->lines, key);

	if (!found && c->lines.len < LINES) {
		found = map64_put(&c->lines, key, NULL);
		*found = c->lines.len;
	}
	return found ? (uint32_t)*found : 0;
}

/*
 * Names the work that the program does in a stack: the outermost function of package main, since
 * frameworks lie outside of it; if there is none, the outermost one that is not of the standard
 * library.
 */
static void candidates_handler(struct candidates *c, const uint32_t *frames, uint32_t n,
			    struct unit_place *place)
{
	const struct stack_set *stacks = spans_stacks(c->s);
	uint32_t i;

	for (i = n; i--; ) {
		const char *func = stack_set_frame_at(stacks, frames[i])->func;

		if (!*func || release_is_std(func))
			continue;
		if (!place->handler)
			place->handler = func;
		if (strncmp(func, "main.", 5))
			continue;
		place->handler = func;
		break;
	}
	place->program = place->handler != NULL;
}

static struct unit_place candidates_look(struct candidates *c, uint32_t stack)
{
	const struct stack_set *stacks = spans_stacks(c->s);
	struct unit_place place = { .known = true };
	uint32_t at = place_of(stacks, stack).at, n, i;
	const uint32_t *frames = stack_set_of(stacks, stack, &n);

	if (!n)
		return place;
	candidates_handler(c, frames, n, &place);
	if (!place.program)
		at = frames[n - 1];
	for (i = 0; i < n && frames[i] != at; i++)
		;
	place.depth = (uint16_t)(n - i);
	place.at = candidates_line(c, stack_set_frame_at(stacks, at));
	return place;
}

struct unit_place candidates_place(struct candidates *c, uint32_t stack)
{
	struct unit_place *place;

	if (!stack)
		return (struct unit_place){ .known = true };
	while (c->places.len <= stack)
		vec_push(&c->places, sizeof(struct unit_place));
	place = vec_at(&c->places, struct unit_place, stack);
	if (!place->known)
		*place = candidates_look(c, stack);
	return *place;
}

/* --- waits --- */

static const struct {
	const char *reason;
	int8_t wait;
} wait_kinds[] = {
	{ "chan receive", UNIT_WAIT_WORK },
	{ "select", UNIT_WAIT_WORK },
	{ "sync.(*Cond).Wait", UNIT_WAIT_WORK },
	{ "network", UNIT_WAIT_NET },
	{ "sleep", UNIT_WAIT_SLEEP },
	{ "GC mark assist wait for work", -1 },
	{ "GC background sweeper wait", -1 },
	{ "wait until GC ends", -1 },
	{ "GC weak to strong wait", -1 },
	{ SPANS_GAP, -1 },
};

static int8_t candidates_find_wait(const char *reason)
{
	size_t i;

	for (i = 0; i < sizeof(wait_kinds) / sizeof(*wait_kinds); i++)
		if (!strcmp(reason, wait_kinds[i].reason))
			return wait_kinds[i].wait;
	return UNIT_WAIT_OTHER;
}

static int8_t candidates_wait(struct candidates *c, const char *reason)
{
	size_t i = (uintptr_t)reason / 16 % (sizeof(c->reasons) / sizeof(*c->reasons));

	if (c->reasons[i].text != reason) {
		c->reasons[i].text = reason;
		c->reasons[i].wait = candidates_find_wait(reason);
	}
	return c->reasons[i].wait;
}

static struct visit *visit_of(struct unit_turn *turn, uint32_t at)
{
	uint32_t i;

	for (i = 0; i < turn->nvisits; i++)
		if (turn->visits[i].at == at)
			return &turn->visits[i];
	return NULL;
}

static struct sums visit_sums(const struct sums *now, const struct sums *begin)
{
	return (struct sums){ now->pace - begin->pace, now->net - begin->net,
			      now->running - begin->running };
}

/* --- rounds --- */

struct round {
	const struct goroutine *g;
	const struct unit_turn *turn;
	const struct unit_place *place;
	int8_t wait;
	bool reply;
};

static void round_add(struct candidates *c, const struct round *round, enum unit_kind kind,
		      int64_t from, int64_t to, const struct sums *sums)
{
	bool request = kind == UNIT_REQUEST;
	struct instance in = { .from = from, .ns = to - from, .g = round->g->id,
			       .of = kind == UNIT_CYCLE ? WHY_CYCLE : WHY_ROUND };
	struct unit_list *list = unit_list_of(&c->lists, kind, round->g->name,
					      request ? round->turn->handler : NULL,
					      round->place->at);

	if (!list || in.ns <= 0)
		return;
	list->depth = round->place->depth;
	list->wait = (uint8_t)round->wait;
	list->library = !round->place->program;
	list->program |= round->turn->program;
	list->pace += sums->pace;
	list->net += sums->net;
	list->running += sums->running;
	list->replies += round->reply;
	unit_list_add(list, &in);
}

/* Did @turn wake the goroutine that ended its wait now? Then it waited for an answer. */
static bool is_reply(const struct unit_turn *turn, uint64_t by)
{
	uint32_t i;

	for (i = 0; i < WOKEN && i < turn->nwoken; i++)
		if (turn->woken[i] == by)
			return true;
	return false;
}

static void round_ends(struct candidates *c, const struct span *span, struct unit_turn *turn,
		       const struct unit_place *place, int8_t wait)
{
	struct visit *visit = visit_of(turn, place->at);
	struct round round = { span->g, turn, place, wait,
			       span->end.g != TRACEV2_NO_ID && is_reply(turn, span->end.g) };
	bool request = wait == UNIT_WAIT_NET && !place->program;
	struct sums cycle;

	if (visit && *span->g->name) {
		cycle = visit_sums(&turn->sums, &visit->begin);
		if (visit->busy_to && request)
			round_add(c, &round, UNIT_REQUEST, visit->from, visit->busy_to,
				  &visit->busy);
		else if (visit->busy_to && wait == UNIT_WAIT_WORK)
			round_add(c, &round, UNIT_ROUND, visit->from, visit->busy_to,
				  &visit->busy);
		if (!request)
			round_add(c, &round, UNIT_CYCLE, visit->from, span->to, &cycle);
	}
	if (!visit && turn->nvisits < PLACES)
		visit = &turn->visits[turn->nvisits++];
	if (visit)
		*visit = (struct visit){ .at = place->at, .from = span->to, .begin = turn->sums };
	if (request)
		turn->handler = NULL;
}

/* --- the visitor --- */

static void turn_wakes(struct unit_turn *turn, uint64_t g)
{
	turn->woken[turn->nwoken++ % WOKEN] = g;
	if (turn->nwoken == 2 * WOKEN)
		turn->nwoken = WOKEN;
}

/*
 * Does the goroutine sleep in the function that it began with, as a loop does between two rounds?
 * A sleep in a function that the loop calls is a part of the work.
 */
static bool is_own_pace(const struct goroutine *g, const struct unit_place *place)
{
	return place->depth <= 1 || (place->depth == 2 && !strcmp(g->name, "runtime.main"));
}

static void candidates_wait_ends(struct candidates *c, const struct span *span,
				 struct unit_turn *turn)
{
	int8_t wait = candidates_wait(c, span->reason);
	struct unit_place place = candidates_place(c, span->stack);
	const struct goroutine *by;

	turn->program |= place.program;
	if (!turn->handler)
		turn->handler = place.handler;
	if ((wait == UNIT_WAIT_SLEEP && is_own_pace(span->g, &place)) || !span->end.type ||
	    (span->end.g == TRACEV2_NO_ID && wait == UNIT_WAIT_WORK))
		turn->sums.pace += span->to - span->from;
	if (wait == UNIT_WAIT_NET)
		turn->sums.net += span->to - span->from;
	if (span->gap)
		turn->nvisits = 0;
	else if (wait >= 0 && place.at && span->end.type)
		round_ends(c, span, turn, &place, wait);
	by = wait == UNIT_WAIT_WORK ? spans_goroutine(c->s, span->end.g) : NULL;
	if (by)
		turn_wakes(candidates_turn(c, by), span->g->id);
}

static void candidates_on_span(void *ctx, const struct span *span)
{
	struct candidates *c = ctx;
	struct unit_turn *turn = candidates_turn(c, span->g);
	struct unit_place place;

	if (span->state == GO_WAITING) {
		candidates_wait_ends(c, span, turn);
	} else if (go_executing(span->state)) {
		turn->sums.running += span->to - span->from;
		if (turn->program && turn->handler)
			return;
		place = candidates_place(c, span->end.g == span->g->id ? span->end.stack : 0);
		turn->program |= place.program;
		if (!turn->handler)
			turn->handler = place.handler;
	}
}

static void candidates_on_span_begin(void *ctx, const struct span *span)
{
	struct candidates *c = ctx;
	struct unit_turn *turn = candidates_turn(c, span->g);
	struct visit *visit;

	if (span->state != GO_WAITING || !turn->nvisits)
		return;
	visit = visit_of(turn, candidates_place(c, span->stack).at);
	if (!visit)
		return;
	visit->busy_to = span->from;
	visit->busy = visit_sums(&turn->sums, &visit->begin);
}

static void candidates_on_goroutine(void *ctx, struct goroutine *g)
{
	struct candidates *c = ctx;
	const struct goroutine *creator = spans_goroutine(c->s, g->creator);

	*candidates_turn(c, g) = (struct unit_turn){0};
	if (g->created && creator)
		turn_wakes(candidates_turn(c, creator), g->id);
}

/* A majority vote: the function that created most of the goroutines of @list. */
static void list_vote(struct unit_list *list, const char *creator)
{
	if (list->creators <= 0)
		list->creator = creator;
	list->creators += list->creator == creator ? 1 : -1;
}

static void candidates_on_goroutine_end(void *ctx, struct goroutine *g, int64_t time, bool ended)
{
	struct candidates *c = ctx;
	struct unit_turn *turn = candidates_turn(c, g);
	bool whole = g->created && ended;
	const struct goroutine *creator = spans_goroutine(c->s, g->creator);
	struct instance in = { .from = g->since, .ns = time - g->since, .g = g->id,
			       .of = WHY_FUNC };
	struct unit_list *list;

	if (!*g->name || in.ns <= 0)
		return;
	list = unit_list_of(&c->lists, whole ? UNIT_GOROUTINE : UNIT_LIFE, g->name, NULL, 0);
	if (!list)
		return;
	list->program |= turn->program;
	list->pace += turn->sums.pace;
	list->net += turn->sums.net;
	list->running += turn->sums.running;
	if (creator)
		list_vote(list, creator->name);
	unit_list_add(list, &in);
}

/* The region of a task that gotap made, or of a part of it: the task is the unit. */
static bool is_of_request(const struct region_span *r)
{
	return r->task > HTTP_TASKS;
}

static void candidates_on_region(void *ctx, const struct region_span *r)
{
	struct candidates *c = ctx;
	struct instance in = { .from = r->from, .ns = r->to - r->from, .g = r->g->id,
			       .of = WHY_REGION };
	struct unit_list *list;

	if (r->open_begin || r->open_end || r->depth || in.ns <= 0 || is_of_request(r))
		return;
	list = unit_list_of(&c->lists, UNIT_REGION, r->type, NULL, 0);
	if (!list)
		return;
	list->program = true;
	unit_list_add(list, &in);
}

static void candidates_on_task(void *ctx, const struct task_span *t)
{
	struct candidates *c = ctx;
	struct instance in = { .from = t->from, .ns = t->to - t->from, .g = t->id,
			       .of = WHY_TASK };
	struct unit_list *list;

	if (t->open_begin || t->open_end || in.ns <= 0 || !*t->type ||
	    !labelled_task(c->label, t->id))
		return;
	/* a request, and a task of the program that has its name, are two things */
	list = unit_list_of(&c->lists, UNIT_TASK, t->type, NULL,
			    http_is_served(t->id));
	if (!list)
		return;
	/* what the program calls is what its work waits for */
	list->program = t->id <= CALL_TASKS;
	list->served |= http_is_served(t->id);
	unit_list_add(list, &in);
}

static void candidates_on_trace(void *ctx, int64_t time)
{
	struct candidates *c = ctx;

	c->first = c->last = time;
	c->turns.len = 0;
}

static void candidates_on_end(void *ctx, int64_t time)
{
	((struct candidates *)ctx)->last = time;
}

void candidates_init(struct candidates *c, struct spans *s)
{
	*c = (struct candidates){ .s = s };
	spans_visit(s, &(struct spans_visitor){
		.ctx = c, .trace_begin = candidates_on_trace,
		.goroutine_begin = candidates_on_goroutine, .span_begin = candidates_on_span_begin,
		.span = candidates_on_span, .goroutine_end = candidates_on_goroutine_end,
		.region = candidates_on_region, .task = candidates_on_task,
		.trace_end = candidates_on_end,
	});
}

void candidates_free(struct candidates *c)
{
	unit_lists_free(&c->lists);
	vec_free(&c->turns);
	vec_free(&c->places);
	map64_free(&c->lines);
}
