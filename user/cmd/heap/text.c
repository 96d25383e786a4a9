// SPDX-License-Identifier: Apache-2.0
/*
 * text: rows by function, as `go tool pprof -top` has them: flat is what the function itself
 * allocated, cum what it and all that it called did. See heap.h.
 */
#include <inttypes.h>
#include <string.h>

#include "base/map64.h"
#include "base/saturate.h"
#include "base/show.h"
#include "base/units.h"
#include "cmd/heap/heap.h"

struct by_function {
	const char *func;		/* of the symbolizer: one address for a name */
	int64_t flat, cum, count;	/* count: of flat, objects or events */
	size_t seen;			/* number of the last row that counted in cum */
};

struct by_functions {
	struct vec all;			/* struct by_function */
	struct map64 index;		/* address of the name -> index */
};

static struct by_function *text_function(struct by_functions *f, const char *func)
{
	struct by_function *ret;
	uint64_t *at;
	bool is_new;

	at = map64_put(&f->index, (uintptr_t)func, &is_new);
	if (is_new) {
		*at = f->all.len;
		ret = vec_push(&f->all, sizeof(*ret));
		ret->func = func;
	}
	return vec_at(&f->all, struct by_function, *at);
}

static void text_add_row(struct heap_cmd *h, struct by_functions *f, size_t number)
{
	static struct heap_frame frames[HEAP_FRAMES];
	const struct heap_row *row = vec_at(&h->rows, struct heap_row, number);
	size_t n = heap_frames(h, row->record, frames), first = heap_shown_frames(h, frames, &n), i;
	int64_t value = row->values[h->o->form->shown];

	for (i = first; i < n; i++) {
		struct by_function *fn = text_function(f, frames[i].func);

		if (i == first) {
			fn->flat = saturate_add(fn->flat, value);
			fn->count = saturate_add(fn->count,
						 row->values[h->o->form->shown & ~1U]);
		}
		if (fn->seen == number + 1)
			continue;
		fn->seen = number + 1;
		fn->cum = saturate_add(fn->cum, value);
	}
}

static int text_larger_first(const void *a, const void *b)
{
	const struct by_function *x = a, *y = b;

	if (x->flat != y->flat)
		return x->flat < y->flat ? 1 : -1;
	if (x->cum != y->cum)
		return x->cum < y->cum ? 1 : -1;
	return strcmp(x->func, y->func);
}

static struct unit_text text_value(const struct heap_cmd *h, int64_t v)
{
	struct unit_text positive, ret;
	uint64_t size = v < 0 ? -(uint64_t)v : (uint64_t)v;

	if (h->o->form->kind != HEAP_MEMORY)
		positive = unit_time((int64_t)(size & INT64_MAX));
	else
		positive = unit_bytes(size);
	snprintf(ret.text, sizeof(ret.text), "%s%.30s", v < 0 ? "-" : "", positive.text);
	return ret;
}

/* A share of a difference can be more than all of it, and below 0. */
static struct unit_text text_share(int64_t part, int64_t whole)
{
	struct unit_text ret;

	if (!whole)
		return (struct unit_text){ "-" };
	snprintf(ret.text, sizeof(ret.text), "%.1f %%", 100 * (double)part / (double)whole);
	return ret;
}

static void text_put_lines(struct heap_cmd *h, struct by_functions *f)
{
	bool memory = h->o->form->kind == HEAP_MEMORY;
	int64_t whole = h->totals[h->o->form->shown];
	size_t i;

	printf("%12s %8s %12s %8s %12s  function\n", "flat", "", "cum", "",
	       memory ? "objects" : "events");
	for (i = 0; i < f->all.len && i < h->o->lines; i++) {
		const struct by_function *fn = vec_at(&f->all, struct by_function, i);

		printf("%12s %8s %12s %8s %12" PRId64 "  ", text_value(h, fn->flat).text,
		       text_share(fn->flat, whole).text, text_value(h, fn->cum).text,
		       text_share(fn->cum, whole).text, fn->count);
		show_printf(stdout, "%s\n", fn->func);
	}
	if (i < f->all.len)
		printf("%zu further functions: --lines N shows more\n", f->all.len - i);
}

static void text_put_head(struct heap_cmd *h)
{
	const struct heap_form *form = h->o->form;

	if (form->kind == HEAP_MEMORY) {
		printf("in use %s in %" PRId64 " objects, ", text_value(h, h->totals[3]).text,
		       h->totals[VALUE_INUSE_OBJECTS]);
		printf("allocated %s in %" PRId64 " objects", text_value(h, h->totals[1]).text,
		       h->totals[VALUE_ALLOC_OBJECTS]);
		printf("%s; one sample in %s\n", h->o->diff ? ", as a difference" : "",
		       h->profile.rate ? unit_bytes(h->profile.rate).text : "an unknown size");
	} else {
		printf("%" PRId64 " events of %s in all%s\n", h->totals[VALUE_CONTENTIONS],
		       text_value(h, h->totals[VALUE_DELAY]).text,
		       h->o->diff ? ", as a difference" : "");
	}
	printf("by %s, of %zu places:\n\n",
	       form->kind != HEAP_MEMORY	  ? "delay" :
	       form->shown == VALUE_ALLOC_SPACE ? "bytes allocated since the start" :
						  "bytes in use",
	       h->rows.len);
}

void heap_print(struct heap_cmd *h)
{
	struct by_functions f = {0};
	size_t i;

	for (i = 0; i < h->rows.len; i++)
		text_add_row(h, &f, i);
	vec_sort(&f.all, sizeof(struct by_function), text_larger_first);
	text_put_head(h);
	text_put_lines(h, &f);
	vec_free(&f.all);
	map64_free(&f.index);
}
