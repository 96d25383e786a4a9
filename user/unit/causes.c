// SPDX-License-Identifier: Apache-2.0
/* causes: see causes.h. */
#include "unit/causes.h"

#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "base/units.h"
#include "release/release.h"
#include "unit/nature.h"
#include "why/group.h"

/*
 * A cause with its time in both groups of a unit: parts of the paths of which the steps are of one
 * kind, at one place.
 */
struct row {
	struct cause leaf;
	/* of @leaf; NULL: not known. @at is that of the largest part */
	const struct stack_frame *at, *op;
	/* the wait of the unit's own goroutine that most of the time explains */
	struct cause root;
	const struct stack_frame *root_at, *root_op;
	double root_ns;		/* the largest part so far: that of @root */
	bool deep;		/* @leaf is of another goroutine than @root */
	double ns[2];		/* by group, of all instances */
	double times;		/* steps in all instances, weighted as @ns */
	int64_t path_ns;	/* of the paths of both groups */
};

struct rows {
	const struct unit *unit;
	const struct stack_set *stacks;
	double weight[2];	/* from ns of a group's sample to ns of the unit */
	struct vec list;	/* struct row */
	struct map64 index;	/* cause_row_key() -> index in @list */
};

static const struct stack_frame *frame_or_null(const struct rows *rows, uint32_t frame)
{
	return frame ? stack_set_frame_at(rows->stacks, frame) : NULL;
}

static bool cause_runs(uint8_t kind)
{
	return kind <= STEP_STOPS;
}

/*
 * A wait of a goroutine that has no frame of the program: which goroutine it is says more than the
 * place, as for the connections of net/http.
 */
static bool cause_is_foreign(const struct cause *c, const struct stack_frame *at)
{
	return c->kind == STEP_WAITING && at && release_is_std(at->func);
}

/*
 * A running goroutine has one row for each function, since the line is only where it stopped to
 * run. A runnable one has a single row.
 */
static uint64_t cause_row_key(const struct cause *c, const struct stack_frame *at,
			const struct stack_frame *op)
{
	uint64_t h = hash64_seeded((uint64_t)c->kind << 24 | (uint64_t)c->thread << 8 | c->queued);

	if (at)
		h = hash64_seeded(h ^ (uint64_t)(uintptr_t)at->func);
	if (c->process) {
		h = hash64_seeded(h ^ (uint64_t)(uintptr_t)c->process);
		h = hash64_seeded(h ^ (uint64_t)(uintptr_t)c->request);
	}
	if (cause_is_foreign(c, at))
		h = hash64_seeded(h ^ (uint64_t)(uintptr_t)c->name);
	if (cause_runs(c->kind) || c->kind == STEP_RUNNABLE)
		return h;
	if (at)
		h ^= hash64_seeded(at->line);
	if (op)
		h = hash64_seeded(h ^ (uint64_t)(uintptr_t)op->func) ^ hash64_seeded(op->line);
	return hash64_seeded(h ^ (uint64_t)(uintptr_t)c->reason) ^ hash64_seeded(c->by);
}

static struct row *cause_row(struct rows *rows, const struct cause *leaf)
{
	const struct stack_frame *at = frame_or_null(rows, leaf->at),
				 *op = frame_or_null(rows, leaf->op);
	bool is_new;
	uint64_t *found = map64_put(&rows->index, cause_row_key(leaf, at, op), &is_new);
	struct row *row;

	if (!is_new)
		return vec_at(&rows->list, struct row, *found);
	*found = rows->list.len;
	row = vec_push(&rows->list, sizeof(*row));
	*row = (struct row){ .leaf = *leaf, .at = at, .op = op };
	return row;
}

static void rows_add(struct rows *rows, const struct path *path, int group)
{
	size_t i;

	for (i = 0; i < path->parts.len; i++) {
		const struct part *part = vec_at(&path->parts, struct part, i);
		const struct cause *root = vec_at(&path->causes, struct cause, part->root);
		const struct cause *leaf = vec_at(&path->causes, struct cause, part->leaf);
		struct row *row = cause_row(rows, leaf);
		double ns = (double)part->ns * rows->weight[group];

		row->ns[group] += ns;
		row->times += (double)part->count * rows->weight[group];
		row->path_ns += (int64_t)part->ns;
		if (ns <= row->root_ns)
			continue;
		row->root_ns = ns;
		row->at = frame_or_null(rows, leaf->at);
		row->root = *root;
		row->root_at = frame_or_null(rows, root->at);
		row->root_op = frame_or_null(rows, root->op);
		row->deep = part->root != part->leaf;
	}
}

static int rows_most_first(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	double dx = x->ns[0] + x->ns[1], dy = y->ns[0] + y->ns[1];

	return dx > dy ? -1 : dx < dy;
}

/* --- words --- */

