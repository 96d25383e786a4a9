// SPDX-License-Identifier: Apache-2.0
/*
 * findings_sums: the small tables in which families keep sums (findings.h): a set of the first
 * goroutines, a majority vote, items by key with a limit.
 */
#include "report/findings.h"

void few_add(struct few *few, uint64_t id)
{
	uint32_t i;

	for (i = 0; i < few->n; i++)
		if (few->ids[i] == id)
			return;
	if (few->n < FEW)
		few->ids[few->n++] = id;
}

uint32_t findings_number(struct map64 *map, struct vec *items, size_t size, size_t max,
			 uint64_t key, bool *is_new)
{
	uint64_t *number = map64_get(map, key);

	*is_new = !number && items->len < max;
	if (number)
		return (uint32_t)*number;
	if (!*is_new)
		return 0;
	*map64_put(map, key, NULL) = items->len;
	vec_push(items, size);
	return (uint32_t)items->len - 1;
}

void vote_add(struct vote *v, uint32_t value, double weight)
{
	if (v->value == value)
		v->weight += weight;
	else if (v->weight < weight)
		*v = (struct vote){ value, weight - v->weight };
	else
		v->weight -= weight;
}
