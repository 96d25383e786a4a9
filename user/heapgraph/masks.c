// SPDX-License-Identifier: Apache-2.0
/*
 * masks: which words of a value of a type are pointers (internal/abi, Type: PtrBytes, GCData), Go
 * 1.22 and later. See internal.h. There is no bitmap of a type whose pointers are a program
 * (KindGCProg, up to Go 1.23), or are made on demand and were not yet.
 */
#include <stdlib.h>

#include "heapgraph/internal.h"
#include "live/fields.h"
#include "live/memory.h"

enum {
	/* abi.Type, Go 1.22 to 1.27 */
	TYPE_SIZE = 0, TYPE_PTRBYTES = 8, TYPE_TFLAG = 20, TYPE_KIND = 23, TYPE_GCDATA = 32,
	TYPE_BYTES = 48,
	KIND_GCPROG = 1 << 6,		/* up to Go 1.23 */
	TFLAG_ON_DEMAND = 1 << 4,	/* Go 1.24 and later: GCData leads to the address */
	MINOR_ON_DEMAND = 24,
	MOST_BITMAP = 1 << 20,		/* bytes: a type of 64 MB */
	MOST_TYPES = 1 << 20,
};

/* Stores the address of the bitmap of the type @t; false: it has none. */
static bool masks_bitmap_at(const struct heapgraph *hg, const uint8_t *t, uint64_t *ret)
{
	bool by_kind = hg->opts.plan->minor < MINOR_ON_DEMAND;

	*ret = u64_at(t, TYPE_GCDATA);
	if (by_kind && t[TYPE_KIND] & KIND_GCPROG)
		return false;
	if (!by_kind && t[TYPE_TFLAG] & TFLAG_ON_DEMAND &&
	    !memory_read(hg->opts.proc, *ret, ret, sizeof(*ret)))
		return false;
	return *ret;
}

static bool masks_read(const struct heapgraph *hg, uint64_t type, struct graph_mask *ret)
{
	uint8_t t[TYPE_BYTES];
	uint64_t at, pointers, bytes;

	if (!type || type % 8 || !memory_read(hg->opts.proc, type, t, sizeof(t)))
		return false;
	ret->size = u64_at(t, TYPE_SIZE);
	pointers = u64_at(t, TYPE_PTRBYTES);
	if (!ret->size || ret->size % 8 || ret->size > 1ULL << 40 || !pointers || pointers % 8 ||
	    pointers > ret->size)
		return false;
	ret->words = pointers / 8;
	bytes = (ret->words + 7) / 8;
	if (bytes > MOST_BITMAP || !masks_bitmap_at(hg, t, &at))
		return false;
	ret->bits = xcalloc(1, bytes);
	if (memory_read(hg->opts.proc, at, ret->bits, bytes))
		return true;
	free(ret->bits);
	return false;
}

const struct graph_mask *graph_mask_of(struct heapgraph *hg, uint64_t type)
{
	struct graph_mask mask;
	uint64_t *known;
	bool is_new;

	if (hg->masks.len >= MOST_TYPES && !map64_get(&hg->masks, type))
		return NULL;
	known = map64_put(&hg->masks, type, &is_new);
	if (is_new) {
		*known = 0;
		if (masks_read(hg, type, &mask)) {
			*(struct graph_mask *)vec_push(&hg->mask_list, sizeof(mask)) = mask;
			*known = hg->mask_list.len;
		}
	}
	return *known ? vec_at(&hg->mask_list, struct graph_mask, *known - 1) : NULL;
}
