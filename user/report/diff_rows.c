// SPDX-License-Identifier: Apache-2.0
/* diff_rows: the input of diff.c: the stays of both traces, added up in rows. See diff.h. */
#include <stdlib.h>
#include <string.h>

#include "report/diff.h"
#include "read/notes.h"
#include "report/findings.h"

/* --- slices --- */

void diff_widen(struct diff_slices *s, uint32_t shift)
{
	unsigned i;

	for (; s->shift < shift; s->shift++)
		for (i = 0; i < DIFF_SLICES; i++) {
			bool there = 2 * i < DIFF_SLICES;

			s->n[i] = there ? s->n[2 * i] + s->n[2 * i + 1] : 0;
			s->ns[i] = there ? s->ns[2 * i] + s->ns[2 * i + 1] : 0;
		}
}

static void add_slice(struct diff_slices *s, uint64_t since, uint64_t ns)
{
	uint32_t shift = s->shift;

	while (since >> shift >= DIFF_SLICES)
		shift++;
	diff_widen(s, shift);
	s->n[since >> shift]++;
	s->ns[since >> shift] += ns;
}

unsigned diff_parts(const struct diff *d, int side, uint32_t *shift)
{
	const struct diff_trace *t = &d->traces[side];
	uint64_t length = (uint64_t)t->last - (uint64_t)t->first;

	for (*shift = 0; length >> *shift >= DIFF_SLICES; )
		++*shift;
	return (unsigned)(length >> *shift) + 1;
}

static uint64_t diff_rows_since(const struct diff *d, int64_t time)
{
	int64_t first = d->traces[d->side].first;

	return time > first ? (uint64_t)time - (uint64_t)first : 0;
}

/* --- functions --- */

/* Returns a key of a text: equal texts have one address, except the empty text. */
static uintptr_t text_key(const char *text)
{
	return *text ? (uintptr_t)text : 0;
}

/*
 * Returns the function with @name, and adds it if it is new. Functions beyond DIFF_FUNCTIONS share
 * one entry without a name.
 */
struct diff_function *diff_function_of(struct diff *d, const char *name)
{
	uint64_t *number = map64_get(&d->function_numbers, text_key(name));
	struct diff_function *f;

	if (!number && d->functions.len >= DIFF_FUNCTIONS)
		number = map64_get(&d->function_numbers, text_key(name = ""));
	if (!number) {
		f = vec_push(&d->functions, sizeof(*f));
		*f = (struct diff_function){ .name = name,
					     .system = spans_is_system(name),
					     .load = 1 };
		*map64_put(&d->function_numbers, text_key(name), NULL) = d->functions.len;
		return f;
	}
	return vec_at(&d->functions, struct diff_function, *number - 1);
}

/* --- rows --- */

struct key {
	enum diff_kind kind;
	const char *name, *reason, *what;
	struct place place;
};

static uint64_t hash_key(const struct key *k, bool line)
{
	uint64_t hash = hash64_seeded(k->kind + 1);

	hash = hash64_seeded(hash ^ text_key(k->name));
	hash = hash64_seeded(hash ^ text_key(k->reason));
	hash = hash64_seeded(hash ^ text_key(k->what));
	hash = hash64_seeded(hash ^ text_key(k->place.func));
	return line ? hash64_seeded(hash ^ (k->place.line + 1)) : hash;
}

/*
 * Returns the row of the key, and adds it if it is new. The hash has 64 bits and a seed of this
 * process: the probability that two keys have one hash is negligible.
 */
static struct diff_row *row_of(struct diff *d, const struct key *k)
{
	uint64_t hash = hash_key(k, true), *number = map64_get(&d->by_key, hash);
	struct diff_row *row;

	if (number)
		return *vec_at(&d->rows, struct diff_row *, *number);
	if (d->rows.len >= DIFF_ROWS)
		return NULL;
	*map64_put(&d->by_key, hash, NULL) = d->rows.len;
	row = xcalloc(1, sizeof(*row));
	*row = (struct diff_row){
		.kind = k->kind,
		.name = k->name,
		.reason = k->reason,
		.what = k->what,
		.func = k->place.func,
		.file = k->place.file,
	};
	row->side[0].line = row->side[1].line = k->place.line;
	*(struct diff_row **)vec_push(&d->rows, sizeof(row)) = row;
	return row;
}

