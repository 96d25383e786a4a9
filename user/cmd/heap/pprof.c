// SPDX-License-Identifier: Apache-2.0
/* pprof: rows as a profile in the form of /debug/pprof/heap and its like. See view.h. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "cmd/heap/view.h"
#include "pprof/value_profile.h"

/* runtime/pprof: writeHeapProto, printCountCycleProfile */
static struct value_profile_form pprof_form(const struct heap_form *f)
{
	struct value_profile_form ret = { .nvalues = f->nvalues };

	if (f->kind == HEAP_MEMORY)
		return (struct value_profile_form){
			{ { "alloc_objects", "count" }, { "alloc_space", "bytes" },
			  { "inuse_objects", "count" }, { "inuse_space", "bytes" } },
			{ "space", "bytes" }, f->nvalues,
			f->shown == VALUE_ALLOC_SPACE ? "alloc_space" : "inuse_space",
		};
	ret.values[0].type = ret.period.type = "contentions";
	ret.values[0].unit = ret.period.unit = "count";
	ret.values[1].type = "delay";
	ret.values[1].unit = "nanoseconds";
	return ret;
}

/* The frames of the profile: @known has the number + 1 of each of v->calls; 0: not asked yet. */
static uint32_t pprof_frame(const struct heap_view *v, struct value_profile *p, struct vec *known,
			    uint32_t call)
{
	const struct heap_frame *f = &vec_at(&v->calls, struct heap_call, call)->frame;
	uint32_t *number;

	while (known->len <= call)
		vec_push(known, sizeof(*number));
	number = vec_at(known, uint32_t, call);
	if (!*number)
		*number = value_profile_frame(p, f->func, f->file, f->line, f->pc) + 1;
	return *number - 1;
}

static void pprof_add_row(struct heap_view *v, struct value_profile *p, struct vec *known,
			  const struct heap_row *row)
{
	static uint32_t calls[HEAP_FRAMES];
	size_t n = heap_calls(v, row->record, calls), first = heap_shown_calls(v, calls, &n), i;

	for (i = first; i < n; i++)
		calls[i] = pprof_frame(v, p, known, calls[i]);
	value_profile_add(p, calls + first, (uint32_t)(n - first), row->record->size, row->values);
}

static void pprof_comment(struct value_profile *p, const struct heap_profile *from)
{
	_cleanup_free_ char *refused = NULL, *cut = NULL;

	if (heap_refused(from)) {
		refused = xasprintf("%llu records were refused: they are not sound",
				    (unsigned long long)heap_refused(from));
		value_profile_comment(p, refused);
	}
	if (from->cut) {
		cut = xasprintf("the list of records is not whole (%s)", heap_cut_text(from->cut));
		value_profile_comment(p, cut);
	}
	if (from->moved)
		value_profile_comment(p, "the collector moved during each read: counts may be of "
					 "two moments");
}

int heap_view_write(struct heap_view *v, int fd, const char *name, const char *comment,
		    struct error *err)
{
	struct value_profile_form form = pprof_form(v->form);
	uint64_t period = v->form->kind == HEAP_MEMORY ? v->profile.rate : 1;
	struct value_profile *p = value_profile_new(&form, period);
	struct vec known = {0};		/* uint32_t */
	size_t i;
	int r;

	for (i = 0; i < v->rows.len; i++)
		pprof_add_row(v, p, &known, vec_at(&v->rows, struct heap_row, i));
	vec_free(&known);
	if (v->diff)
		value_profile_set_duration(p, (int64_t)(v->ended - v->began));
	if (comment)
		value_profile_comment(p, comment);
	pprof_comment(p, &v->profile);
	r = value_profile_write(p, fd, name, err);
	value_profile_free(p);
	return r;
}
