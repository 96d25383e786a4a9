// SPDX-License-Identifier: Apache-2.0
/* retained_text: who holds the memory, as tables. See retained.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/show.h"
#include "base/units.h"
#include "cmd/heap/retained.h"

static void retained_put_head(const struct retained_cmd *c)
{
	const struct graph_counts *n = &c->hg.counts;

	printf("heap %s in %" PRIu64 " objects; ", unit_bytes(n->bytes).text, n->objects);
	printf("reachable %s in %" PRIu64 " objects, ", unit_bytes(c->r.bytes).text, c->r.objects);
	printf("not reachable %s in %" PRIu64 " objects\n",
	       unit_bytes(n->bytes - c->r.bytes).text, n->objects - c->r.objects);
}

static void retained_put_more(size_t shown, size_t all)
{
	if (all > shown)
		printf("%zu further ones: --top N shows more\n", all - shown);
}

static void retained_put_roots(const struct retained_cmd *c)
{
	char name[RETAINED_NAME];
	size_t i;

	printf("\nby root, what it holds alone:\n\n%12s %12s  root\n", "retained", "objects");
	for (i = 0; i < c->r.roots.len && i < c->h->o->top; i++) {
		const struct retained_root *root = vec_at(&c->r.roots, struct retained_root, i);

		printf("%12s %12" PRIu64 "  ", unit_bytes(root->bytes).text, root->objects);
		show_printf(stdout, "%s\n", retained_name(c, root->node, name));
	}
	if (c->r.shared_objects)
		printf("%12s %12" PRIu64 "  (held by several roots)\n",
		       unit_bytes(c->r.shared_bytes).text, c->r.shared_objects);
	retained_put_more(i, c->r.roots.len);
}

static void retained_put_types(const struct retained_cmd *c)
{
	size_t i;

	printf("\nby type, what its objects hold alone:\n\n%12s %12s %12s  type\n", "retained",
	       "own", "objects");
	for (i = 0; i < c->r.by_type.len && i < c->h->o->top; i++) {
		const struct retained_type *t = vec_at(&c->r.by_type, struct retained_type, i);

		printf("%12s ", unit_bytes(t->retained).text);
		printf("%12s %12" PRIu64 "  ", unit_bytes(t->bytes).text, t->objects);
		show_printf(stdout, "%s\n", retained_type_name(c, t->type));
	}
	retained_put_more(i, c->r.by_type.len);
}

static void retained_put_path(const struct retained_cmd *c, uint32_t object)
{
	uint32_t path[RETAINED_PATH];
	char name[RETAINED_NAME];
	size_t i, n = retained_path(&c->r, object, path, RETAINED_PATH);

	printf("%26s  ", "");
	if (n > RETAINED_PATH)
		printf("(%zu further) > ", n - RETAINED_PATH);
	for (i = 0; i < n && i < RETAINED_PATH; i++)
		show_printf(stdout, "%s%s", i ? " > " : "", retained_name(c, path[i], name));
	putchar('\n');
}

static void retained_put_place(const struct retained_cmd *c, uint32_t object)
{
	struct frame frames[RETAINED_FRAMES];
	size_t i = 0, n = retained_place(c, object, frames, RETAINED_FRAMES);

	while (i + 1 < n && !strncmp(frames[i].func, "runtime.", 8))
		i++;
	if (i < n)
		show_printf(stdout, "%26s  allocated by %s %s:%" PRIu32 "\n", "", frames[i].func,
			    frames[i].file, frames[i].line);
}

static void retained_put_places(const struct retained_cmd *c)
{
	size_t i;

	printf("\nobjects at which most of it comes together, with a path from a root:\n\n"
	       "%12s %12s  object\n", "retained", "objects");
	for (i = 0; i < c->r.places.len && i < c->h->o->top; i++) {
		uint32_t number = *vec_at(&c->r.places, uint32_t, i);
		uint32_t object = c->r.dom.node[number];

		printf("%12s %12" PRIu32 "  ", unit_bytes(c->r.dom.bytes[number]).text,
		       c->r.dom.objects[number]);
		show_printf(stdout, "%s, %s at %#" PRIx64 "\n",
			    retained_type_name(c, c->r.types.of[object]),
			    unit_bytes(heapgraph_span_of(&c->hg, object)->elemsize).text,
			    heapgraph_address(&c->hg, object));
		retained_put_path(c, object);
		retained_put_place(c, object);
	}
	retained_put_more(i, c->r.places.len);
}

void retained_print(const struct retained_cmd *c)
{
	retained_put_head(c);
	retained_put_roots(c);
	retained_put_types(c);
	retained_put_places(c);
}
