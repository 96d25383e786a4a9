// SPDX-License-Identifier: Apache-2.0
/* agenda: see agenda.h. A binary heap. */
#include "whatif/agenda.h"

static bool agenda_before(const struct agenda_item *x, const struct agenda_item *y)
{
	return x->time != y->time ? x->time < y->time : x->number < y->number;
}

static struct agenda_item *agenda_at(struct agenda *a, size_t i)
{
	return vec_at(&a->heap, struct agenda_item, i);
}

void agenda_add(struct agenda *a, int64_t time, enum agenda_kind kind, uint32_t x, uint32_t y)
{
	struct agenda_item item = { time, a->added++, x, y, (uint8_t)kind };
	size_t i = a->heap.len;

	vec_push(&a->heap, sizeof(item));
	for (; i && agenda_before(&item, agenda_at(a, (i - 1) / 2)); i = (i - 1) / 2)
		*agenda_at(a, i) = *agenda_at(a, (i - 1) / 2);
	*agenda_at(a, i) = item;
}

bool agenda_take(struct agenda *a, struct agenda_item *item)
{
	struct agenda_item last;
	size_t i = 0, child, n;

	if (!a->heap.len)
		return false;
	*item = *agenda_at(a, 0);
	n = --a->heap.len;
	last = *agenda_at(a, n);
	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && agenda_before(agenda_at(a, child + 1), agenda_at(a, child)))
			child++;
		if (!agenda_before(agenda_at(a, child), &last))
			break;
		*agenda_at(a, i) = *agenda_at(a, child);
		i = child;
	}
	*agenda_at(a, i) = last;
	return true;
}

void agenda_free(struct agenda *a)
{
	vec_free(&a->heap);
}
