// SPDX-License-Identifier: Apache-2.0
/* facts: the process, and the stacks and frames of all tables. Part of tableset.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tables/internal.h"

/* --- numbers in facts, which a program may have chosen --- */

static int64_t cell_fact_count(const struct tableset *t, enum origin_fact fact)
{
	const char *text = t->origin.facts[fact];
	unsigned long long n;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return TABLE_NULL;
	errno = 0;
	n = strtoull(text, &end, 10);
	return *end || errno || n > INT64_MAX ? TABLE_NULL : (int64_t)n;
}

static bool fact_real(const struct tableset *t, enum origin_fact fact, double *ret)
{
	const char *text = t->origin.facts[fact];
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	*ret = strtod(text, &end);
	return !*end && *ret >= 0 && *ret < 1e9;
}

static int64_t cell_fact_real(const struct tableset *t, enum origin_fact fact)
{
	int64_t cell;
	double real;

	if (!fact_real(t, fact, &real))
		return TABLE_NULL;
	memcpy(&cell, &real, sizeof(cell));
	return cell;
}

static int64_t cell_fact_seconds(const struct tableset *t, enum origin_fact fact)
{
	double real;

	return fact_real(t, fact, &real) ? (int64_t)(real * 1e9) : TABLE_NULL;
}

static int64_t cell_fact_text(const struct tableset *t, enum origin_fact fact)
{
	const char *text = t->origin.facts[fact];

	return text && *text ? cell_text(text) : TABLE_NULL;
}

/* --- the process --- */

static const char *last_part(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static void facts_put_origin(const struct tableset *t, int64_t *row)
{
	const char *name = last_part(t->origin.facts[ORIGIN_PROGRAM]);

	row[COLUMN_OF(PROCESS, PID)] = cell_fact_count(t, ORIGIN_PID);
	row[COLUMN_OF(PROCESS, NAME)] = cell_text(name);
	row[COLUMN_OF(PROCESS, PROGRAM)] = cell_fact_text(t, ORIGIN_PROGRAM);
	row[COLUMN_OF(PROCESS, MODULE)] = cell_fact_text(t, ORIGIN_MODULE);
	row[COLUMN_OF(PROCESS, VERSION)] = cell_fact_text(t, ORIGIN_VERSION);
	row[COLUMN_OF(PROCESS, GO)] = cell_fact_text(t, ORIGIN_GO);
	row[COLUMN_OF(PROCESS, BUILD_ID)] = cell_fact_text(t, ORIGIN_BUILD);
	row[COLUMN_OF(PROCESS, HOST_NAME)] = cell_fact_text(t, ORIGIN_HOST);
	row[COLUMN_OF(PROCESS, GOTAP)] = cell_fact_text(t, ORIGIN_GOTAP);
	row[COLUMN_OF(PROCESS, COMMAND)] = cell_fact_text(t, ORIGIN_COMMAND);
	row[COLUMN_OF(PROCESS, LOST)] = cell_fact_count(t, ORIGIN_LOST);
	row[COLUMN_OF(PROCESS, REPAIRS)] = cell_fact_count(t, ORIGIN_REPAIRS);
	row[COLUMN_OF(PROCESS, UNRECORDED)] = cell_fact_seconds(t, ORIGIN_GAPS);
	row[COLUMN_OF(PROCESS, PROBES)] = cell_fact_real(t, ORIGIN_PROBES);
	row[COLUMN_OF(PROCESS, OWN)] = cell_fact_real(t, ORIGIN_OWN);
}

void facts_put(struct tableset *t, const char *fault)
{
	int64_t *row = tableset_new_row(t, TABLE_PROCESS);

	facts_put_origin(t, row);
	row[COLUMN_OF(PROCESS, TRACE)] = cell_text(t->setup.trace);
	row[COLUMN_OF(PROCESS, START_TS)] = tableset_time(t, spans_first(t->spans));
	row[COLUMN_OF(PROCESS, END_TS)] = tableset_time(t, spans_last(t->spans));
	row[COLUMN_OF(PROCESS, CLOCK)] = cell_text(t->has_wall ? "realtime" : "trace");
	row[COLUMN_OF(PROCESS, TRACE_ZERO)] = t->offset;
	row[COLUMN_OF(PROCESS, MONO_ZERO)] = t->has_wall ? t->mono_offset : TABLE_NULL;
	row[COLUMN_OF(PROCESS, EVENTS)] = (int64_t)t->events;
	row[COLUMN_OF(PROCESS, FAULT)] =
		fault ? cell_text(strset_add(t->texts, fault, strlen(fault))) : TABLE_NULL;
	tableset_put_row(t, TABLE_PROCESS);
}

/* --- stacks --- */

static void facts_put_one_stack(struct tableset *t, uint32_t stack)
{
	uint32_t n, i;
	const uint32_t *frames = stack_set_of(spans_stacks(t->spans), stack, &n);
	int64_t *row;

	for (i = 0; i < n; i++) {
		row = tableset_new_row(t, TABLE_STACK);
		row[COLUMN_OF(STACK, ID)] = tableset_id(t, stack);
		row[COLUMN_OF(STACK, POSITION)] = i;
		row[COLUMN_OF(STACK, FRAME)] = tableset_id(t, frames[i]);
		tableset_put_row(t, TABLE_STACK);
	}
}

static void facts_put_frame(struct tableset *t, uint32_t number)
{
	const struct stack_frame *frame = stack_set_frame_at(spans_stacks(t->spans), number);
	int64_t *row = tableset_new_row(t, TABLE_FRAME);

	row[COLUMN_OF(FRAME, ID)] = tableset_id(t, number);
	row[COLUMN_OF(FRAME, NAME)] = cell_word(frame->func);
	row[COLUMN_OF(FRAME, FILE)] = cell_word(frame->file);
	row[COLUMN_OF(FRAME, LINE)] = frame->line ? (int64_t)frame->line : TABLE_NULL;
	row[COLUMN_OF(FRAME, PC)] = (int64_t)frame->pc;
	tableset_put_row(t, TABLE_FRAME);
}

void facts_put_all_stacks(struct tableset *t)
{
	uint32_t stacks = stack_set_stacks(spans_stacks(t->spans)),
		 frames = stack_set_frames(spans_stacks(t->spans)), i;

	for (i = 1; i <= stacks; i++)
		facts_put_one_stack(t, i);
	for (i = 1; i <= frames; i++)
		facts_put_frame(t, i);
}
