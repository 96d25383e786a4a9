// SPDX-License-Identifier: Apache-2.0
/*
 * tables: see tables.h. This file has the clock, the origin and the files; states.c, ranges.c,
 * losses.c, threads.c and facts.c fill the tables.
 */
#include "tables/tables.h"

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

static void tables_begin_clock(struct tables *t, const struct trace_event *ev)
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

static void tables_on_event(void *ctx, const struct trace_event *ev)
{
	struct tables *t = ctx;

	t->events++;
	if (t->began)
		return;
	t->began = true;
	tables_begin_clock(t, ev);
}

static void tables_on_origin(void *ctx, int64_t time, const char *text)
{
	struct tables *t = ctx;

	origin_take(&t->origin, text);
}

static void tables_on_end(void *ctx, int64_t time)
{
	losses_end(ctx);
}

/* --- files --- */

/* Returns a writer of table @i to @fd. */
static struct parquet *tables_parquet(const struct tables *t, enum tables_id i, int fd)
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
static int tables_open(void *ctx)
{
	struct tables *t = ctx;
	struct tables_place place = {
		.host = t->origin.facts[ORIGIN_HOST], .program = t->origin.facts[ORIGIN_PROGRAM],
		.has_wall = t->has_wall, .begin = tables_time(t, spans_first(t->spans)),
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
			t->tables[i].parquet = tables_parquet(t, i, fds[i]);
	return 0;
}

/* --- begin and end --- */

struct tables *tables_new(const struct tables_setup *setup)
{
	struct tables *t = xcalloc(1, sizeof(*t));
	struct spans_visitor states = tables_states, ranges = tables_ranges;
	enum tables_id i;

	t->setup = *setup;
	if (!t->setup.group_rows)
		t->setup.group_rows = PARQUET_GROUP_ROWS;
	t->texts = strset_new();
	objects_init(&t->objects);
	for (i = 0; i < TABLES; i++) {
		table_init(&t->tables[i], i, setup->wanted[i], t->setup.group_rows);
		t->tables[i].trace_id = setup->trace_id;
		t->tables[i].open = tables_open;
		t->tables[i].ctx = t;
	}
	t->spans = spans_new();
	states.ctx = ranges.ctx = t;
	spans_visit(t->spans, &(struct spans_visitor){ .ctx = t, .event = tables_on_event,
						       .origin = tables_on_origin,
						       .trace_end = tables_on_end });
	spans_visit(t->spans, &states);
	spans_visit(t->spans, &ranges);
	return t;
}

struct spans *tables_spans(struct tables *t)
{
	return t->spans;
}

int tables_read(struct tables *t, struct trace_reader *r, struct error *err)
{
	t->reader = r;
	return spans_read(t->spans, r, err);
}

static int tables_end_files(struct tables *t, struct error *err)
{
	enum tables_id i;

	for (i = 0; i < TABLES; i++) {
		if (!t->setup.wanted[i])
			continue;
		if (table_end(&t->tables[i], err))
			return t->failed.code ? (*err = t->failed, err->code) :
						error_prefix(err, "table %s", schema_table(i)->name);
	}
	return 0;
}

int tables_end(struct tables *t, const char *fault, struct error *err)
{
	if (fault)
		losses_fault(t, "damage", fault);
	threads_put(t);
	facts_put(t, fault);
	facts_put_stacks(t);
	return tables_end_files(t, err);
}

uint64_t tables_rows(const struct tables *t, enum tables_id id)
{
	const struct parquet *p = t->tables[id].parquet;

	return p ? parquet_counts(p)->rows : 0;
}

uint64_t tables_bytes(const struct tables *t, enum tables_id id)
{
	const struct parquet *p = t->tables[id].parquet;

	return p ? parquet_counts(p)->bytes : 0;
}

uint64_t tables_events(const struct tables *t)
{
	return t->events;
}

uint64_t tables_dropped(const struct tables *t)
{
	return spans_texts_dropped(t->spans) + t->objects.dropped +
	       stack_set_dropped(spans_stacks(t->spans));
}

void tables_close(struct tables *t)
{
	enum tables_id i;

	if (!t)
		return;
	for (i = 0; i < TABLES; i++)
		table_free(&t->tables[i]);
	tables_states_end(t);
	spans_free(t->spans);
	strset_free(t->texts);
	objects_free(&t->objects);
	origin_free(&t->origin);
	map64_free(&t->label_sets);
	map64_free(&t->threads.numbers);
	vec_free(&t->threads.all);
	free(t);
}
