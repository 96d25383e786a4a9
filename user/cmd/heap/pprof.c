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

static void pprof_add_row(struct heap_view *v, struct value_profile *p, const struct heap_row *row)
{
	static struct heap_frame frames[HEAP_FRAMES];
	static uint32_t numbers[HEAP_FRAMES];
	size_t n = heap_frames(v, row->record, frames), i = heap_shown_frames(v, frames, &n), k = 0;

	for (; i < n; i++)
		numbers[k++] = value_profile_frame(p, frames[i].func, frames[i].file,
						   frames[i].line, frames[i].pc);
	value_profile_add(p, numbers, (uint32_t)k, row->record->size, row->values);
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
	size_t i;
	int r;

	for (i = 0; i < v->rows.len; i++)
		pprof_add_row(v, p, vec_at(&v->rows, struct heap_row, i));
	if (v->diff)
		value_profile_set_duration(p, (int64_t)(v->ended - v->began));
	if (comment)
		value_profile_comment(p, comment);
	pprof_comment(p, &v->profile);
	r = value_profile_write(p, fd, name, err);
	value_profile_free(p);
	return r;
}
