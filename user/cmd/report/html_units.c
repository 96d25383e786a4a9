// SPDX-License-Identifier: Apache-2.0
/*
 * html_units: the units of work of a trace as JSON for the page: their instances, and paths of some
 * with their steps. assets/units.js of html/ reads it. See parts.h.
 */
#include <stdlib.h>

#include "cmd/report/parts.h"
#include "cmd/why/why.h"
#include "unit/walked.h"

enum { PARTS_MOST = 200 };	/* of a path that are in the page: the largest ones */

struct page_units {
	struct json_out j;
	struct units *all;
	int64_t begin;
	/* uint32_t: numbers of causes in units_walked(), by their number in the page */
	struct vec causes;
	struct map64 numbers;	/* and back, + 1 */
};

static void page_put_id(struct page_units *p, uint64_t id)
{
	json_put_number(&p->j, NULL, id == TRACEV2_NO_ID ? -1 : (int64_t)id);
}

static uint32_t page_cause(struct page_units *p, uint32_t cause)
{
	bool is_new;
	uint64_t *number = map64_put(&p->numbers, cause, &is_new);

	if (is_new) {
		*number = p->causes.len;
		*(uint32_t *)vec_push(&p->causes, sizeof(uint32_t)) = cause;
	}
	return (uint32_t)*number;
}

static void page_put_buf(struct json_out *j, const char *name, struct buf *text)
{
	buf_add_byte(text, 0);
	json_put_text(j, name, (char *)text->data);
	buf_free(text);
}

/* from, length, goroutine, cause, number of short steps, goroutine that it woke or created. */
static void page_put_step(struct page_units *p, const struct walked_step *s)
{
	json_put_number(&p->j, NULL, s->from - p->begin);
	json_put_number(&p->j, NULL, s->to - s->from);
	page_put_id(p, s->g);
	json_put_count(&p->j, NULL, page_cause(p, s->cause));
	json_put_count(&p->j, NULL, s->steps);
	page_put_id(p, s->via_g);
}

static void page_put_walked(struct page_units *p, const struct walked *w)
{
	size_t i;

	json_open_object(&p->j, NULL);
	json_put_number(&p->j, "from", w->in.from - p->begin);
	json_put_number(&p->j, "ns", w->in.ns);
	if (w->g != TRACEV2_NO_ID)
		json_put_count(&p->j, "g", w->g);
	json_put_count(&p->j, "count", w->count);
	json_open_array(&p->j, "steps");
	for (i = 0; i < w->steps.len; i++)
		page_put_step(p, vec_at(&w->steps, struct walked_step, i));
	json_close_array(&p->j);
	json_open_array(&p->j, "parts");
	for (i = 0; i < w->parts.len && i < PARTS_MOST; i++) {
		const struct walked_part *part = vec_at(&w->parts, struct walked_part, i);

		json_put_count(&p->j, NULL, page_cause(p, part->cause));
		json_put_count(&p->j, NULL, part->ns);
	}
	json_close_array(&p->j);
	json_put_count(&p->j, "more_parts", w->parts.len - i);
	json_close_object(&p->j);
}

/* from, length, goroutine; of a task without it. */
static void page_put_instances(struct page_units *p, const struct unit *u)
{
	size_t i;

	json_open_array(&p->j, "instances");
	for (i = 0; i < u->instances.len; i++) {
		const struct instance *in = vec_at(&u->instances, struct instance, i);

		json_put_number(&p->j, NULL, in->from - p->begin);
		json_put_number(&p->j, NULL, in->ns);
		page_put_id(p, in->of == WHY_TASK ? TRACEV2_NO_ID : in->g);
	}
	json_close_array(&p->j);
}

static void page_put_unit(struct page_units *p, const struct unit *u)
{
	struct buf text = {0};
	size_t i;

	json_open_object(&p->j, NULL);
	unit_put_name(u, &text);
	page_put_buf(&p->j, "name", &text);
	json_put_text(&p->j, "kind", unit_kind_name(u->kind));
	json_put_count(&p->j, "count", u->n);
	json_put_real(&p->j, "rate", u->seconds > 0 ? (double)u->n / u->seconds : 0, 3);
	json_put_number(&p->j, "p50", dist_quantile(&u->dist, 0.5));
	json_put_number(&p->j, "p99", dist_quantile(&u->dist, 0.99));
	page_put_instances(p, u);
	json_open_array(&p->j, "paths");
	for (i = 0; i < u->nwalked; i++)
		if (u->walked[i].count)
			page_put_walked(p, &u->walked[i]);
	json_close_array(&p->j);
	json_close_object(&p->j);
}

/* kind, words, the function that the goroutines began with, the reason of a wait */
static void page_put_causes(struct page_units *p)
{
	const struct vec *causes = &units_walked(p->all)->causes;
	size_t i;

	json_open_array(&p->j, "causes");
	for (i = 0; i < p->causes.len; i++) {
		uint32_t number = *vec_at(&p->causes, uint32_t, i);
		const struct cause *c = vec_at(causes, struct cause, number);
		struct buf text = {0};

		why_put_cause(&text, units_stacks(p->all), c);
		json_put_number(&p->j, NULL, c->kind);
		page_put_buf(&p->j, NULL, &text);
		json_put_text(&p->j, NULL, c->name);
		json_put_text(&p->j, NULL, c->reason);
	}
	json_close_array(&p->j);
}

void report_page_units(const struct trace_report *r, FILE *f)
{
	struct page_units p = { .j = { .f = f }, .all = *vec_at(&r->units, struct units *, 0) };
	size_t i;

	p.begin = units_begin(p.all);
	json_open_object(&p.j, NULL);
	json_open_array(&p.j, "units");
	for (i = 0; i < units_count(p.all); i++)
		page_put_unit(&p, units_at(p.all, i));
	json_close_array(&p.j);
	page_put_causes(&p);
	json_close_object(&p.j);
	vec_free(&p.causes);
	map64_free(&p.numbers);
}