static void cause_put_frame(struct buf *b, const struct stack_frame *f)
{
	const char *base = f ? strrchr(f->file, '/') : NULL;

	if (!f || !*f->func)
		buf_printf(b, "a place that the trace does not show");
	else if (!f->line)
		buf_printf(b, "%.200s", f->func);
	else
		buf_printf(b, "%.200s (%.100s:%llu)", f->func, base ? base + 1 : f->file,
			   (unsigned long long)f->line);
}

/* The function of the library that waits; those of the runtime say no more than the reason. */
static const char *cause_op(const struct stack_frame *op)
{
	return op && *op->func && release_is_std(op->func) && strncmp(op->func, "runtime.", 8) ?
		       op->func : NULL;
}

static void cause_put_wait(struct buf *b, const struct cause *c, const struct stack_frame *at,
		     const struct stack_frame *op)
{
	const char *name = cause_op(op);

	if (!strcmp(c->reason, "sleep")) {
		buf_printf(b, "asleep at ");
	} else if (!strcmp(c->reason, "network")) {
		buf_printf(b, "waiting for the network at ");
	} else {
		buf_printf(b, "%s%s", *c->reason && strcmp(c->reason, "sync") ?
			   "blocked, " : "blocked",
			   !strcmp(c->reason, "sync") ? "" : c->reason);
		buf_printf(b, " at ");
	}
	cause_put_frame(b, at);
	if (name && strcmp(c->reason, "sleep"))
		buf_printf(b, " in %.200s", name);
}

static void cause_put_thread(struct buf *b, const struct cause *c)
{
	if (c->thread && c->thread != THREAD_RUNNING + 1)
		buf_printf(b, ", %s", thread_state_words(c->thread - 1));
	if (c->comm)
		buf_printf(b, " (by %.20s)", c->comm);
}

/* The function that had the Ps for most of the time in which the unit was ready to run. */
static const char *cause_holder(const struct unit *u, double *share)
{
	const struct map64 *holders = &u->groups[0].path.holders;
	uint64_t most = 0, held = u->groups[0].path.held;
	const char *name = NULL;
	size_t i;

	if (!holders->len)
		holders = &u->groups[1].path.holders, held = u->groups[1].path.held;
	for (i = 0; i < holders->made; i++)
		if (holders->slots[i].used && holders->slots[i].value > most) {
			most = holders->slots[i].value;
			name = (const char *)(uintptr_t)holders->slots[i].key;
		}
	*share = held ? (double)most / (double)held : 0;
	return name && *name ? name : NULL;
}

static void cause_put_runnable(struct buf *b, const struct unit *u)
{
	double share;
	const char *name = cause_holder(u, &share);

	buf_printf(b, "runnable, waiting for a P");
	if (name)
		buf_printf(b, " (the Ps run %.200s for %s of that time", name,
			   unit_share(share, 1).text);
	if (name) {
		nature_put_full(b, &u->groups[!u->groups[0].path.procs].path);
		buf_printf(b, ")");
	}
}

static void cause_put_leaf(struct buf *b, const struct unit *u, const struct row *row)
{
	static const char *const words[STEP_KINDS] = {
		[STEP_RUNNING] = "running, up to ",
		[STEP_ASSIST] = "in a GC mark assist at ",
		[STEP_SWEEP] = "sweeping for an allocation at ",
		[STEP_STOPS] = "stopping the world at ",
		[STEP_SYSCALL] = "in a system call at ",
		[STEP_SYSCALL_BARE] = "in a system call at ",
	};
	const struct cause *c = &row->leaf;

	if (c->process)
		buf_printf(b, "downstream in %.120s%s%.200s: ", c->process,
			   *c->request ? ", " : "", c->request);
	switch (c->kind) {
	case STEP_WAITING:
		cause_put_wait(b, c, row->at, row->op);
		break;
	case STEP_RUNNABLE:
		cause_put_runnable(b, u);
		break;
	case STEP_STOPPED:
		buf_printf(b, "runnable while the world is stopped (%.100s)", c->reason);
		break;
	case STEP_GAP:
		buf_printf(b, "not recorded");
		break;
	case STEP_NOT_THERE:
		buf_printf(b, "before the goroutine was created");
		break;
	default:
		if (c->kind >= STEP_KINDS || !words[c->kind]) {
			buf_printf(b, "not known");
			break;
		}
		buf_printf(b, "%s", words[c->kind]);
		cause_put_frame(b, row->at);
		if (cause_op(row->op) && !cause_runs(c->kind))
			buf_printf(b, " in %.200s", row->op->func);
	}
	cause_put_thread(b, c);
}

/*
 * Returns how often an instance of @u has the cause itself; 0 for units that are a loop: they come
 * back to every place of it.
 */
static double cause_times(const struct unit *u, const struct row *row)
{
	bool is_whole = u->kind == UNIT_TASK || u->kind == UNIT_REGION ||
			u->kind == UNIT_GOROUTINE || u->kind == UNIT_REQUEST ||
			u->kind == UNIT_ROUND;

	return is_whole && !row->deep && u->n ? row->times / (double)u->n : 0;
}

