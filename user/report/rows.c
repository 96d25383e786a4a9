// SPDX-License-Identifier: Apache-2.0
/*
 * rows: rows by name, up to a limit: functions (or values of a label), reasons, types. Part of
 * tables.c.
 */
#include <stdlib.h>
#include <string.h>

#include "report/internal.h"

static const char empty[] = "";
static const char others[] = "(others)";

uint32_t rows_find(struct rows *r, struct vec *vec, size_t size, uint32_t max, const char **name,
		   bool *is_new)
{
	uint64_t *found;

	*is_new = false;
	if (!**name)
		*name = empty;
	found = map64_get(&r->by_name, (uintptr_t)*name);
	if (found)
		return (uint32_t)*found;
	if (r->others) {
		*name = others;
		return r->others;
	}
	*is_new = true;
	vec_push(vec, size);
	if (vec->len == max) {
		r->others = max;
		*name = others;
	} else {
		*map64_put(&r->by_name, (uintptr_t)*name, NULL) = vec->len;
	}
	return (uint32_t)vec->len;
}

bool rows_is_others(const char *name)
{
	return name == others;
}

void rows_free(struct rows *r)
{
	map64_free(&r->by_name);
}

/* --- functions --- */

static bool is_collector(const char *name)
{
	return !strcmp(name, "runtime.gcBgMarkWorker") || !strcmp(name, "runtime.bgsweep") ||
		!strcmp(name, "runtime.bgscavenge");
}

/* Returns the value of the label; "" if the goroutine does not have the label. */
static const char *label_of(struct tables *t, const struct goroutine *g)
{
	const char *key = t->options.label;
	struct labels *labels = &t->state->labels;
	const struct label *label;

	if (!*g->labels || !labels_parse(labels, g->labels, strlen(g->labels)))
		return empty;
	label = labels_find(labels, key, strlen(key));
	return label ? spans_text(t->spans, label_value(labels, label), label->value_len) : empty;
}

static void place_row(struct tables *t, struct function_row *row, const struct goroutine *g,
		      uint32_t stack)
{
	const struct stack_frame *root = stack_set_root(spans_stacks(t->spans), stack);

	if (!root || t->options.label || row->others)
		return;
	row->placed = true;
	row->entry = g->created;
	row->file = root->file;
	row->line = root->line;
}

uint32_t function_row_of(struct tables *t, const struct goroutine *g, uint32_t stack)
{
	const char *name = t->options.label ? label_of(t, g) : g->name;
	struct function_row *row;
	bool is_new;
	uint32_t n;

	n = rows_find(&t->state->functions, &t->functions, sizeof(*row), TABLES_FUNCTIONS, &name,
		      &is_new);
	row = row_at(t, n);
	if (is_new) {
		row->name = name;
		row->file = empty;
		row->others = rows_is_others(name);
		row->system = !t->options.label && spans_is_system(name);
		row->collector = !t->options.label && is_collector(name);
	}
	if (!row->placed || (g->created && !row->entry))
		place_row(t, row, g, stack);
	return n;
}

struct dist *row_dist(struct function_row *row, uint32_t stay)
{
	if (stay >= row->ndists) {
		row->dists = xrealloc(row->dists, stay + 1, sizeof(*row->dists));
		memset(row->dists + row->ndists, 0, (stay + 1 - row->ndists) * sizeof(*row->dists));
		row->ndists = stay + 1;
	}
	if (!row->dists[stay])
		row->dists[stay] = xcalloc(1, sizeof(**row->dists));
	return row->dists[stay];
}

static void row_free(struct function_row *row)
{
	uint32_t i;

	for (i = 0; i < row->ndists; i++) {
		if (row->dists[i])
			dist_free(row->dists[i]);
		free(row->dists[i]);
	}
	free(row->dists);
	dist_free(&row->life);
}

void function_rows_free(struct tables *t)
{
	size_t i;

	for (i = 0; i < t->functions.len; i++)
		row_free(vec_at(&t->functions, struct function_row, i));
	vec_free(&t->functions);
}

/* --- reasons --- */

uint32_t stay_of_reason(struct tables *t, const char *reason)
{
	struct tables_state *s = t->state;
	const char *name = reason;
	bool is_new;
	uint32_t n;

	if (reason == s->last_reason)
		return s->last_stay;
	n = rows_find(&s->reasons, &t->reasons, sizeof(name), TABLES_REASONS, &name, &is_new);
	if (is_new)
		*vec_at(&t->reasons, const char *, n - 1) = name;
	s->last_reason = reason;
	s->last_stay = STAY_WAITS + n - 1;
	return s->last_stay;
}
