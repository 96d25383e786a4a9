// SPDX-License-Identifier: Apache-2.0
/* losses: what the recording and the tables lack. Part of tableset.c. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tables/internal.h"

static int64_t *loss_row(struct tableset *t, int64_t time, const char *kind, const char *message)
{
	int64_t *row = tableset_new_row(t, TABLE_LOSS);

	row[COLUMN_OF(LOSS, TS)] = time;
	row[COLUMN_OF(LOSS, KIND)] = cell_text(kind);
	row[COLUMN_OF(LOSS, MESSAGE)] =
		cell_text(strset_add(t->texts, message, strlen(message)));
	return row;
}

/* The notes of lost records are those of sched/notes.c. */
void losses_note(struct tableset *t, int64_t time, const char *message)
{
	uint64_t lost;
	char after;
	bool is_lost = sscanf(message, "lost %" SCNu64 " records%c", &lost, &after) == 2 &&
		       after == ' ';
	int64_t *row = loss_row(t, time, is_lost ? "lost" : "note", message);

	if (is_lost)
		row[COLUMN_OF(LOSS, COUNT)] = (int64_t)lost;
	tableset_put_row(t, TABLE_LOSS);
}

/* --- gaps --- */

static void gap_put(struct tableset *t)
{
	int64_t *row;

	if (!t->gap.open)
		return;
	t->gap.open = false;
	row = loss_row(t, t->gap.from, "gap", SPANS_GAP);
	row[COLUMN_OF(LOSS, DUR)] = cell_length(t->gap.from, t->gap.to);
	tableset_put_row(t, TABLE_LOSS);
}

/* The stays of goroutines in one gap overlap, and come in the order of their ends. */
void losses_gap(struct tableset *t, const struct span *span)
{
	int64_t from = tableset_time(t, span->from), to = tableset_time(t, span->to);

	if (t->gap.open && from > t->gap.to)
		gap_put(t);
	if (!t->gap.open)
		t->gap = (struct open_gap){ true, from, to };
	t->gap.from = from < t->gap.from ? from : t->gap.from;
	t->gap.to = to > t->gap.to ? to : t->gap.to;
}

/* --- the end --- */

void losses_fault(struct tableset *t, const char *kind, const char *text)
{
	loss_row(t, tableset_time(t, spans_last(t->spans)), kind, text);
	tableset_put_row(t, TABLE_LOSS);
}

static void put_dropped(struct tableset *t)
{
	uint64_t names = spans_texts_dropped(t->spans) + t->objects.dropped + t->label_sets_dropped,
		 stacks = stack_set_dropped(spans_stacks(t->spans));
	char text[160];
	int64_t *row;

	if (!names && !stacks)
		return;
	snprintf(text, sizeof(text),
		 "too many names and stacks: %" PRIu64 " names and %" PRIu64
		 " stacks and frames are missing",
		 names, stacks);
	row = loss_row(t, tableset_time(t, spans_last(t->spans)), "names", text);
	row[COLUMN_OF(LOSS, COUNT)] = (int64_t)(names + stacks);
	tableset_put_row(t, TABLE_LOSS);
}

void losses_end(struct tableset *t)
{
	gap_put(t);
	put_dropped(t);
}