static void cause_put_row(struct buf *b, const struct unit *u, const struct row *row)
{
	cause_put_leaf(b, u, row);
	nature_put(b, &(struct nature){ &row->leaf, row->at, row->op, cause_times(u, row) });
	if (!row->deep || row->root.kind != STEP_WAITING)
		return;
	buf_printf(b, ", for which ");
	cause_put_frame(b, row->root_at);
	buf_printf(b, " waits");
	if (cause_op(row->root_op))
		buf_printf(b, " in %.200s", row->root_op->func);
	else if (*row->root.reason)
		buf_printf(b, " (%.100s)", row->root.reason);
}

/* --- causes --- */

static uint64_t cause_hash_text(uint64_t h, const char *text)
{
	for (; text && *text; text++)
		h = hash64(h ^ (uint8_t)*text);
	return hash64(h + 1);
}

/* A number that the same cause has in other traces, in which lines may have moved. */
static uint64_t cause_key(const struct row *row)
{
	const struct cause *c = &row->leaf;
	uint64_t h = hash64((uint64_t)c->kind << 24 | (uint64_t)c->thread << 8 | row->deep);

	h = cause_hash_text(h, c->reason);
	h = cause_hash_text(h, row->at && c->kind != STEP_RUNNABLE ? row->at->func : "");
	h = cause_hash_text(h, row->op && !cause_runs(c->kind) ? row->op->func : "");
	h = cause_hash_text(h, cause_is_foreign(c, row->at) ? c->name : "");
	h = cause_hash_text(h, c->process ? c->request : "");
	return cause_hash_text(h, row->deep && row->root_at ? row->root_at->func : "");
}

static void cause_place(struct unit_cause *cause, const struct unit *u, const struct row *row)
{
	const struct stack_frame *at = row->at;
	double share;
	const char *holder = row->leaf.kind == STEP_RUNNABLE ? cause_holder(u, &share) : NULL;

	cause->function = cause->file = "";
	cause->kind = row->leaf.kind;
	cause->deep = row->deep;
	cause->at = row->at;
	cause->waits_at = row->deep ? row->root_at : NULL;
	cause->root = row->leaf.name;
	cause->path_ns = row->path_ns;
	cause->key = cause_key(row);
	if (holder) {
		cause->function = holder;
		return;
	}
	if (row->deep && (!at || release_is_std(at->func)))
		at = row->root_at;
	if (!at)
		return;
	cause->function = at->func;
	cause->file = at->file;
	cause->line = at->line;
}

bool unit_cause_is_known(uint8_t kind)
{
	return kind != STEP_GAP && kind != STEP_UNKNOWN && kind != STEP_NOT_THERE &&
	       kind != STEP_ENDED;
}

/* Weights: of the slowest hundredth all or some have a path, and of the others a sample. */
static void rows_weigh(struct rows *rows)
{
	const struct unit *u = rows->unit;
	const struct why_group *rest = &u->groups[0], *slow = &u->groups[1];
	double most = (double)(u->n + 99) / 100, of_slow = 0;

	if (slow->looked) {
		rows->weight[1] = most > (double)slow->looked ? most / (double)slow->looked : 1;
		of_slow = (double)slow->ns * rows->weight[1];
	}
	if (rest->ns > 0)
		rows->weight[0] = ((double)u->ns - of_slow) / (double)rest->ns;
	if (rows->weight[0] < 0)
		rows->weight[0] = 0;
}

void unit_explain(struct unit *u, const struct stack_set *stacks)
{
	struct rows rows = { .unit = u, .stacks = stacks };
	double all = 0, per[2];
	size_t i;

	rows_weigh(&rows);
	rows_add(&rows, &u->groups[0].path, 0);
	rows_add(&rows, &u->groups[1].path, 1);
	vec_sort(&rows.list, sizeof(struct row), rows_most_first);
	for (i = 0; i < rows.list.len; i++)
		all += vec_at(&rows.list, struct row, i)->ns[0] +
		       vec_at(&rows.list, struct row, i)->ns[1];
	for (i = 0; i < 2; i++)
		per[i] = u->groups[i].looked && rows.weight[i] > 0 ?
				 rows.weight[i] * (double)u->groups[i].looked : 0;
	for (i = 0; i < rows.list.len && all > 0; i++) {
		const struct row *row = vec_at(&rows.list, struct row, i);
		struct unit_cause *cause = &u->causes[u->ncauses];
		double share = (row->ns[0] + row->ns[1]) / all;

		if (i >= UNIT_CAUSES || !unit_cause_is_known(row->leaf.kind))
			u->unattributed += share;
		if (i >= UNIT_CAUSES)
			continue;
		u->ncauses++;
		cause->share = share;
		cause->slow = (per[1] ? row->ns[1] / per[1] : 0) -
			      (per[0] ? row->ns[0] / per[0] : 0);
		cause_put_row(&cause->text, u, row);
		cause_place(cause, u, row);
	}
	vec_free(&rows.list);
	map64_free(&rows.index);
}
