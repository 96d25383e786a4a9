// SPDX-License-Identifier: Apache-2.0
/* path: see path.h. */
#include "why/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "why/place.h"

enum {
	IN_MEMORY = 8 << 20,
	CAUSES = 1 << 16,	/* further causes share number 0; a key has three numbers */
	PARTS = 1 << 18,
};

void path_init(struct path *p, struct spans *s, bool keeps_steps)
{
	*p = (struct path){ .s = s,
			    .steps = keeps_steps ? store_new(sizeof(struct step), IN_MEMORY) :
						   NULL };
	/* number 0 is for causes without room */
	*(struct cause *)vec_push(&p->causes, sizeof(struct cause)) =
		(struct cause){ .kind = STEP_KINDS, .name = "", .reason = "" };
}

void path_free(struct path *p)
{
	store_free(p->steps);
	vec_free(&p->causes);
	vec_free(&p->parts);
	vec_free(&p->places);
	map64_free(&p->cause_index);
	map64_free(&p->part_index);
	map64_free(&p->holders);
	map64_free(&p->off);
	map64_free(&p->frames);
}

void path_begin(struct path *p, int64_t from, int64_t to)
{
	p->from = from;
	p->to = p->until = to;
	p->broken = false;
}

void path_empty(struct path *p)
{
	if (p->steps)
		store_empty(p->steps);
	p->count = 0;
	p->parts.len = 0;
	map64_clear(&p->part_index);
	map64_clear(&p->holders);
	map64_clear(&p->off);
	memset(p->threads, 0, sizeof(p->threads));
	p->runnable = p->procs = p->held = p->cut_holders = 0;
	p->deepest = 0;
}

/* --- causes --- */

/*
 * Returns the first frame with the same function, file and line. Frames of one line can differ in
 * pc.
 */
static uint32_t first_of_line(struct path *p, uint32_t frame)
{
	const struct stack_frame *f = stack_set_frame_at(spans_stacks(p->s), frame), *other;
	uint64_t key = hash64_seeded((uint64_t)(uintptr_t)f->func), *found;

	key = hash64_seeded(key ^ (uint64_t)(uintptr_t)f->file) ^ hash64_seeded(f->line);
	while ((found = map64_get(&p->frames, key))) {
		other = stack_set_frame_at(spans_stacks(p->s), (uint32_t)*found);
		if (other->func == f->func && other->file == f->file && other->line == f->line)
			return (uint32_t)*found;
		key++;
	}
	*map64_put(&p->frames, key, NULL) = frame;
	return frame;
}

static struct place path_place(struct path *p, uint32_t stack)
{
	struct place *found;

	while (p->places.len <= stack)
		vec_push(&p->places, sizeof(struct place));
	found = vec_at(&p->places, struct place, stack);
	if (found->at || !stack)
		return *found;
	*found = place_of(spans_stacks(p->s), stack);
	if (found->op)
		found->op = first_of_line(p, found->op);
	if (found->at)
		found->at = first_of_line(p, found->at);
	return *found;
}

static bool path_runs(uint8_t kind)
{
	return kind == STEP_RUNNING || kind == STEP_SWEEP || kind == STEP_ASSIST ||
	       kind == STEP_STOPS;
}

/*
 * The cause of a runnable goroutine has no place: the place does not explain why the goroutine does
 * not run.
 */
static bool path_has_place(uint8_t kind)
{
	return kind != STEP_RUNNABLE && kind != STEP_STOPPED;
}

/*
 * The cause of a running goroutine has the stack that it reached; other causes have the stack at
 * which the goroutine was.
 */
static uint32_t path_stack_of(const struct step *step)
{
	return path_runs(step->kind) && step->end_stack ? step->end_stack : step->stack;
}

static bool path_same(const struct cause *a, const struct cause *b)
{
	return a->kind == b->kind && a->by == b->by && a->name == b->name &&
	       a->reason == b->reason && a->op == b->op && a->at == b->at &&
	       a->thread == b->thread && a->queued == b->queued && a->comm == b->comm &&
	       a->process == b->process && a->request == b->request;
}