static struct diff_row *diff_rows_add(struct diff *d, const struct key *k, int64_t from, int64_t to)
{
	struct diff_row *row = row_of(d, k);
	uint64_t ns = (uint64_t)to - (uint64_t)from;

	if (!row) {
		d->crowded++;
		return NULL;
	}
	dist_add(&row->side[d->side].dist, (int64_t)ns);
	add_slice(&row->side[d->side].slices, diff_rows_since(d, to), ns);
	return row;
}

/* --- facts from a stack --- */

static bool diff_rows_is_runtime(const char *func)
{
	return !strncmp(func, "runtime.", 8) || !strncmp(func, "internal/", 9);
}

static struct place diff_rows_place_of(struct diff *d, uint32_t stack)
{
	return findings_place(d->places, findings_stack(d->places, stack).place);
}

/*
 * Returns the function of the library that the code of the program calls at @place:
 * sync.(*Mutex).Lock, net.(*conn).Read.
 */
static const char *what_of(struct diff *d, uint32_t stack, const struct place *place)
{
	struct stack_set *set = spans_stacks(d->spans);
	const struct stack_frame *f;
	const char *what = "";
	uint32_t i;

	for (i = 0; (f = stack_set_at(set, stack, i)); i++) {
		if (f->func == place->func && f->line == place->line)
			return diff_rows_is_runtime(what) ? "" : what;
		what = f->func;
	}
	return "";
}

/* --- spans --- */

static const enum diff_kind kinds[] = {
	[GO_RUNNABLE] = DIFF_RUNNABLE, [GO_RUNNING] = DIFF_RUNNING, [GO_WAITING] = DIFF_WAIT,
	[GO_SYSCALL] = DIFF_SYSCALL,
};

static const char nobody[] = "";

static void diff_rows_vote(struct diff_row *row, const char *waker, double lead)
{
	if (row->waker == waker || row->waker_lead >= lead) {
		row->waker_lead += row->waker == waker ? lead : -lead;
	} else {
		row->waker = waker;
		row->waker_lead = lead - row->waker_lead;
	}
}

/*
 * Adds a vote for the waker, weighted by time: a waker that has ended more than half of the time
 * wins the vote. self_ns counts goroutines of the row that wake each other, as goroutines do that
 * pass on a lock.
 */
static void note_waker(struct diff *d, struct diff_row *row, const struct span *span)
{
	const struct goroutine *g =
		span->end.g == TRACEV2_NO_ID ? NULL : spans_goroutine(d->spans, span->end.g);
	const char *waker = span->end.g == TRACEV2_NO_ID ? nobody : g && *g->name ? g->name : NULL;
	double ns = (double)span->to - (double)span->from;

	if (!waker)
		return;
	if (waker == row->name) {
		row->self_ns += ns;
		return;
	}
	row->other_ns += ns;
	diff_rows_vote(row, waker, ns);
}

/* Adds a gap, so that no rate includes its time. */
static void diff_rows_gap(struct diff *d, const struct span *span)
{
	struct diff_trace *t = &d->traces[d->side];
	int64_t from = span->from > t->gap_to ? span->from : t->gap_to;

	if (span->to <= from)
		return;
	t->unrecorded += span->to - from;
	t->gap_to = span->to;
}

/* Counts @g for its function. The function may become known only after the first span. */
static void count_goroutine(struct diff *d, const struct goroutine *g)
{
	const char **counted;
	struct diff_function *f;

	while (d->slots.len <= g->slot)
		vec_push(&d->slots, sizeof(const char *));
	counted = vec_at(&d->slots, const char *, g->slot);
	if (*counted == g->name && *counted)
		return;
	if (*counted)
		diff_function_of(d, *counted)->goroutines[d->side]--;
	*counted = g->name;
	f = diff_function_of(d, g->name);
	f->goroutines[d->side]++;
	if (g->created) {
		f->created[d->side]++;
		add_slice(&f->births[d->side], diff_rows_since(d, g->since), 0);
	}
}

