// SPDX-License-Identifier: Apache-2.0
/*
 * functions: rows by function, as `go tool pprof -top` has them: flat is what the function itself
 * allocated, cum what it and all that it called did. See view.h.
 */
#include <string.h>

#include "base/map64.h"
#include "base/saturate.h"
#include "cmd/heap/view.h"

struct functions {
	struct vec *all;		/* struct heap_function */
	struct map64 index;		/* address of the name -> index */
};

static struct heap_function *functions_of(struct functions *f, const char *func)
{
	struct heap_function *ret;
	uint64_t *at;
	bool is_new;

	at = map64_put(&f->index, (uintptr_t)func, &is_new);
	if (is_new) {
		*at = f->all->len;
		ret = vec_push(f->all, sizeof(*ret));
		ret->func = func;
	}
	return vec_at(f->all, struct heap_function, *at);
}

static void functions_add_row(struct heap_view *v, struct functions *f, size_t number)
{
	static struct heap_frame frames[HEAP_FRAMES];
	const struct heap_row *row = vec_at(&v->rows, struct heap_row, number);
	size_t n = heap_frames(v, row->record, frames), first = heap_shown_frames(v, frames, &n), i;
	int64_t value = row->values[v->form->shown];

	for (i = first; i < n; i++) {
		struct heap_function *fn = functions_of(f, frames[i].func);

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
	struct functions f = { .all = ret };
	size_t i;

	for (i = 0; i < v->rows.len; i++)
		functions_add_row(v, &f, i);
	vec_sort(ret, sizeof(struct heap_function), functions_larger_first);
	map64_free(&f.index);
}
