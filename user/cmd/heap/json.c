// SPDX-License-Identifier: Apache-2.0
/* json: the profile as one JSON object on one line (docs/heap.md). See heap.h. */
#include "base/json_out.h"
#include "cmd/heap/heap.h"

enum { VERSION = 1 };	/* of the object: goes up when a name gets another meaning */

static void json_heap_put_values(struct json_out *j, const struct heap_cmd *h,
				 const int64_t *values)
{
	static const char *const memory[] = { "alloc_objects", "alloc_bytes", "inuse_objects",
					      "inuse_bytes" };
	static const char *const block[] = { "events", "delay_ns" };
	unsigned int i;

	for (i = 0; i < h->o->form->nvalues; i++)
		json_put_number(j, h->o->form->kind == HEAP_MEMORY ? memory[i] : block[i],
				values[i]);
}

static void json_heap_put_stack(struct json_out *j, struct heap_cmd *h, const struct heap_record *r)
{
	static struct heap_frame frames[HEAP_FRAMES];
	size_t i, n = heap_frames(&h->view, r, frames);

	json_open_array(j, "stack");
	for (i = 0; i < n; i++) {
		json_open_object(j, NULL);
		json_put_text(j, "function", frames[i].func);
		json_put_text(j, "file", frames[i].file);
		json_put_count(j, "line", frames[i].line);
		if (frames[i].inlined)
			json_put_bool(j, "inlined", true);
		json_close_object(j);
	}
	json_close_array(j);
}

static void json_heap_put_row(struct json_out *j, struct heap_cmd *h, const struct heap_row *row)
{
	json_open_object(j, NULL);
	json_heap_put_values(j, h, row->values);
	if (h->o->form->kind == HEAP_MEMORY) {
		json_put_count(j, "size", row->record->size);
		json_put_number(j, "sampled_allocs", row->allocs);
		json_put_number(j, "sampled_frees", row->frees);
	}
	json_heap_put_stack(j, h, row->record);
	json_close_object(j);
}

/* The largest functions, as the text has them. */
static void json_heap_put_functions(struct json_out *j, struct heap_cmd *h)
{
	bool memory = h->o->form->kind == HEAP_MEMORY;
	struct vec functions = {0};
	size_t i;

	heap_functions(&h->view, &functions);
	json_open_array(j, "functions");
	for (i = 0; i < functions.len && i < h->o->lines; i++) {
		const struct heap_function *f = vec_at(&functions, struct heap_function, i);

		json_open_object(j, NULL);
		json_put_text(j, "function", f->func);
		json_put_number(j, memory ? "flat_bytes" : "flat_ns", f->flat);
		json_put_number(j, memory ? "cum_bytes" : "cum_ns", f->cum);
		json_put_number(j, memory ? "objects" : "events", f->count);
		json_close_object(j);
	}
	json_close_array(j);
	vec_free(&functions);
}

static void json_heap_put_refused(struct json_out *j, const struct heap_profile *p)
{
	unsigned int i;

	json_open_object(j, "refused");
	for (i = 0; i < HEAP_REFUSALS; i++)
		if (p->refused[i])
			json_put_count(j, heap_refusal_text(i), p->refused[i]);
	json_close_object(j);
}

static void json_heap_put_rate(struct json_out *j, const struct heap_cmd *h)
{
	const struct heap_profile *p = &h->view.profile;

	if (h->o->form->kind == HEAP_MEMORY) {
		json_put_count(j, "rate", p->rate);
		json_put_count(j, "cycle", p->cycle);
		json_put_text(j, "moment", h->o->now || p->unpublished ? "now" : "collection");
	} else if (h->o->form->kind == HEAP_BLOCK && p->has_block_rate) {
		json_put_count(j, "rate", p->block_rate);
	} else if (h->o->form->kind == HEAP_MUTEX && p->has_mutex_rate) {
		json_put_count(j, "rate", p->mutex_rate);
	}
}

void heap_print_json(struct heap_cmd *h)
{
	struct json_out j = { .f = stdout };
	size_t i;

	json_open_object(&j, NULL);
	json_put_count(&j, "version", VERSION);
	json_put_count(&j, "pid", (uint64_t)h->look.proc.pid);
	json_put_text(&j, "go", gobin_go_version(h->look.bin));
	json_put_text(&j, "kind", h->o->form->name);
	json_heap_put_rate(&j, h);
	if (h->o->diff)
		json_put_real(&j, "diff_seconds", (double)(h->view.ended - h->view.began) / 1e9, 3);
	json_open_object(&j, "total");
	json_heap_put_values(&j, h, h->view.totals);
	json_close_object(&j);
	json_heap_put_functions(&j, h);
	json_open_array(&j, "records");
	for (i = 0; i < h->view.rows.len && i < h->o->largest; i++)
		json_heap_put_row(&j, h, vec_at(&h->view.rows, struct heap_row, i));
	json_close_array(&j);
	if (h->view.rows.len > h->o->largest)
		json_put_count(&j, "records_left_out", h->view.rows.len - h->o->largest);
	json_heap_put_refused(&j, &h->view.profile);
	if (h->view.profile.cut)
		json_put_text(&j, "cut", heap_cut_text(h->view.profile.cut));
	if (h->view.profile.moved)
		json_put_bool(&j, "moved", true);
	json_close_object(&j);
	putchar('\n');
}
