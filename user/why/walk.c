// SPDX-License-Identifier: Apache-2.0
/* walk: see walk.h. */
#include "why/walk.h"

#include <string.h>

#include "why/place.h"

enum { DEEPEST = 1 << 18 };	/* limit on nested waits that are followed */

/* A goroutine of the path. */
struct turn {
	uint64_t g;
	const char *name;
	int64_t floor;		/* begin of its part of the path */
	uint32_t prev;		/* the record before the current piece */
	uint32_t depth;
	/* cause of the wait of depth 0, and of the wait that this turn explains */
	uint32_t root, wait;
	uint32_t wait_stack;
	struct trail_object wait_object;
	/* event at the end of its next step: its goroutine woke or created goroutine @via_g */
	uint8_t via;
	uint64_t via_g;
	uint32_t via_stack;
	/* its side, and the process if it is not that of the path */
	struct trail_join where;
};

/* The position of the walk, which goes back in time. */
struct way {
	struct walk *w;
	struct turn turn;
	int64_t t;		/* the path has its steps after this time */
	struct trail_rec piece, edge;
	bool has_edge;		/* edge is the record of the event that ended the piece, a wait */
};

/* --- sides --- */

static struct trail *walk_trail(const struct way *way)
{
	uint32_t side = way->turn.where.side;

	return side ? sides_trail(way->w->sides, side) : way->w->trail;
}

static struct held *walk_held(const struct way *way)
{
	uint32_t side = way->turn.where.side;

	return side ? sides_held(way->w->sides, side) : way->w->held;
}

/* --- steps --- */

static uint8_t step_kind(const struct trail_rec *r)
{
	static const uint8_t kinds[] = {
		[TRAIL_RUNNING] = STEP_RUNNING,           [TRAIL_RUNNABLE] = STEP_RUNNABLE,
		[TRAIL_WAITING] = STEP_WAITING,           [TRAIL_SYSCALL] = STEP_SYSCALL,
		[TRAIL_SYSCALL_BARE] = STEP_SYSCALL_BARE, [TRAIL_GAP] = STEP_GAP,
	};

	if (r->kind == TRAIL_RUNNING && r->flags & TRAIL_STOPS)
		return STEP_STOPS;
	if (r->kind == TRAIL_RUNNING && r->flags & TRAIL_ASSIST)
		return STEP_ASSIST;
	if (r->kind == TRAIL_RUNNING && r->flags & TRAIL_SWEEP)
		return STEP_SWEEP;
	return r->kind < sizeof(kinds) ? kinds[r->kind] : STEP_UNKNOWN;
}

/*
 * Returns who ended a wait that no goroutine ended. Only timers use channels outside of goroutines,
 * but a wait on a channel is not attributed to a timer: if a recording lacks wake-ups (builds with
 * -pgo that inline their functions), the model inserts a wake-up without a waker when the goroutine
 * runs.
 */
static uint8_t ended_by_none(const char *reason)
{
	if (!strcmp(reason, "network"))
		return BY_NETPOLL;
	return strcmp(reason, "sleep") ? BY_RUNTIME : BY_TIMER;
}

/*
 * Did the network or a timer end the wait, although the trace names a goroutine? A goroutine that
 * starts the world again polls the network (startTheWorldWithSema), but has nothing to do with the
 * goroutines that become ready. A goroutine ends a wait for the network itself only with a deadline
 * or Close. A sleep ends by a timer.
 */
static bool is_from_outside(const struct way *way)
{
	if (!strcmp(way->piece.reason, "network"))
		return !place_is_poll(spans_stacks(way->w->path->s), way->edge.end_stack);
	return !strcmp(way->piece.reason, "sleep");
}

static uint8_t ended_by(const struct way *way, bool deep)
{
	if (way->piece.kind != TRAIL_WAITING)
		return BY_NONE;
	if (!way->has_edge)
		return BY_NOBODY;
	if (way->edge.flags & TRAIL_JOINED)
		return BY_NETPOLL;
	if (way->edge.g == TRACEV2_NO_ID || is_from_outside(way))
		return way->edge.flags & TRAIL_SEVERAL ? BY_SEVERAL :
							 ended_by_none(way->piece.reason);
	return deep ? BY_DEEP : BY_UNKNOWN;
}

static struct step new_step(const struct way *way, int64_t from, uint8_t kind)
{
	const struct turn *turn = &way->turn;
	struct step step = {
		.from = from,
		.to = way->t,
		.g = turn->g,
		.name = turn->name,
		.reason = "",
		.kind = kind,
		.depth = turn->depth,
		.root = turn->root,
		.wait = turn->wait,
		.wait_stack = turn->wait_stack,
		.wait_object = turn->wait_object,
		.via = turn->via,
		.via_g = turn->via_g,
		.via_stack = turn->via_stack,
		.p = UINT32_MAX,
		.syscall = -1,
		.process = turn->where.process,
		.request = turn->where.request,
		.task = turn->where.task,
		.side = turn->where.side,
	};