static void diff_rows_on_span(void *ctx, const struct span *span)
{
	struct diff *d = ctx;
	struct key k = { kinds[span->state], span->g->name, "", "", { "", "", 0 } };
	struct diff_row *row;

	count_goroutine(d, span->g);
	if (span->gap)
		diff_rows_gap(d, span);
	if (span->gap || !span->begin.type || !span->end.type)
		return;
	if (k.kind != DIFF_RUNNABLE) {
		k.place = diff_rows_place_of(d, span->stack);
		k.what = what_of(d, span->stack, &k.place);
	}
	if (k.kind == DIFF_WAIT)
		k.reason = span->reason;
	row = diff_rows_add(d, &k, span->from, span->to);
	if (row && k.kind == DIFF_WAIT && d->side == 1)
		note_waker(d, row, span);
}

static void diff_rows_on_end(void *ctx, struct goroutine *g, int64_t time, bool ended)
{
	struct diff *d = ctx;

	if (g->slot < d->slots.len)
		*vec_at(&d->slots, const char *, g->slot) = NULL;
}

static void diff_rows_on_begin(void *ctx, struct goroutine *g)
{
	struct diff *d = ctx;

	d->traces[d->side].goroutines++;
}

/* --- ranges, regions, tasks, metrics, logs --- */

static void diff_rows_on_range(void *ctx, const struct range_span *r)
{
	struct diff *d = ctx;
	struct goroutine *g = r->scope == RESOURCE_GOROUTINE ? spans_goroutine(d->spans, r->id) :
							       NULL;
	struct key k = { DIFF_ASSIST, g ? g->name : "", "", "", { "", "", 0 } };

	if (r->open_begin || r->open_end)
		return;
	if (!strcmp(r->name, "stop-the-world")) {
		k.kind = DIFF_STOP;
		k.name = r->reason;
	} else if (strcmp(r->name, "GC mark assist")) {
		return;
	} else {
		k.place = diff_rows_place_of(d, r->stack);
	}
	diff_rows_add(d, &k, r->from, r->to);
}

static void diff_rows_on_region(void *ctx, const struct region_span *r)
{
	struct key k = { DIFF_REGION, r->type, "", "", { "", "", 0 } };

	if (!r->open_begin && !r->open_end)
		diff_rows_add(ctx, &k, r->from, r->to);
}

static void diff_rows_on_task(void *ctx, const struct task_span *t)
{
	struct key k = { DIFF_TASK, t->type, "", "", { "", "", 0 } };

	if (!t->open_begin && !t->open_end)
		diff_rows_add(ctx, &k, t->from, t->to);
}

static void diff_rows_on_metric(void *ctx, int64_t time, const char *name, uint64_t value)
{
	struct diff *d = ctx;

	if (!strcmp(name, "/sched/gomaxprocs:threads"))
		d->traces[d->side].gomaxprocs = value;
}

static void diff_rows_on_log(void *ctx, int64_t time, uint64_t g, uint64_t task,
			     const char *category, const char *message)
{
	struct diff *d = ctx;
	struct diff_trace *t = &d->traces[d->side];

	if (strcmp(category, NOTES_CATEGORY))
		return;
	t->notes++;
	if (!t->note)
		t->note = message;
}

static void diff_rows_on_event(void *ctx, const struct trace_event *ev)
{
	struct diff *d = ctx;

	d->traces[d->side].events++;
}

static void diff_rows_on_trace(void *ctx, int64_t time)
{
	struct diff *d = ctx;

	d->traces[d->side].first = d->traces[d->side].gap_to = time;
}

int diff_read(struct diff *d, int side, struct trace_reader *r, struct error *err)
{
	int ret;

	d->side = side;
	d->slots.len = 0;
	ret = spans_read(d->spans, r, err);
	d->traces[side].last = d->traces[side].events ? spans_last(d->spans) :
							d->traces[side].first;
	return ret;
}

/* --- rows of two builds --- */

static void merge_slices(struct diff_slices *to, struct diff_slices *from)
{
	unsigned i;

	diff_widen(to, from->shift);
	diff_widen(from, to->shift);
	for (i = 0; i < DIFF_SLICES; i++) {
		to->n[i] += from->n[i];
		to->ns[i] += from->ns[i];
	}
}

