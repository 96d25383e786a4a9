// SPDX-License-Identifier: Apache-2.0
/* states: goroutines, their states, system calls, and Ps. Part of tables.c. */
#include <stdlib.h>
#include <string.h>

#include "read/labels.h"
#include "read/view.h"
#include "tables/internal.h"

/* --- labels --- */

static int64_t put_text(struct tables *t, const char *text, uint32_t len)
{
	return table_text(strset_add(t->texts, text, len));
}

static void put_labels(struct tables *t, int64_t number, const char *text)
{
	struct labels labels = {0};
	const struct label *label;
	int64_t *row;
	size_t i;

	labels_parse(&labels, text, strlen(text));
	for (i = 0; i < labels.all.len; i++) {
		label = vec_at(&labels.all, struct label, i);
		row = tables_new_row(t, TABLE_LABEL);
		row[COLUMN_OF(LABEL, ID)] = number;
		row[COLUMN_OF(LABEL, KEY)] = put_text(t, label_key(&labels, label), label->key_len);
		row[COLUMN_OF(LABEL, VALUE)] =
			put_text(t, label_value(&labels, label), label->value_len);
		tables_put_row(t, TABLE_LABEL);
	}
	labels_free(&labels);
}

int64_t tables_label_set(struct tables *t, const char *labels)
{
	uint64_t *number;
	bool is_new;

	if (!*labels)
		return TABLE_NULL;
	if (labels == t->last_labels)
		return t->last_label_set;
	number = map64_put(&t->label_sets, (uintptr_t)labels, &is_new);
	if (is_new) {
		*number = t->label_sets.len;
		put_labels(t, (int64_t)*number, labels);
	}
	t->last_labels = labels;
	t->last_label_set = (int64_t)*number;
	return t->last_label_set;
}

/* --- states --- */

static const char *const state_names[] = {
	[GO_RUNNABLE] = "runnable", [GO_RUNNING] = "running",
	[GO_WAITING] = "waiting", [GO_SYSCALL] = "syscall",
};

static void put_waker(int64_t *row, const struct span *s)
{
	const struct span_edge *by = &s->begin;

	if (!by->type)
		return;
	row[COLUMN_OF(STATE, BEGIN_EVENT)] = table_text(view_event_name(by->type));
	if (by->g == s->g->id || by->g == TRACEV2_NO_ID)
		return;
	row[COLUMN_OF(STATE, WAKER)] = (int64_t)by->g;
	row[COLUMN_OF(STATE, WAKER_STACK)] = tables_stack(by->stack);
}

static void put_state(struct tables *t, const struct span *s, int64_t from)
{
	int64_t *row = tables_new_row(t, TABLE_STATE);

	row[COLUMN_OF(STATE, TS)] = from;
	row[COLUMN_OF(STATE, DUR)] = tables_length(s->from, s->to);
	row[COLUMN_OF(STATE, GOID)] = (int64_t)s->g->id;
	row[COLUMN_OF(STATE, STATE)] = table_text(s->gap ? "gap" : state_names[s->state]);
	row[COLUMN_OF(STATE, REASON)] = tables_word(s->reason);
	/* A goroutine begins to run at the stack of its runnable stay. */
	if (s->state != GO_RUNNING || !s->begin.type)
		row[COLUMN_OF(STATE, STACK)] = tables_stack(s->stack);
	row[COLUMN_OF(STATE, P)] = table_id(s->p);
	row[COLUMN_OF(STATE, TID)] = table_id(s->m);
	if (s->wait)
		row[COLUMN_OF(STATE, OBJECT)] = table_text(objects_text(&t->objects, s->wait));
	row[COLUMN_OF(STATE, LABELS)] = tables_label_set(t, s->g->labels);
	row[COLUMN_OF(STATE, OPEN_END)] = !s->end.type;
	put_waker(row, s);
	tables_put_row(t, TABLE_STATE);
}