static uint64_t path_hash(const struct cause *c)
{
	uint64_t h = hash64_seeded((uint64_t)(uintptr_t)c->name);

	h = hash64_seeded(h ^ (uint64_t)(uintptr_t)c->reason);
	h = hash64_seeded(h ^ ((uint64_t)c->op << 32 | c->at));
	h = hash64_seeded(h ^ (uint64_t)(uintptr_t)c->comm);
	h = hash64_seeded(h ^ (uint64_t)(uintptr_t)c->process);
	h = hash64_seeded(h ^ (uint64_t)(uintptr_t)c->request);
	return hash64_seeded(h ^ ((uint64_t)c->kind << 24 | (uint64_t)c->by << 16 |
				  (uint64_t)c->thread << 8 | c->queued));
}

static uint32_t find_cause(struct path *p, const struct cause *c)
{
	uint64_t key = path_hash(c), *found;

	while ((found = map64_get(&p->cause_index, key))) {
		if (path_same(vec_at(&p->causes, struct cause, *found), c))
			return (uint32_t)*found;
		key++;
	}
	if (p->causes.len >= CAUSES)
		return 0;
	*map64_put(&p->cause_index, key, NULL) = p->causes.len;
	*(struct cause *)vec_push(&p->causes, sizeof(*c)) = *c;
	return (uint32_t)p->causes.len - 1;
}

/*
 * Returns the name of the task that has the CPU; NULL if the step's task is only the waker of the
 * thread.
 */
static const char *comm_of(const struct step *step)
{
	return step->queued == QUEUED_PREEMPTED || step->queued == QUEUED_YIELDED ?
		       step->taker.comm :
		       NULL;
}

uint32_t path_cause(struct path *p, const struct step *step)
{
	bool queued = step->thread == THREAD_QUEUED + 1;
	struct place at = path_place(p, path_has_place(step->kind) ? path_stack_of(step) : 0);
	struct cause c = {
		.kind = step->kind,
		.by = step->by,
		.name = step->name,
		.reason = path_runs(step->kind) ? "" : step->reason,
		.op = path_runs(step->kind) ? 0 : at.op,
		.at = at.at,
		.thread = step->thread,
		.queued = queued ? step->queued : QUEUED_UNKNOWN,
		.comm = queued ? comm_of(step) : NULL,
		.process = step->process,
		.request = step->request,
	};

	return find_cause(p, &c);
}

static void path_count(struct path *p, uint32_t root, uint32_t wait, uint32_t leaf, int64_t ns)
{
	uint64_t key = (uint64_t)root << 32 | wait << 16 | leaf,
		 *found = map64_get(&p->part_index, key);
	struct part *part;

	if (!found && p->parts.len >= PARTS && root) {
		path_count(p, 0, 0, 0, ns);
		return;
	}
	if (!found) {
		found = map64_put(&p->part_index, key, NULL);
		*found = p->parts.len;
		*(struct part *)vec_push(&p->parts, sizeof(*part)) = 
			(struct part){ .root = root, .wait = wait, .leaf = leaf };
	}
	part = vec_at(&p->parts, struct part, *found);
	part->ns += (uint64_t)ns;
	part->count++;
	if (ns > part->longest)
		part->longest = ns;
}

/* --- steps --- */

void path_add(struct path *p, const struct step *step)
{
	struct step added = *step;
	uint32_t leaf = path_cause(p, step);

	if (step->to != p->until || step->from > step->to)
		p->broken = true;
	p->until = step->from;
	if (step->depth == 0)
		added.root = added.wait = leaf;
	path_count(p, added.root, added.wait, leaf, step->to - step->from);
	if (step->depth > p->deepest)
		p->deepest = step->depth;
	p->count++;
	if (p->steps)
		store_add(p->steps, &added);
}

int path_check(const struct path *p, struct error *err)
{
	if (p->steps && store_error(p->steps, err))
		return err->code;
	if (p->broken || p->until != p->from)
		return error_set(err, -EINVAL,
				 "the steps do not add up to the interval: a defect of gotap, "
				 "please report it with the trace");
	return 0;
}