static void merge_row(struct diff_row *to, struct diff_row *from)
{
	int side;

	for (side = 0; side < 2; side++) {
		if (from->side[side].dist.count > to->side[side].dist.count)
			to->side[side].line = from->side[side].line;
		dist_merge(&to->side[side].dist, &from->side[side].dist);
		merge_slices(&to->side[side].slices, &from->side[side].slices);
	}
	if (from->waker)
		diff_rows_vote(to, from->waker, from->waker_lead);
	to->other_ns += from->other_ns;
	to->self_ns += from->self_ns;
	from->merged = true;
}

static uint64_t diff_rows_group_of(const struct diff_row *row)
{
	const struct key k = {
		row->kind, row->name, row->reason, row->what, { row->func, row->file, 0 }
	};

	return hash_key(&k, false);
}

/*
 * Bits of a group of rows: a line has stays in the first trace only, in the later trace only. Both
 * bits: the lines of the function moved.
 */
enum { ONLY_FIRST = 1, ONLY_LATER = 2, BOTH = 3 };

static int diff_rows_lacks(const struct diff_row *row)
{
	return (row->side[1].dist.count ? 0 : ONLY_FIRST) |
	       (row->side[0].dist.count ? 0 : ONLY_LATER);
}

/*
 * If lines of a function moved, the two traces are from different builds: the places of one reason
 * in this function are merged, and compared as one. The first row of the group gets the sums.
 */
void diff_merge_rows(struct diff *d)
{
	struct map64 groups = {0}, leaders = {0};
	size_t i;
	bool is_new;

	for (i = 0; i < d->rows.len; i++) {
		const struct diff_row *row = *vec_at(&d->rows, struct diff_row *, i);

		*map64_put(&groups, diff_rows_group_of(row), NULL) |=
			(uint64_t)diff_rows_lacks(row);
	}
	for (i = 0; i < d->rows.len; i++) {
		struct diff_row *row = *vec_at(&d->rows, struct diff_row *, i);
		uint64_t *leader;

		if (*map64_get(&groups, diff_rows_group_of(row)) != BOTH)
			continue;
		leader = map64_put(&leaders, diff_rows_group_of(row), &is_new);
		if (is_new)
			*leader = i;
		else
			merge_row(*vec_at(&d->rows, struct diff_row *, *leader), row);
	}
	map64_free(&groups);
	map64_free(&leaders);
}

/* --- begin and end --- */

struct diff *diff_new(void)
{
	struct diff *d = xcalloc(1, sizeof(*d));

	d->spans = spans_new();
	d->places = xcalloc(1, sizeof(*d->places));
	d->places->spans = d->spans;
	spans_visit(d->spans, &(struct spans_visitor){
				      .ctx = d,
				      .trace_begin = diff_rows_on_trace,
				      .event = diff_rows_on_event,
				      .goroutine_begin = diff_rows_on_begin,
				      .span = diff_rows_on_span,
				      .goroutine_end = diff_rows_on_end,
				      .range = diff_rows_on_range,
				      .region = diff_rows_on_region,
				      .task = diff_rows_on_task,
				      .metric = diff_rows_on_metric,
				      .log = diff_rows_on_log, .notes = true,
			      });
	return d;
}

static void free_places(struct findings *f)
{
	vec_free(&f->places.list);
	vec_free(&f->places.facts);
	vec_free(&f->places.library);
	map64_free(&f->places.by_key);
	free(f);
}

void diff_free(struct diff *d)
{
	size_t i;

	if (!d)
		return;
	for (i = 0; i < d->rows.len; i++) {
		struct diff_row *row = *vec_at(&d->rows, struct diff_row *, i);

		dist_free(&row->side[0].dist);
		dist_free(&row->side[1].dist);
		free(row);
	}
	vec_free(&d->rows);
	map64_free(&d->by_key);
	vec_free(&d->functions);
	map64_free(&d->function_numbers);
	vec_free(&d->slots);
	vec_free(&d->changes);
	free_places(d->places);
	spans_free(d->spans);
	free(d);
}