static void put_syscall(struct tables *t, const struct span *s, int64_t from)
{
	int64_t *row = tables_new_row(t, TABLE_SYSCALL);

	row[COLUMN_OF(SYSCALL, TS)] = from;
	row[COLUMN_OF(SYSCALL, DUR)] = tables_length(s->from, s->to);
	row[COLUMN_OF(SYSCALL, GOID)] = (int64_t)s->g->id;
	row[COLUMN_OF(SYSCALL, TID)] = table_id(s->m);
	row[COLUMN_OF(SYSCALL, P)] = table_id(s->p);
	if (s->p_until != INT64_MAX)
		row[COLUMN_OF(SYSCALL, P_DUR)] = tables_length(s->from, s->p_until);
	row[COLUMN_OF(SYSCALL, STACK)] = tables_stack(s->stack);
	row[COLUMN_OF(SYSCALL, OPEN_BEGIN)] = !s->begin.type;
	row[COLUMN_OF(SYSCALL, OPEN_END)] = !s->end.type;
	tables_put_row(t, TABLE_SYSCALL);
}

static void states_on_span(void *ctx, const struct span *s)
{
	struct tables *t = ctx;
	int64_t from = tables_time(t, s->from);

	put_state(t, s, from);
	if (s->state == GO_SYSCALL)
		put_syscall(t, s, from);
	if (s->gap)
		losses_gap(t, s);
	if (s->m != TRACEV2_NO_ID)
		threads_seen(t, s->m, from, tables_time(t, s->to));
}

static void states_on_goroutine_end(void *ctx, struct goroutine *g, int64_t time, bool ended)
{
	struct tables *t = ctx;
	int64_t *row = tables_new_row(t, TABLE_GOROUTINE);

	row[COLUMN_OF(GOROUTINE, TS)] = tables_time(t, g->since);
	row[COLUMN_OF(GOROUTINE, DUR)] = tables_length(g->since, time);
	row[COLUMN_OF(GOROUTINE, GOID)] = (int64_t)g->id;
	row[COLUMN_OF(GOROUTINE, NAME)] = tables_word(g->name);
	row[COLUMN_OF(GOROUTINE, CREATOR)] = table_id(g->creator);
	row[COLUMN_OF(GOROUTINE, CREATED)] = tables_stack(g->created_at);
	row[COLUMN_OF(GOROUTINE, SYSTEM)] = spans_is_system(g->name);
	row[COLUMN_OF(GOROUTINE, STARTS)] = (int64_t)g->starts;
	row[COLUMN_OF(GOROUTINE, OPEN_BEGIN)] = !g->created;
	row[COLUMN_OF(GOROUTINE, OPEN_END)] = !ended;
	tables_put_row(t, TABLE_GOROUTINE);
}

/* --- Ps --- */

static void states_on_proc(void *ctx, const struct proc_span *s)
{
	struct tables *t = ctx;
	int64_t *row = tables_new_row(t, TABLE_PROC);

	row[COLUMN_OF(PROC, TS)] = tables_time(t, s->from);
	row[COLUMN_OF(PROC, DUR)] = tables_length(s->from, s->to);
	row[COLUMN_OF(PROC, P)] = (int64_t)s->p;
	row[COLUMN_OF(PROC, STATE)] = table_text(s->running ? "running" : "idle");
	row[COLUMN_OF(PROC, TID)] = table_id(s->m);
	row[COLUMN_OF(PROC, OPEN_BEGIN)] = s->open_begin;
	row[COLUMN_OF(PROC, OPEN_END)] = s->open_end;
	tables_put_row(t, TABLE_PROC);
	if (s->m != TRACEV2_NO_ID)
		threads_seen(t, s->m, tables_time(t, s->from), tables_time(t, s->to));
}

const struct spans_visitor tables_states = {
	.waits = true,
	.span = states_on_span,
	.goroutine_end = states_on_goroutine_end,
	.proc = states_on_proc,
};
