// SPDX-License-Identifier: Apache-2.0
/*
 * tableset: see tableset.h. This file has the clock, the origin and the files; states.c, ranges.c,
 * losses.c, threads.c and facts.c fill the tables.
 */
#include "tables/tableset.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/view.h"
#include "tables/internal.h"

/* --- clocks --- */

/* Are the clocks so that no time of the trace near @time overflows? */
static bool is_sane_clock(const struct view_sync *sync, int64_t time)
{
	enum { SECONDS_MOST = 1 << 30 };
	const uint64_t most = (uint64_t)INT64_MAX / 4;

	return sync->has_clock && sync->time >= 0 && (uint64_t)sync->time < most && time >= 0 &&
	       (uint64_t)time < most && sync->mono_ns < most &&
	       sync->wall_sec < 4ull * SECONDS_MOST && sync->wall_nsec < 1000000000;
}

static void tableset_begin_clock(struct tableset *t, const struct trace_event *ev)
{
	struct view_sync sync = {0};
	int64_t wall;

	if (ev->type == TRACE_SYNC)
		sync = view_sync(ev, trace_reader_generation(t->reader));
	t->has_wall = is_sane_clock(&sync, ev->time);
	if (!t->has_wall)
		return;
	wall = (int64_t)(sync.wall_sec * 1000000000 + sync.wall_nsec);
	t->offset = wall - sync.time;
	t->mono_offset = wall - (int64_t)sync.mono_ns;
}

static void tableset_on_event(void *ctx, const struct trace_event *ev)
{
	struct tableset *t = ctx;

	t->events++;
	if (t->began)
		return;
	t->began = true;
	tableset_begin_clock(t, ev);
}

static void tableset_on_origin(void *ctx, int64_t time, const char *text)
{
	struct tableset *t = ctx;

	origin_take(&t->origin, text);
}

static void tableset_on_end(void *ctx, int64_t time)
{
	losses_end(ctx);
}

/* --- files --- */

/* Returns a writer of table @i to @fd. */
static struct parquet *tableset_parquet(const struct tableset *t, enum tables_id i, int fd)
{
	const struct schema_table *schema = schema_table(i);
	struct parquet_column columns[SCHEMA_COLUMNS_MOST];
	char version[24], id[24];
	struct parquet_pair pairs[] = {
		{ "gotap.schema", version }, { "gotap.table", schema->name },
		{ "gotap.trace_id", id },
	};
	struct parquet_options options = {
		.group_rows = t->tables[i].group_rows, .metadata = pairs,
		.metadata_count = sizeof(pairs) / sizeof(pairs[0]),
		.sorted_by = schema->sorted_by,
	};
	size_t c;

	snprintf(version, sizeof(version), "%d.%d", SCHEMA_MAJOR, SCHEMA_MINOR);
	snprintf(id, sizeof(id), "%" PRId64, t->setup.trace_id);
	for (c = 0; c < schema->n; c++)
		columns[c] = schema->columns[c].parquet;
	return parquet_new(fd, columns, schema->n, &options);
}

/* Opens the files of all tables. */
static int tableset_open(void *ctx)
{
	struct tableset *t = ctx;
	struct tableset_place place = {
		.host = t->origin.facts[ORIGIN_HOST], .program = t->origin.facts[ORIGIN_PROGRAM],
		.has_wall = t->has_wall, .begin = tableset_time(t, spans_first(t->spans)),
	};
	int fds[TABLES];
	enum tables_id i;

	if (t->opened)
		return t->failed.code;
	t->opened = true;
	memset(fds, -1, sizeof(fds));
	if (t->setup.open(t->setup.ctx, &place, fds, &t->failed))
		return t->failed.code;
	t->failed.code = 0;
	for (i = 0; i < TABLES; i++)
		if (t->setup.wanted[i])
			t->tables[i].parquet = tableset_parquet(t, i, fds[i]);
	return 0;
}

/* --- begin and end --- */

struct tableset *tableset_new(const struct tableset_setup *setup)
{
	struct tableset *t = xcalloc(1, sizeof(*t));
	struct spans_visitor states = tableset_states, ranges = tableset_ranges;
	enum tables_id i;

	t->setup = *setup;
	if (!t->setup.group_rows)
		t->setup.group_rows = PARQUET_GROUP_ROWS;
	t->texts = strset_new();
	wait_objects_init(&t->objects);
	for (i = 0; i < TABLES; i++) {
		table_init(&t->tables[i], i, setup->wanted[i], t->setup.group_rows);
		t->tables[i].trace_id = setup->trace_id;
		t->tables[i].open = tableset_open;
		t->tables[i].ctx = t;
	}
	t->spans = spans_new();
	states.ctx = ranges.ctx = t;
	spans_visit(t->spans, &(struct spans_visitor){ .ctx = t, .event = tableset_on_event,
						       .origin = tableset_on_origin,
						       .trace_end = tableset_on_end });
	spans_visit(t->spans, &states);
	spans_visit(t->spans, &ranges);
	return t;
}

struct spans *tableset_spans(struct tableset *t)
{
	return t->spans;
}

int tableset_read(struct tableset *t, struct trace_reader *r, struct error *err)
{
	t->reader = r;
	return spans_read(t->spans, r, err);
}

static int tableset_end_files(struct tableset *t, struct error *err)
{
	enum tables_id i;

	for (i = 0; i < TABLES; i++) {
		if (!t->setup.wanted[i])
			continue;
		if (!table_finish(&t->tables[i], err))
			continue;
		if (!t->failed.code)
			return error_prefix(err, "table %s", schema_table(i)->name);
		*err = t->failed;
		return err->code;
	}
	return 0;
}

int tableset_end(struct tableset *t, const char *fault, struct error *err)
{
	if (fault)
		losses_fault(t, "damage", fault);
	threads_put(t);
	facts_put(t, fault);
	facts_put_all_stacks(t);
	return tableset_end_files(t, err);
}

uint64_t tableset_rows(const struct tableset *t, enum tables_id id)
{
	const struct parquet *p = t->tables[id].parquet;

	return p ? parquet_counts(p)->rows : 0;
}

uint64_t tableset_bytes(const struct tableset *t, enum tables_id id)
{
	const struct parquet *p = t->tables[id].parquet;

	return p ? parquet_counts(p)->bytes : 0;
}

uint64_t tableset_events(const struct tableset *t)
{
	return t->events;
}

uint64_t tableset_dropped(const struct tableset *t)
{
	return spans_texts_dropped(t->spans) + t->objects.dropped + t->label_sets_dropped +
	       stack_set_dropped(spans_stacks(t->spans));
}

void tableset_close(struct tableset *t)
{
	enum tables_id i;

	if (!t)
		return;
	for (i = 0; i < TABLES; i++)
		table_free(&t->tables[i]);
	tableset_states_end(t);
	spans_free(t->spans);
	strset_free(t->texts);
	wait_objects_free(&t->objects);
	origin_free(&t->origin);
	map64_free(&t->label_sets);
	map64_free(&t->threads.numbers);
	vec_free(&t->threads.all);
	free(t);
}
