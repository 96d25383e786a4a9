// SPDX-License-Identifier: Apache-2.0
/* lists: see lists.h. */
#include "unit/lists.h"

#include "base/map64.h"

static uint64_t unit_list_key(enum unit_kind kind, const char *root, const char *handler,
			      uint32_t at)
{
	uint64_t h = hash64_seeded((uint64_t)(uintptr_t)root);

	h = hash64_seeded(h ^ (uint64_t)(uintptr_t)handler);
	return hash64_seeded(h ^ ((uint64_t)kind << 32 | at));
}

struct unit_list *unit_list_of(struct unit_lists *l, enum unit_kind kind, const char *root,
			       const char *handler, uint32_t at)
{
	uint64_t key = unit_list_key(kind, root, handler, at), *found;
	struct unit_list *list;

	while ((found = map64_get(&l->by_key, key))) {
		list = vec_at(&l->lists, struct unit_list, *found);
		if (list->kind == kind && list->root == root && list->handler == handler &&
		    list->at == at)
			return list;
		key++;
	}
	if (l->lists.len == UNIT_LISTS)
		return NULL;
	*map64_put(&l->by_key, key, NULL) = l->lists.len;
	list = vec_push(&l->lists, sizeof(*list));
	list->kind = kind;
	list->root = root;
	list->handler = handler;
	list->at = at;
	list->stride = 1;
	return list;
}

static void unit_list_find_quickest(struct unit_list *list)
{
	size_t i;

	for (i = list->quickest = 0; i < list->nslowest; i++)
		if (list->slowest[i].ns < list->slowest[list->quickest].ns)
			list->quickest = i;
}

/* Keeps the slowest instances: the quickest of the kept ones makes room. */
static void unit_list_keep_slow(struct unit_list *list, const struct instance *in)
{
	if (list->nslowest < UNIT_SLOWEST)
		list->slowest[list->nslowest++] = *in;
	else if (in->ns > list->slowest[list->quickest].ns)
		list->slowest[list->quickest] = *in;
	else
		return;
	unit_list_find_quickest(list);
}

/* Drops every second kept instance, so that the kept ones cover the whole trace. */
static void unit_list_thin(struct unit_list *list)
{
	size_t i;

	for (i = 0; i < list->kept.len / 2; i++)
		*vec_at(&list->kept, struct instance, i) =
			*vec_at(&list->kept, struct instance, 2 * i);
	list->kept.len = i;
	list->stride *= 2;
}

void unit_list_add(struct unit_list *list, const struct instance *in)
{
	if (!list->n || in->from < list->first)
		list->first = in->from;
	if (in->from + in->ns > list->last)
		list->last = in->from + in->ns;
	list->ns += in->ns;
	dist_add(&list->dist, in->ns);
	unit_list_keep_slow(list, in);
	if (list->n++ % list->stride)
		return;
	if (list->kept.len == UNIT_KEPT) {
		unit_list_thin(list);
		if ((list->n - 1) % list->stride)
			return;
	}
	*(struct instance *)vec_push(&list->kept, sizeof(*in)) = *in;
}

void unit_lists_free(struct unit_lists *l)
{
	size_t i;

	for (i = 0; i < l->lists.len; i++) {
		vec_free(&vec_at(&l->lists, struct unit_list, i)->kept);
		dist_free(&vec_at(&l->lists, struct unit_list, i)->dist);
	}
	vec_free(&l->lists);
	map64_free(&l->by_key);
}
