// SPDX-License-Identifier: Apache-2.0
/* page_parts: see page_parts.h. */
#include "html/page_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "report/split.h"
#include "trace/varint.h"

/* --- varints --- */

static uint64_t parts_since(const struct detail *d, int64_t time)
{
	return time > d->h->first ? (uint64_t)(time - d->h->first) : 0;
}

static void parts_add_row(struct buf *b, struct detail *d, const struct row *r)
{
	static const uint8_t longest[] = { PAGE_RUNNABLE, PAGE_SYSCALL, PAGE_WAITING };
	unsigned i;

	varint_add(b, r->id);
	varint_add(b, r->name);
	varint_add(b, (uint64_t)(r->created | r->ended << 1 | r->system << 2));
	varint_add(b, parts_since(d, r->from));
	varint_add(b, (uint64_t)(r->to - r->from));
	for (i = PAGE_RUNNING; i < PAGE_STATES; i++)
		varint_add(b, (uint64_t)r->in[i]);
	for (i = 0; i < sizeof(longest); i++) {
		varint_add(b, (uint64_t)r->longest[longest[i]]);
		varint_add(b, parts_since(d, r->longest_at[longest[i]]));
	}
	varint_add(b, r->creator + 1);
	varint_add(b, detail_stack(d, r->created_at));
	varint_add(b, r->spans);
	varint_add(b, collect_text(d->h, r->labels));
}

void parts_rows(struct buf *b, struct detail *d, const struct html_about *about)
{
	size_t i;

	varint_add(b, d->h->rows.len);
	for (i = 0; i < d->h->rows.len; i++)
		parts_add_row(b, d, vec_at(&d->h->rows, struct row, i));
}

static int parts_by_begin(const void *a, const void *b)
{
	const struct object *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->depth < y->depth ? -1 : x->depth > y->depth;
}

static void parts_add_object(struct buf *b, struct detail *d, const struct object *o, int64_t *last)
{
	varint_add(b, (uint64_t)(o->from - *last));
	varint_add(b, (uint64_t)(o->to - o->from));
	varint_add(b, (uint64_t)(o->open_begin | o->open_end << 1));
	varint_add(b, o->name);
	varint_add(b, o->reason);
	varint_add(b, detail_stack(d, o->stack));
	varint_add(b, o->g + 1);
	varint_add(b, o->depth);
	varint_add(b, o->task);
	varint_add(b, o->parent + 1);
	*last = o->from;
}

void parts_objects(struct buf *b, struct detail *d, const struct html_about *about)
{
	unsigned kind;
	size_t i;

	for (kind = 0; kind < OBJECTS; kind++) {
		struct objects *list = &d->h->objects[kind];
		int64_t last = d->h->first;

		vec_sort(&list->v, sizeof(struct object), parts_by_begin);
		varint_add(b, list->v.len);
		varint_add(b, list->dropped);
		varint_add(b, (uint64_t)list->dropped_longest);
		for (i = 0; i < list->v.len; i++)
			parts_add_object(b, d, vec_at(&list->v, struct object, i), &last);
	}
}

static int by_amount(const void *a, const void *b)
{
	const struct flame *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return x->n < y->n ? 1 : x->n > y->n ? -1 : 0;
}

/* Writes the flames with the largest amounts, and for each kind one sum of the other flames. */
void parts_flames(struct buf *b, struct detail *d, const struct html_about *about)
{
	enum { MOST = 12000 };
	struct vec *v = &d->h->flames;
	uint64_t rest[FLAMES][2] = {0};
	size_t i, n = v->len < MOST ? v->len : MOST;

	vec_sort(v, sizeof(struct flame), by_amount);
	map64_free(&d->h->flame_numbers);
	varint_add(b, n);
	for (i = 0; i < v->len; i++) {
		const struct flame *f = vec_at(v, struct flame, i);

		if (i >= n) {
			rest[f->kind][0] += f->ns;
			rest[f->kind][1] += f->n;
			continue;
		}
		varint_add(b, f->kind);
		varint_add(b, f->reason);
		varint_add(b, detail_stack(d, f->stack));
		varint_add(b, f->ns);
		varint_add(b, f->n);
	}
	for (i = 0; i < FLAMES; i++) {
		varint_add(b, rest[i][0]);
		varint_add(b, rest[i][1]);
	}
}

