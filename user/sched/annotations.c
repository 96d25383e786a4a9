// SPDX-License-Identifier: Apache-2.0
/*
 * annotations: tasks, regions and logs of package runtime/trace. See
 * handlers.h. A reader wants regions to nest per goroutine and tasks to begin
 * once. A begin before the attach is not known, so an end without its begin is
 * left out.
 */
#include "sched/handlers.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "read/http.h"
#include "read/notes.h"
#include "sched/ops.h"
#include "sched/steps.h"

/* Neither this nor 0, the background task, ever begins. */
#define NO_TASK UINT64_MAX

enum { REGION_BYTES = 32 << 20 };	/* of all that are open */

static const struct rec_user *as_user(const struct rec *r)
{
	return (const struct rec_user *)r;
}

/* Texts of the program lie in the record, one behind the other. */
#define FIRST_TEXT(r) SINK_TEXT(as_user(r)->text, as_user(r)->len[0])
#define SECOND_TEXT(r) SINK_TEXT(as_user(r)->text + as_user(r)->len[0], as_user(r)->len[1])

/*
 * Can the trace have the annotation @r of the goroutine that the thread runs? If the trace knows no
 * goroutine there, a record was lost, or the program has forged this one. The ids above HTTP_TASKS
 * are those of operations (ops.c): no program has them.
 */
static bool annotation_fits(struct model *s, const struct M *m, const struct rec *r)
{
	bool fits = m_speaks(m) && (r->id <= HTTP_TASKS || r->id == NO_TASK);

	if (!s->started)
		return false;
	if (!fits)
		repair(s, REPAIR_DROPPED);
	return fits;
}

static uint64_t *task_word(struct task_window *w, uint64_t id)
{
	return &w->begun[id % TASKS / 64];
}

/*
 * Ids between the last one and @id have not begun: their bits are those of ids that are too old
 * now.
 */
static void task_window_move(struct task_window *w, uint64_t id)
{
	uint64_t at;

	if (id - w->last >= TASKS)
		memset(w->begun, 0, sizeof(w->begun));
	else
		for (at = w->last + 1; at <= id; at++)
			*task_word(w, at) &= ~(1ULL << at % 64);
	w->last = id;
}

/*
 * False if a task @id has begun already, or may have: ids are never used twice
 * (runtime/trace, lastTaskID), and a reader refuses one that does. A thread that is
 * interrupted between its id and its record comes late, by far fewer than TASKS.
 */
static bool task_window_take(struct task_window *w, uint64_t id)
{
	uint64_t bit = 1ULL << id % 64;

	if (id > w->last)
		task_window_move(w, id);
	if (w->last - id >= TASKS || (*task_word(w, id) & bit))
		return false;
	*task_word(w, id) |= bit;
	return true;
}

void user_task_begin(struct model *s, struct M *m, const struct rec *r)
{
	if (!annotation_fits(s, m, r))
		return;
	if (r->id && r->id != NO_TASK && task_window_take(&s->tasks, r->id))
		step_emit(s, m, EV_UserTaskBegin, r->id, as_user(r)->arg, FIRST_TEXT(r),
			  as_user(r)->stack);
	else
		repair(s, REPAIR_DROPPED);
}

/* The reader takes the end of a task that it does not know, without a type. */
void user_task_end(struct model *s, struct M *m, const struct rec *r)
{
	if (!annotation_fits(s, m, r))
		return;
	step_emit(s, m, EV_UserTaskEnd, r->id, as_user(r)->stack);
}

/* NULL: too many are open. Regions that never end must not take all of the memory. */
static struct region *region_push(struct model *s, struct G *g, uint64_t task, const char *name,
				  size_t len)
{
	size_t size = sizeof(struct region) + len;
	struct region *region;

	if (s->region_bytes + size > REGION_BYTES)
		return NULL;
	region = xrealloc(NULL, size, 1);
	*region = (struct region){ .task = task };
	region->len = len;
	memcpy(region->name, name, len);
	region->outer = g->regions;
	g->regions = region;
	s->region_bytes += size;
	return region;
}

struct region *region_open(struct model *s, struct G *g, uint64_t task)
{
	struct region *region = region_push(s, g, task, "", 0);

	if (region)
		region->own = true;
	return region;
}

/*
 * A reader wants the end of the innermost region. The end of a region that began before
 * the trace did may be written only if no region has begun since.
 */
static bool region_pop(struct model *s, struct G *g, const struct rec *r)
{
	const struct rec_user *u = as_user(r);
	struct region *region = g->regions;

	if (!region)
		return true;
	if (region->own || region->task != r->id || region->len != u->len[0] ||
	    memcmp(region->name, u->text, u->len[0]))
		return false;
	g_end_region(s, g);
	return true;
}

void user_region(struct model *s, struct M *m, const struct rec *r)
{
	bool begins = r->kind == REC_USER_REGION_BEGIN;

	if (!annotation_fits(s, m, r))
		return;
	ops_end_gone(s, m);
	if (begins ? !region_push(s, m->g, r->id, as_user(r)->text, as_user(r)->len[0]) :
		     !region_pop(s, m->g, r)) {
		repair(s, REPAIR_DROPPED);
		return;
	}
	step_emit(s, m, begins ? EV_UserRegionBegin : EV_UserRegionEnd, r->id, FIRST_TEXT(r),
		  as_user(r)->stack);
}

/* The categories of notes are gotap's: a log of the program in one of them gets another name. */
void user_log(struct model *s, struct M *m, const struct rec *r)
{
	const struct rec_user *u = as_user(r);
	char category[sizeof(NOTES_PROGRAM) - 1 + REC_TEXT_MAX] = NOTES_PROGRAM;
	size_t n = sizeof(NOTES_PROGRAM) - 1,
	       len = u->len[0] < REC_TEXT_MAX ? u->len[0] : REC_TEXT_MAX;

	if (!annotation_fits(s, m, r))
		return;
	if (!notes_is_reserved(u->text, u->len[0])) {
		step_emit(s, m, EV_UserLog, r->id, FIRST_TEXT(r), SECOND_TEXT(r), u->stack);
		return;
	}
	s->counts.renamed_logs++;
	memcpy(category + n, u->text, len);
	step_emit(s, m, EV_UserLog, r->id, SINK_TEXT(category, n + len), SECOND_TEXT(r),
		  u->stack);
}
