// SPDX-License-Identifier: Apache-2.0
/* states: goroutines, their states, system calls, and Ps. Part of tableset.c. */
#include <stdlib.h>
#include <string.h>

#include "read/labels.h"
#include "read/view.h"
#include "tables/internal.h"

/* --- labels --- */

static int64_t states_put_text(struct tableset *t, const char *text, uint32_t len)
{
	return cell_text(strset_add(t->texts, text, len));
}

static void states_put_labels(struct tableset *t, int64_t id, const char *text)
{
	struct labels labels = {0};
	const struct label *label;
	int64_t *row;
	size_t i;

	labels_parse(&labels, text, strlen(text));
	for (i = 0; i < labels.all.len; i++) {
		label = vec_at(&labels.all, struct label, i);
		row = tableset_new_row(t, TABLE_LABEL);
		row[COLUMN_OF(LABEL, ID)] = id;
		row[COLUMN_OF(LABEL, KEY)] =
			states_put_text(t, label_key(&labels, label), label->key_len);
		row[COLUMN_OF(LABEL, VALUE)] =
			states_put_text(t, label_value(&labels, label), label->value_len);
		tableset_put_row(t, TABLE_LABEL);
	}
	labels_free(&labels);
}

int64_t tableset_label_set(struct tableset *t, const char *labels)
{
	uint64_t *number;
	bool is_new;

	if (!*labels)
		return TABLE_NULL;
	if (labels == t->last_labels)
		return t->last_label_set;
	number = map64_put(&t->label_sets, (uintptr_t)labels, &is_new);
	t->last_labels = labels;
	if (is_new)
		*number = t->label_sets.len;
	if (*number > IDS_MOST) {
		t->label_sets_dropped += is_new;
		return t->last_label_set = TABLE_NULL;
	}
	t->last_label_set = tableset_id(t, *number);
	if (is_new)
		states_put_labels(t, t->last_label_set, labels);
	return t->last_label_set;
}

/* --- states --- */

static const char *const state_names[] = {
	[GO_RUNNABLE] = "runnable", [GO_RUNNING] = "running",
	[GO_WAITING] = "waiting", [GO_SYSCALL] = "syscall",
};

/* Is @edge of an event of another goroutine than @g? */
static bool is_by_another(const struct span_edge *edge, const struct goroutine *g)
{
	return edge->type && edge->g != g->id && edge->g != TRACEV2_NO_ID;
}

/* The goroutines that began and ended the stay. */
static void states_put_edges(const struct tableset *t, int64_t *row, const struct span *s)
{
	const struct goroutine *ender;

	if (s->begin.type)
		row[COLUMN_OF(STATE, BEGIN_EVENT)] = cell_text(view_event_name(s->begin.type));
	if (is_by_another(&s->begin, s->g)) {
		row[COLUMN_OF(STATE, WAKER)] = (int64_t)s->begin.g;
		row[COLUMN_OF(STATE, WAKER_STACK)] = cell_stack(t, s->begin.stack);
	}
	if (s->state == GO_WAITING && is_by_another(&s->end, s->g)) {
		ender = spans_goroutine(t->spans, s->end.g);
		row[COLUMN_OF(STATE, ENDER)] = (int64_t)s->end.g;
		row[COLUMN_OF(STATE, ENDER_NAME)] = ender ? cell_word(ender->name) : TABLE_NULL;
		row[COLUMN_OF(STATE, ENDER_STACK)] = cell_stack(t, s->end.stack);
	}
	row[COLUMN_OF(STATE, OPEN_END)] = !s->end.type;
}

static void states_put_state(struct tableset *t, const struct span *s, int64_t from)
{
	int64_t *row = tableset_new_row(t, TABLE_STATE);

	row[COLUMN_OF(STATE, TS)] = from;
	row[COLUMN_OF(STATE, DUR)] = cell_length(s->from, s->to);
	row[COLUMN_OF(STATE, GOID)] = (int64_t)s->g->id;
	row[COLUMN_OF(STATE, NAME)] = cell_word(s->g->name);
	row[COLUMN_OF(STATE, STATE)] = cell_text(s->gap ? "gap" : state_names[s->state]);
	row[COLUMN_OF(STATE, REASON)] = cell_word(s->reason);
	/* A goroutine begins to run at the stack of its runnable stay. */
	if (s->state != GO_RUNNING || !s->begin.type)
		row[COLUMN_OF(STATE, STACK)] = cell_stack(t, s->stack);
	row[COLUMN_OF(STATE, P)] = cell_id(s->p);
	row[COLUMN_OF(STATE, TID)] = cell_id(s->m);
	if (s->wait)
		row[COLUMN_OF(STATE, OBJECT)] = cell_text(wait_objects_text(&t->objects, s->wait));
	row[COLUMN_OF(STATE, LABELS)] = tableset_label_set(t, s->g->labels);
	states_put_edges(t, row, s);
	tableset_put_row(t, TABLE_STATE);
}