void parts_stacks(struct buf *b, struct detail *d, const struct html_about *about)
{
	struct stack_set *set = spans_stacks(d->h->spans);
	uint32_t *numbers = xcalloc(stack_set_frames(set) + 1, sizeof(*numbers)), frames = 0, i, k,
		 n;
	struct buf of_frames = {0}, of_stacks = {0};

	for (i = 0; i < d->stacks.len; i++) {
		const uint32_t *list = stack_set_of(set, *vec_at(&d->stacks, uint32_t, i), &n);

		varint_add(&of_stacks, n);
		for (k = 0; k < n; k++) {
			const struct stack_frame *f = stack_set_frame_at(set, list[k]);

			if (!numbers[list[k]]) {
				numbers[list[k]] = ++frames;
				varint_add(&of_frames, collect_text(d->h, f->func));
				varint_add(&of_frames, collect_text(d->h, f->file));
				varint_add(&of_frames, f->line);
			}
			varint_add(&of_stacks, numbers[list[k]] - 1);
		}
	}
	varint_add(b, frames);
	buf_add(b, of_frames.data, of_frames.len);
	varint_add(b, d->stacks.len);
	buf_add(b, of_stacks.data, of_stacks.len);
	buf_free(&of_frames);
	buf_free(&of_stacks);
	free(numbers);
}

/*
 * Writes one entry of the index: a kept block, or adjacent blocks of one group and level that are
 * not in the page.
 */
static void add_block(struct buf *b, const struct block *block, int64_t from, int64_t to,
		      uint64_t items)
{
	varint_add(b, (uint64_t)(block->plane << 1 | block->kept));
	varint_add(b, block->group);
	varint_add(b, block->level);
	varint_add(b, (uint64_t)from);
	varint_add(b, (uint64_t)(to - from));
	varint_add(b, items);
}

static bool same_place(const struct block *a, const struct block *b)
{
	return a->plane == b->plane && a->group == b->group && a->level == b->level;
}

static int by_place(const void *x, const void *y)
{
	const struct block *a = x, *b = y;

	if (!same_place(a, b))
		return a->plane != b->plane ? a->plane - b->plane : a->group != b->group ?
			(a->group < b->group ? -1 : 1) : a->level - b->level;
	return a->at < b->at ? -1 : a->at > b->at;
}

void parts_index(struct buf *b, struct detail *d)
{
	struct vec *v = &d->blocks.blocks;
	size_t i, end;

	vec_sort(v, sizeof(struct block), by_place);
	for (i = 0; i < v->len; i = end) {
		const struct block *block = vec_at(v, struct block, i);
		int64_t from = block->from, to = block->to;
		uint64_t items = block->items;

		for (end = i + 1; !block->kept && end < v->len; end++) {
			const struct block *next = vec_at(v, struct block, end);

			if (next->kept || !same_place(block, next))
				break;
			from = next->from < from ? next->from : from;
			to = next->to > to ? next->to : to;
			items += next->items;
		}
		add_block(b, block, from, to, items);
	}
}

/* --- JSON --- */

static void from_stream(struct buf *b, char *text, size_t n)
{
	buf_add(b, text, n);
	free(text);
}

void parts_texts(struct buf *b, struct detail *d, const struct html_about *about)
{
	char *text = NULL;
	size_t n = 0, i;
	struct json_out j = { .f = open_memstream(&text, &n) };

	json_open_array(&j, NULL);
	for (i = 0; i < d->h->texts.len; i++)
		json_put_text(&j, NULL, *vec_at(&d->h->texts, const char *, i));
	json_close_array(&j);
	fclose(j.f);
	from_stream(b, text, n);
}

static void page_put_origin(struct json_out *j, const struct origin *o)
{
	enum origin_fact fact;

	json_open_object(j, "origin");
	for (fact = 0; fact < ORIGIN_FACTS; fact++)
		if (o->facts[fact])
			json_put_text(j, origin_fact_title(fact), o->facts[fact]);
	json_close_object(j);
}

