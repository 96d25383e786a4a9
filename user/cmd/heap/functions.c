// SPDX-License-Identifier: Apache-2.0
/*
 * functions: rows by function, as `go tool pprof -top` has them: flat is what the function itself
 * allocated, cum what it and all that it called did. See view.h.
 */
#include <string.h>

#include "base/saturate.h"
#include "cmd/heap/view.h"

/* Functions have the numbers of heap_call.function; those that no row has shown have no name. */
static struct heap_function *functions_of(struct vec *all, const struct heap_call *c)
{
	struct heap_function *ret;

	while (all->len <= c->function)
		vec_push(all, sizeof(*ret));
	ret = vec_at(all, struct heap_function, c->function);
	ret->func = c->frame.func;
	return ret;
}

static void functions_add_row(struct heap_view *v, struct vec *all, size_t number)
{
	static uint32_t calls[HEAP_FRAMES];
	const struct heap_row *row = vec_at(&v->rows, struct heap_row, number);
	size_t n = heap_calls(v, row->record, calls), first = heap_shown_calls(v, calls, &n), i;
	const struct heap_call *frames = v->calls.data;
	int64_t value = row->values[v->form->shown];

	for (i = first; i < n; i++) {
		struct heap_function *fn = functions_of(all, &frames[calls[i]]);

		if (i == first) {
			fn->flat = saturate_add(fn->flat, value);
			fn->count = saturate_add(fn->count,
						 row->values[v->form->shown & ~1U]);
		}
		if (fn->seen == number + 1)
			continue;
		fn->seen = number + 1;
		fn->cum = saturate_add(fn->cum, value);
	}
}

static int functions_larger_first(const void *a, const void *b)
{
	const struct heap_function *x = a, *y = b;

	if (x->flat != y->flat)
		return x->flat < y->flat ? 1 : -1;
	if (x->cum != y->cum)
		return x->cum < y->cum ? 1 : -1;
	return strcmp(x->func, y->func);
}

void heap_functions(struct heap_view *v, struct vec *ret)
{
	size_t i, n = 0;

	for (i = 0; i < v->rows.len; i++)
		functions_add_row(v, ret, i);
	for (i = 0; i < ret->len; i++)
		if (vec_at(ret, struct heap_function, i)->func)
			*vec_at(ret, struct heap_function, n++) =
				*vec_at(ret, struct heap_function, i);
	ret->len = n;
	vec_sort(ret, sizeof(struct heap_function), functions_larger_first);
}
