// SPDX-License-Identifier: Apache-2.0
/*
 * text: the sums by function as a table, in the form of `go tool pprof -top`. See heap.h.
 */
#include <inttypes.h>
#include <string.h>

#include "base/map64.h"
#include "base/saturate.h"
#include "base/show.h"
#include "base/units.h"
#include "cmd/heap/heap.h"

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

static void text_put_lines(struct heap_cmd *h, const struct vec *functions)
{
	bool memory = h->o->form->kind == HEAP_MEMORY;
	int64_t whole = h->view.totals[h->o->form->shown];
	size_t i;

	printf("%12s %8s %12s %8s %12s  function\n", "flat", "", "cum", "",
	       memory ? "objects" : "events");
	for (i = 0; i < functions->len && i < h->o->lines; i++) {
		const struct heap_function *fn = vec_at(functions, struct heap_function, i);

		printf("%12s %8s %12s %8s %12" PRId64 "  ", text_value(h, fn->flat).text,
		       text_share(fn->flat, whole).text, text_value(h, fn->cum).text,
		       text_share(fn->cum, whole).text, fn->count);
		show_printf(stdout, "%s\n", fn->func);
	}
	if (i < functions->len)
		printf("%zu further functions: --lines N shows more\n", functions->len - i);
}

static void text_put_head(struct heap_cmd *h)
{
	const struct heap_form *form = h->o->form;

	if (form->kind == HEAP_MEMORY) {
		printf("in use %s in %" PRId64 " objects, ", text_value(h, h->view.totals[3]).text,
		       h->view.totals[VALUE_INUSE_OBJECTS]);
		printf("allocated %s in %" PRId64 " objects", text_value(h, h->view.totals[1]).text,
		       h->view.totals[VALUE_ALLOC_OBJECTS]);
		printf("%s; one sample in %s\n", h->o->diff ? ", as a difference" : "",
		       h->view.profile.rate ? unit_bytes(h->view.profile.rate).text :
					      "an unknown size");
	} else {
		printf("%" PRId64 " events of %s in all%s\n", h->view.totals[VALUE_CONTENTIONS],
		       text_value(h, h->view.totals[VALUE_DELAY]).text,
		       h->o->diff ? ", as a difference" : "");
	}
	printf("by %s, of %zu places:\n\n",
	       form->kind != HEAP_MEMORY	  ? "delay" :
	       form->shown == VALUE_ALLOC_SPACE ? "bytes allocated since the start" :
						  "bytes in use",
	       h->view.rows.len);
}

void heap_print(struct heap_cmd *h)
{
	struct vec functions = {0};

	heap_functions(&h->view, &functions);
	text_put_head(h);
	text_put_lines(h, &functions);
	vec_free(&functions);
}
