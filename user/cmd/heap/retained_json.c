// SPDX-License-Identifier: Apache-2.0
/* retained_json: who holds the memory, as one JSON object on one line (docs/heap.md). */
#include <inttypes.h>
#include <stdio.h>

#include "base/json_out.h"
#include "cmd/graph_losses.h"
#include "cmd/heap/retained.h"

enum { VERSION = 1 };	/* of the object: goes up when a name gets another meaning */

static void retained_json_heap(struct json_out *j, const struct retained_cmd *c)
{
	const struct graph_counts *n = &c->hg.counts;

	json_open_object(j, "heap");
	json_put_count(j, "bytes", n->bytes);
	json_put_count(j, "objects", n->objects);
	json_put_count(j, "reachable_bytes", c->r.bytes);
	json_put_count(j, "reachable_objects", c->r.objects);
	json_put_count(j, "shared_bytes", c->r.shared_bytes);
	json_put_count(j, "shared_objects", c->r.shared_objects);
	json_put_count(j, "pointers", n->edges);
	json_close_object(j);
	json_open_object(j, "counts");
	json_put_count(j, "spans", n->spans);
	json_put_count(j, "exact_objects", n->exact_objects);
	json_put_count(j, "each_word_objects", n->each_word_objects);
	graph_losses_put(j, n);
	json_close_object(j);
}

static void retained_json_roots(struct json_out *j, const struct retained_cmd *c)
{
	char name[RETAINED_NAME];
	size_t i;

	json_open_array(j, "roots");
	for (i = 0; i < c->r.roots.len && i < c->h->o->top; i++) {
		const struct retained_root *root = vec_at(&c->r.roots, struct retained_root, i);

		json_open_object(j, NULL);
		json_put_text(j, "root", retained_name(c, root->node, name));
		json_put_count(j, "retained_bytes", root->bytes);
		json_put_count(j, "retained_objects", root->objects);
		json_close_object(j);
	}
	json_close_array(j);
}

static void retained_json_types(struct json_out *j, const struct retained_cmd *c)
{
	size_t i;

	json_open_array(j, "types");
	for (i = 0; i < c->r.by_type.len && i < c->h->o->top; i++) {
		const struct retained_type *t = vec_at(&c->r.by_type, struct retained_type, i);

		json_open_object(j, NULL);
		json_put_text(j, "type", retained_type_name(c, t->type));
		json_put_count(j, "bytes", t->bytes);
		json_put_count(j, "objects", t->objects);
		json_put_count(j, "retained_bytes", t->retained);
		json_close_object(j);
	}
	json_close_array(j);
}

static void retained_json_path(struct json_out *j, const struct retained_cmd *c, uint32_t object)
{
	uint32_t path[RETAINED_PATH];
	char name[RETAINED_NAME];
	size_t i, n = retained_path(&c->r, object, path, RETAINED_PATH);

	if (n > RETAINED_PATH)
		json_put_count(j, "path_left_out", n - RETAINED_PATH);
	json_open_array(j, "path");
	for (i = 0; i < n && i < RETAINED_PATH; i++)
		json_put_text(j, NULL, retained_name(c, path[i], name));
	json_close_array(j);
}

static void retained_json_stack(struct json_out *j, const struct retained_cmd *c, uint32_t object)
{
	struct frame frames[RETAINED_FRAMES];
	size_t i, n = retained_place(c, object, frames, RETAINED_FRAMES);

	if (!n)
		return;
	json_open_array(j, "allocated_by");
	for (i = 0; i < n; i++) {
		json_open_object(j, NULL);
		json_put_text(j, "function", frames[i].func);
		json_put_text(j, "file", frames[i].file);
		json_put_count(j, "line", frames[i].line);
		json_close_object(j);
	}
	json_close_array(j);
}

static void retained_json_objects(struct json_out *j, const struct retained_cmd *c)
{
	char address[32];
	size_t i;

	json_open_array(j, "objects");
	for (i = 0; i < c->r.places.len && i < c->h->o->top; i++) {
		uint32_t number = *vec_at(&c->r.places, uint32_t, i);
		uint32_t object = c->r.dom.node[number];

		snprintf(address, sizeof(address), "%#" PRIx64, heapgraph_address(&c->hg, object));
		json_open_object(j, NULL);
		json_put_text(j, "address", address);
		json_put_text(j, "type", retained_type_name(c, c->r.types.of[object]));
		json_put_count(j, "bytes", heapgraph_span_of(&c->hg, object)->elemsize);
		json_put_count(j, "retained_bytes", c->r.dom.bytes[number]);
		json_put_count(j, "retained_objects", c->r.dom.objects[number]);
		retained_json_path(j, c, object);
		retained_json_stack(j, c, object);
		json_close_object(j);
	}
	json_close_array(j);
}

void retained_print_json(const struct retained_cmd *c)
{
	struct json_out j = { .f = stdout };

	json_open_object(&j, NULL);
	json_put_count(&j, "version", VERSION);
	json_put_count(&j, "pid", (uint64_t)c->h->look.proc.pid);
	json_put_text(&j, "go", c->plan.go_version);
	retained_json_heap(&j, c);
	retained_json_roots(&j, c);
	retained_json_types(&j, c);
	retained_json_objects(&j, c);
	json_close_object(&j);
	putchar('\n');
}