static void put_about(struct json_out *j, struct detail *d, const struct html_about *about)
{
	const struct html *h = d->h;

	json_put_text(j, "file", about->file);
	json_put_number(j, "version", about->version);
	json_put_text(j, "gotap", GOTAP_VERSION);
	json_put_text(j, "damage", about->damage);
	page_put_origin(j, &h->origin);
	json_put_number(j, "duration", h->last - h->first);
	json_put_count(j, "events", h->events + h->samples);
	json_put_count(j, "samples", h->samples);
	json_put_count(j, "spans", h->span_count);
	json_put_count(j, "goroutines", h->goroutines);
	json_put_count(j, "rows", h->rows.len);
	json_put_count(j, "procs", h->procs.len);
	json_put_count(j, "threads", h->threads.len);
	json_put_count(j, "losses", h->losses);
	json_put_count(j, "notes_dropped", h->notes_dropped);
	json_put_count(j, "flames_dropped", h->flames_dropped);
	json_put_count(j, "stacks_dropped",
		       d->stacks_dropped + stack_set_dropped(spans_stacks(h->spans)));
	json_put_count(j, "texts_dropped", spans_texts_dropped(h->spans));
}

static void put_pairs(struct json_out *j, const char *name, const struct vec *v, int64_t first)
{
	size_t i;

	json_open_array(j, name);
	for (i = 0; i < v->len; i++) {
		const struct gap *g = vec_at(v, struct gap, i);

		json_open_array(j, NULL);
		json_put_number(j, NULL, g->from - first);
		json_put_number(j, NULL, g->to - first);
		json_close_array(j);
	}
	json_close_array(j);
}

static void put_notes(struct json_out *j, const struct html *h)
{
	size_t i;

	json_open_array(j, "notes");
	for (i = 0; i < h->notes.len; i++) {
		const struct note *n = vec_at(&h->notes, struct note, i);

		json_open_object(j, NULL);
		json_put_number(j, "time", n->time - h->first);
		json_put_bool(j, "ours", n->ours);
		if (n->g != TRACEV2_NO_ID)
			json_put_count(j, "g", n->g);
		json_put_text(j, "text", n->text);
		json_close_object(j);
	}
	json_close_array(j);
}

static void put_tracks(struct json_out *j, struct detail *d)
{
	static const char *const names[PLANES] = {
		"p_finest", "m_finest", "g_finest", "off_p_finest", "off_m_finest", "off_g_finest",
	};
	unsigned plane;
	size_t i;

	json_open_array(j, "p_ids");
	for (i = 0; i < d->procs.len; i++)
		json_put_count(j, NULL, *vec_at(&d->procs, uint64_t, i));
	json_close_array(j);
	json_open_array(j, "m_ids");
	for (i = 0; i < d->tracks[PLANE_M].len; i++)
		json_put_count(j, NULL, *vec_at(&d->h->threads, uint64_t, i));
	json_close_array(j);
	for (plane = 0; plane < PLANES; plane++) {
		json_open_array(j, names[plane]);
		for (i = 0; i < d->tracks[plane].len; i++)
			json_put_number(j, NULL,
					vec_at(&d->tracks[plane], struct level_track, i)->finest);
		json_close_array(j);
	}
}

/*
 * Writes the names of states of threads: those of reports by key, those of the timeline by number.
 */
static void parts_put_thread_names(struct json_out *j)
{
	const char *off[PAGE_OFFS] = {
		[0] = "",
		[PAGE_OFF_QUEUED] = thread_state_words(THREAD_QUEUED),
		[PAGE_OFF_THROTTLED] = thread_state_title(THREAD_THROTTLED),
		[PAGE_OFF_KERNEL] = "page fault, disk, kernel",
		[PAGE_OFF_OTHER] = "stopped, frozen, other",
		[PAGE_OFF_UNKNOWN] = thread_state_words(THREAD_UNKNOWN),
	};
	unsigned i;

	json_open_object(j, "thread_states");
	for (i = 0; i < SPLITS; i++)
		json_put_text(j, split_key(i), split_title(i));
	json_close_object(j);
	json_open_array(j, "off_names");
	for (i = 0; i < PAGE_OFFS; i++)
		json_put_text(j, NULL, off[i]);
	json_close_array(j);
}