	return step;
}

/* Adds @step, which ends at way->t, to the path. Time outside of the interval is left out. */
static void walk_put(struct way *way, struct step *step)
{
	struct path *path = way->w->path;

	way->t = step->from;
	/* the wake-up at its end is after the interval, and is left out, too */
	if (step->to > path->to) {
		step->to = path->to;
		step->via = way->turn.via = VIA_NONE;
	}
	if (step->from >= step->to)
		return;
	way->turn.via = VIA_NONE;
	if (step->kind == STEP_RUNNABLE)
		held_step(walk_held(way), step, path);
	else
		path_add(path, step);
}

static void walk_put_unknown(struct way *way, int64_t from, uint8_t kind, uint8_t by)
{
	struct step step = new_step(way, from, kind);

	step.by = by;
	walk_put(way, &step);
}

/* Adds a step for the piece from @from on, with the state of its thread from @part. */
static void walk_put_part(struct way *way, int64_t from, const struct thread_part *part, uint8_t by)
{
	const struct trail_rec *r = &way->piece;
	struct step step = new_step(way, from, step_kind(r));

	step.reason = r->reason;
	step.object = r->object;
	step.stack = r->stack;
	step.end_stack = r->end_stack;
	step.p = r->p;
	step.by = by;
	if (part) {
		step.thread = (uint8_t)(part->state + 1);
		step.queued = part->queued;
		step.syscall = part->syscall;
		step.taker = (struct path_taker){ part->comm, part->tid, part->pid };
	}
	walk_put(way, &step);
}

static void walk_put_piece(struct way *way, int64_t from, bool deep)
{
	struct parts *split = trail_parts(walk_trail(way));
	uint8_t kind = way->piece.kind;
	struct thread_part part;

	if (!split->oncpu ||
	    (kind != TRAIL_RUNNING && kind != TRAIL_SYSCALL && kind != TRAIL_SYSCALL_BARE)) {
		walk_put_part(way, from, NULL, ended_by(way, deep));
		return;
	}
	while (way->t > from) {
		part = parts_before(split, &way->piece.parts, way->t, from);
		walk_put_part(way, part.from, &part, BY_NONE);
	}
}

/* --- from one goroutine to another --- */

/* Returns the cause of the wait of the current piece, which deeper steps explain. */
static uint32_t walk_wait_of(struct way *way, uint8_t kind, uint8_t by)
{
	struct step step = {
		.g = way->turn.g,
		.name = way->turn.name,
		.reason = way->piece.reason,
		.stack = way->piece.stack,
		.kind = kind,
		.by = by,
		.process = way->turn.where.process,
		.request = way->turn.where.request,
	};

	return path_cause(way->w->path, &step);
}

/* Continues the path in the other goroutine of @edge, in its state at that time. */
static void walk_cross(struct way *way, const struct trail_rec *edge, int64_t floor, uint32_t wait,
		       uint8_t via)
{
	way->turn = (struct turn){
		.g = edge->g,
		.name = edge->name,
		.floor = floor,
		.prev = edge->other_prev,
		.depth = way->turn.depth + 1,
		.root = way->turn.depth ? way->turn.root : wait,
		.wait = wait,
		.wait_stack = way->piece.stack,
		.wait_object = way->piece.object,
		.via = via,
		.via_g = way->turn.g,
		.via_stack = edge->end_stack,
		.where = way->turn.where,
	};
	way->piece = *edge;
	way->piece.kind = edge->other_kind;
	way->has_edge = false;
}

/*
 * Explains the wait of the current piece by the goroutine that wrote to the other end of its
 * connection: the time after the write is the network's. False if the trace of that process does
 * not have what it did.
 */
static bool walk_follow_joined(struct way *way, int64_t from)
{
	struct trail_rec edge = way->edge;
	struct trail_join where = *trail_joined(walk_trail(way), &edge);
	uint32_t wait;

	edge.from = edge.from < way->t ? edge.from : way->t;
	if (edge.from <= from || edge.other_prev == STORE_NONE)
		return false;
	if (edge.from < way->t)
		walk_put_part(way, edge.from, NULL, BY_WRITE);
	wait = walk_wait_of(way, STEP_WAITING, BY_GOROUTINE);
	if (from > way->turn.floor)
		*(struct turn *)vec_push(&way->w->frames, sizeof(struct turn)) = way->turn;
	walk_cross(way, &edge, from, wait, VIA_WOKE);
	way->turn.where = where;
	return true;
}

/*
 * Explains the wait of the current piece by the goroutine that ended the wait. False if that
 * goroutine is not known.
 */