static void states_put_syscall(struct tableset *t, const struct span *s, int64_t from)
{
	int64_t *row = tableset_new_row(t, TABLE_SYSCALL);

	row[COLUMN_OF(SYSCALL, TS)] = from;
	row[COLUMN_OF(SYSCALL, DUR)] = cell_length(s->from, s->to);
	row[COLUMN_OF(SYSCALL, GOID)] = (int64_t)s->g->id;
	row[COLUMN_OF(SYSCALL, TID)] = cell_id(s->m);
	row[COLUMN_OF(SYSCALL, P)] = cell_id(s->p);
	if (s->p == TRACEV2_NO_ID)
		row[COLUMN_OF(SYSCALL, P_DUR)] = 0;
	else if (s->p_until != INT64_MAX)
		row[COLUMN_OF(SYSCALL, P_DUR)] = cell_length(s->from, s->p_until);
	row[COLUMN_OF(SYSCALL, STACK)] = cell_stack(t, s->stack);
	row[COLUMN_OF(SYSCALL, OPEN_BEGIN)] = !s->begin.type;
	row[COLUMN_OF(SYSCALL, OPEN_END)] = !s->end.type;
	tableset_put_row(t, TABLE_SYSCALL);
}

static void states_on_span(void *ctx, const struct span *s)
{
	struct tableset *t = ctx;
	int64_t from = tableset_time(t, s->from);

	states_put_state(t, s, from);
	if (s->state == GO_SYSCALL)
		states_put_syscall(t, s, from);
	if (s->gap)
		losses_gap(t, s);
	if (s->m != TRACEV2_NO_ID)
		threads_seen(t, s->m, from, tableset_time(t, s->to));
}

static void states_on_goroutine_end(void *ctx, struct goroutine *g, int64_t time, bool ended)
{
	struct tableset *t = ctx;
	int64_t *row = tableset_new_row(t, TABLE_GOROUTINE);

	row[COLUMN_OF(GOROUTINE, TS)] = tableset_time(t, g->since);
	row[COLUMN_OF(GOROUTINE, DUR)] = cell_length(g->since, time);
	row[COLUMN_OF(GOROUTINE, GOID)] = (int64_t)g->id;
	row[COLUMN_OF(GOROUTINE, NAME)] = cell_word(g->name);
	row[COLUMN_OF(GOROUTINE, CREATOR)] = cell_id(g->creator);
	row[COLUMN_OF(GOROUTINE, CREATED)] = cell_stack(t, g->created_at);
	row[COLUMN_OF(GOROUTINE, SYSTEM)] = spans_is_system(g->name);
	row[COLUMN_OF(GOROUTINE, STARTS)] = (int64_t)g->starts;
	row[COLUMN_OF(GOROUTINE, OPEN_BEGIN)] = !g->created;
	row[COLUMN_OF(GOROUTINE, OPEN_END)] = !ended;
	tableset_put_row(t, TABLE_GOROUTINE);
}

/* --- Ps --- */

static void states_on_proc(void *ctx, const struct proc_span *s)
{
	struct tableset *t = ctx;
	int64_t *row = tableset_new_row(t, TABLE_PROC);

	row[COLUMN_OF(PROC, TS)] = tableset_time(t, s->from);
	row[COLUMN_OF(PROC, DUR)] = cell_length(s->from, s->to);
	row[COLUMN_OF(PROC, P)] = (int64_t)s->p;
	row[COLUMN_OF(PROC, STATE)] = cell_text(s->running ? "running" : "idle");
	row[COLUMN_OF(PROC, TID)] = cell_id(s->m);
	row[COLUMN_OF(PROC, OPEN_BEGIN)] = s->open_begin;
	row[COLUMN_OF(PROC, OPEN_END)] = s->open_end;
	tableset_put_row(t, TABLE_PROC);
	if (s->m != TRACEV2_NO_ID)
		threads_seen(t, s->m, tableset_time(t, s->from), tableset_time(t, s->to));
}

const struct spans_visitor tableset_states = {
	.waits = true,
	.span = states_on_span,
	.goroutine_end = states_on_goroutine_end,
	.proc = states_on_proc,
};