/* Writes the ns of running stays by enum page_off: 0 without a file of threads. */
static void parts_put_off(struct json_out *j, const struct html *h)
{
	unsigned i;

	json_put_bool(j, "off_cpu", h->oncpu && !h->off_forgotten);
	json_open_array(j, "off_ns");
	for (i = 0; i < PAGE_OFFS; i++)
		json_put_number(j, NULL, h->off_forgotten ? 0 : h->off_ns[i]);
	json_close_array(j);
}

/* Writes percentages by P and bucket: first of running stays, then of system calls. */
static void put_heat(struct json_out *j, const struct detail *d)
{
	double width = (double)(d->h->last - d->h->first + 1) / HEAT_BUCKETS;
	size_t i;

	json_put_number(j, "heat_buckets", HEAT_BUCKETS);
	json_open_array(j, "heat");
	for (i = 0; i < 2 * d->tracks[PLANE_P].len * HEAT_BUCKETS; i++)
		json_put_number(j, NULL, (int64_t)(d->heat[i] / width * 100 + 0.5));
	json_close_array(j);
}

static void put_series(struct json_out *j, const struct html *h, const struct series *s)
{
	double more = 0;
	unsigned i;

	json_open_object(j, NULL);
	json_put_count(j, "name", s->name);
	json_open_array(j, "points");
	for (i = 0; i < SERIES_BUCKETS; i++) {
		more += (double)s->more[i];
		if (!s->has[i])
			continue;
		json_open_array(j, NULL);
		json_put_number(j, NULL, (int64_t)i << h->series_shift);
		json_put_real(j, NULL, s->low[i] + more, 0);
		json_put_real(j, NULL, s->high[i] + more, 0);
		json_put_real(j, NULL, s->last[i] + more, 0);
		json_close_array(j);
	}
	json_close_array(j);
	json_close_object(j);
}

/* Writes the counts from the first bucket that is not empty to the last one. */
static void parts_put_histogram(struct json_out *j, const uint32_t counts[HISTOGRAM_BUCKETS])
{
	unsigned from = 0, to = HISTOGRAM_BUCKETS;

	while (from < to && !counts[from])
		from++;
	while (to > from && !counts[to - 1])
		to--;
	json_open_array(j, NULL);
	json_put_number(j, NULL, from);
	for (; from < to; from++)
		json_put_number(j, NULL, counts[from]);
	json_close_array(j);
}

static void parts_put_function(struct json_out *j, const struct detail *d, const struct function *f)
{
	unsigned i;

	json_open_object(j, NULL);
	json_put_count(j, "name", f->name);
	json_put_count(j, "goroutines", f->goroutines);
	json_open_array(j, "states");
	for (i = PAGE_RUNNING; i <= PAGE_WAITING; i++) {
		json_open_array(j, NULL);
		json_put_count(j, NULL, f->n[i]);
		json_put_number(j, NULL, f->in[i]);
		json_put_number(j, NULL, f->longest[i]);
		json_put_count(j, NULL, parts_since(d, f->longest_at[i]));
		json_put_count(j, NULL, f->longest_g[i]);
		parts_put_histogram(j, f->histogram[i]);
		json_close_array(j);
	}
	json_close_array(j);
	json_close_object(j);
}

void parts_head(struct buf *b, struct detail *d, const struct html_about *about)
{
	const struct html *h = d->h;
	char *text = NULL;
	size_t n = 0, i;
	struct json_out j = { .f = open_memstream(&text, &n) };

	json_open_object(&j, NULL);
	put_about(&j, d, about);
	put_pairs(&j, "gaps", &h->gaps, h->first);
	put_pairs(&j, "windows", &d->windows, 0);
	put_pairs(&j, "m_lives", &h->thread_lives, h->first);
	put_notes(&j, h);
	put_tracks(&j, d);
	parts_put_thread_names(&j);
	parts_put_off(&j, h);
	put_heat(&j, d);
	json_open_array(&j, "series");
	for (i = 0; i < h->series.len; i++)
		put_series(&j, h, *vec_at(&h->series, struct series *, i));
	json_close_array(&j);
	json_open_array(&j, "functions");
	for (i = 0; i < h->functions.len; i++)
		parts_put_function(&j, d, vec_at(&h->functions, struct function, i));
	json_close_array(&j);
	json_close_object(&j);
	fclose(j.f);
	from_stream(b, text, n);
}