static bool walk_follow(struct way *way, int64_t from)
{
	struct trail_rec edge = way->edge;
	uint32_t wait;

	if (way->piece.kind != TRAIL_WAITING || !way->has_edge || edge.other_kind == TRAIL_WOKE ||
	    from >= way->t || way->w->frames.len >= DEEPEST)
		return false;
	if (edge.flags & TRAIL_JOINED)
		return walk_follow_joined(way, from);
	if (is_from_outside(way))
		return false;
	wait = walk_wait_of(way, STEP_WAITING,
			    place_is_unlock(spans_stacks(way->w->path->s), edge.end_stack) ?
				    BY_HOLDER :
				    BY_GOROUTINE);
	if (from > way->turn.floor)
		*(struct turn *)vec_push(&way->w->frames, sizeof(struct turn)) = way->turn;
	walk_cross(way, &edge, from, wait, VIA_WOKE);
	return true;
}

/* Continues the path in the creator: before @created the goroutine did not exist. */
static void before_creation(struct way *way, const struct trail_rec *created)
{
	struct trail_rec edge = *created;

	if (edge.other_kind == TRAIL_WOKE) {
		walk_put_unknown(way, way->turn.floor, STEP_NOT_THERE,
				 edge.g == TRACEV2_NO_ID ? BY_RUNTIME : BY_UNKNOWN);
		return;
	}
	way->piece = (struct trail_rec){ .reason = "", .stack = edge.end_stack };
	walk_cross(way, &edge, way->turn.floor, walk_wait_of(way, STEP_NOT_THERE, BY_GOROUTINE),
		   VIA_CREATED);
}

/* --- the walk --- */

/* An older record of a goroutine can have the name of its function when newer ones do not. */
static void walk_take_name(struct turn *turn, const char *name)
{
	if (!*turn->name)
		turn->name = name;
}

/*
 * Makes the record before the current piece the current piece. False: the time down to turn.floor
 * is explained.
 */
static bool walk_next_piece(struct way *way)
{
	struct store *store = trail_store(walk_trail(way));
	const struct trail_rec *r;

	way->has_edge = false;
	if (way->turn.prev == STORE_NONE) {
		walk_put_unknown(way, way->turn.floor, STEP_UNKNOWN, BY_NONE);
		return false;
	}
	r = store_at(store, way->turn.prev);
	if (r->to < way->t) {	/* the trail has a hole */
		int64_t to = r->to > way->turn.floor ? r->to : way->turn.floor;

		walk_put_unknown(way, to, STEP_UNKNOWN, BY_NONE);
		if (to == way->turn.floor)
			return false;
		r = store_at(store, way->turn.prev);
	}
	if (r->kind == TRAIL_CREATED) {
		struct trail_rec created = *r;

		before_creation(way, &created);
		return way->t > way->turn.floor;
	}
	if (r->kind == TRAIL_WOKE) {
		way->edge = *r;
		way->has_edge = true;
		way->turn.prev = r->prev;
		if (r->prev == STORE_NONE)
			return walk_next_piece(way);
		r = store_at(store, r->prev);
	}
	way->piece = *r;
	way->turn.prev = r->prev;
	walk_take_name(&way->turn, r->name);
	return true;
}

/*
 * Explains the part of the current piece after turn.floor. False: the path needs no more time of
 * this goroutine.
 */
static bool take_piece(struct way *way)
{
	int64_t from = way->piece.from > way->turn.floor ? way->piece.from : way->turn.floor;
	bool deep = way->w->frames.len >= DEEPEST;

	if (walk_follow(way, from))
		return true;
	if (from < way->t)
		walk_put_piece(way, from, deep && way->has_edge);
	return way->t > way->turn.floor && walk_next_piece(way);
}

/*
 * Continues the path in the goroutine that waited for the current one. False: no goroutine waited.
 */
static bool walk_leave(struct way *way)
{
	struct vec *frames = &way->w->frames;

	while (frames->len) {
		way->turn = *vec_at(frames, struct turn, --frames->len);
		if (way->t > way->turn.floor && walk_next_piece(way))
			return true;
	}
	return false;
}

struct trail_rec walk_from_end(uint64_t g, const char *name, int64_t time, uint32_t newest)
{
	return (struct trail_rec){
		.from = time,
		.to = time,
		.g = g,
		.name = name,
		.reason = "",
		.prev = newest,
		.p = UINT32_MAX,
		.other_prev = STORE_NONE,
		.parts = STORE_NONE,
		.kind = TRAIL_RUNNING,
	};
}

void walk_back(struct walk *w, const struct trail_rec *at)
{
	struct way way = {
		.w = w, .t = at->to, .piece = *at,
		.turn = { .g = at->g, .name = at->name, .floor = w->path->from, .prev = at->prev },
	};

	w->frames.len = 0;
	held_begin(w->held, w->trail, at->to, w->path);
	if (w->sides)
		sides_held_begin(w->sides, at->to, w->path);
	while (way.t > w->path->from)
		if (!take_piece(&way) && !walk_leave(&way))
			break;
}
