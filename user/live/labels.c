// SPDX-License-Identifier: Apache-2.0
/*
 * labels: see labels.h. The two forms of a set are those of runtime/pprof/label.go and, up to Go
 * 1.23, of runtime/map.go.
 */
#include "live/labels.h"

#include <stdlib.h>
#include <string.h>

#include "live/memory.h"
#include "release/release.h"

struct go_string {
	uint64_t at, len;
};

struct pair {
	struct go_string key, value;
};

struct pairs {
	size_t n;
	bool more;
	struct pair all[LABELS_MOST];
};

static void labels_add(struct pairs *to, struct go_string key, struct go_string value)
{
	if (to->n == LABELS_MOST)
		to->more = true;
	else
		to->all[to->n++] = (struct pair){ key, value };
}

/* --- a slice of pairs --- */

static bool find_in_slice(const struct process *p, uint64_t address, struct pairs *ret)
{
	struct {
		uint64_t data, len, cap;
	} slice;

	if (!memory_read(p, address, &slice, sizeof(slice)) || slice.len > slice.cap)
		return false;
	ret->more = slice.len > LABELS_MOST;
	ret->n = ret->more ? LABELS_MOST : slice.len;
	return !ret->n || memory_read(p, slice.data, ret->all, ret->n * sizeof(*ret->all));
}

/* --- a map --- */

enum {
	SLOTS = 8,		/* of a bucket */
	/* a smaller value: the slot is empty, or its element has moved to the new buckets */
	MIN_TOP_HASH = 5,
	MOST_BUCKETS = 1 << 7,	/* at a load of 6.5 per bucket more than enough for LABELS_MOST */
	MOST_CHAINED = 4 * MOST_BUCKETS,
};

struct map_header {		/* runtime.hmap */
	uint64_t count;
	uint8_t flags, log_buckets;
	uint16_t overflows;
	uint32_t seed;
	uint64_t buckets, old_buckets;
};

struct map_bucket {		/* runtime.bmap of map[string]string */
	uint8_t top[SLOTS];
	struct go_string keys[SLOTS], values[SLOTS];
	uint64_t next;
};

static void add_bucket(struct pairs *to, const struct map_bucket *b)
{
	size_t i;

	for (i = 0; i < SLOTS; i++)
		if (b->top[i] >= MIN_TOP_HASH)
			labels_add(to, b->keys[i], b->values[i]);
}

/*
 * Adds the buckets with their chains. In a broken program a chain may be a circle: all chains
 * together have at most @left buckets.
 */
static bool add_buckets(const struct process *p, uint64_t at, size_t n, size_t *left,
			struct pairs *to)
{
	struct map_bucket b;
	uint64_t next;
	size_t i;

	for (i = 0; i < n && !to->more; i++) {
		for (next = at + i * sizeof(b); next; next = b.next) {
			if (!(*left)-- || !memory_read(p, next, &b, sizeof(b)))
				return false;
			add_bucket(to, &b);
		}
	}
	return true;
}

/*
 * Finds the labels in a map. While a map grows, a part of its elements is in the old buckets, which
 * are half as many.
 */
static bool find_in_map(const struct process *p, uint64_t address, struct pairs *ret)
{
	struct map_header map;
	size_t n, left = MOST_CHAINED;
	uint64_t at;

	if (!memory_read(p, address, &at, sizeof(at)))
		return false;
	if (!at)
		return true;
	if (!memory_read(p, at, &map, sizeof(map)) || map.log_buckets > 63)
		return false;
	n = map.log_buckets > 7 ? MOST_BUCKETS : (size_t)1 << map.log_buckets;
	if (map.buckets && !add_buckets(p, map.buckets, n, &left, ret))
		return false;
	if (map.old_buckets && !add_buckets(p, map.old_buckets, (n + 1) / 2, &left, ret))
		return false;
	ret->more |= map.count > ret->n;
	return true;
}

/* --- texts --- */

static void labels_want(struct memory_range *range, struct label_bytes *text,
			const struct go_string *from, uint8_t *to)
{
	text->text = to;
	text->cut = from->len > LABEL_BYTES;
	text->len = text->cut ? LABEL_BYTES : from->len;
	*range = (struct memory_range){ from->at, to, text->len, false };
}

static bool labels_read_texts(const struct process *p, const struct pairs *pairs,
			      struct live_labels *ret)
{
	struct memory_range ranges[2 * LABELS_MOST];
	size_t i;

	for (i = 0; i < pairs->n; i++) {
		uint8_t *to = ret->bytes + 2 * i * LABEL_BYTES;

		labels_want(&ranges[2 * i], &ret->all[i].key, &pairs->all[i].key, to);
		labels_want(&ranges[2 * i + 1], &ret->all[i].value, &pairs->all[i].value,
			    to + LABEL_BYTES);
	}
	memory_read_each(p, ranges, 2 * pairs->n);
	for (i = 0; i < 2 * pairs->n; i++)
		if (ranges[i].len && !ranges[i].ok)
			return false;
	return true;
}

static int labels_by_key(const void *a, const void *b)
{
	const struct label_bytes *x = &((const struct live_label *)a)->key,
				 *y = &((const struct live_label *)b)->key;
	int r = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);

	return r ? r : (x->len > y->len) - (x->len < y->len);
}

bool labels_read(const struct process *p, int minor, uint64_t address, struct live_labels *ret)
{
	struct pairs pairs = {0};

	ret->n = 0;
	if (!(release_has(minor, RELEASE_LABELS_IN_MAP) ? find_in_map : find_in_slice)(p, address,
										       &pairs) ||
	    !labels_read_texts(p, &pairs, ret))
		return false;
	ret->n = pairs.n;
	ret->more = pairs.more;
	qsort(ret->all, ret->n, sizeof(*ret->all), labels_by_key);
	return true;
}
