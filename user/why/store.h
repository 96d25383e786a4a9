/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store: a growing list of items of one size, in memory up to a limit, and behind it in a file
 * without a name (base/temp_file.h), of which some blocks are kept. An item can be read at any
 * time; none changes. The trail (trail.h) and the steps of a path (path.h) lie in one each.
 */
#ifndef GOTAP_WHY_STORE_H
#define GOTAP_WHY_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define STORE_NONE UINT32_MAX	/* the number of no item */

struct store;

/* @memory: bytes that it may keep in memory. */
struct store *store_new(size_t item, size_t memory);
/* Accepts NULL. */
void store_free(struct store *s);
/*
 * The number of the new item, which is a copy of @item. After a failure: STORE_NONE, and nothing is
 * kept.
 */
uint32_t store_add(struct store *s, const void *item);
/* Item @i, below store_len(). Valid until the next call; zeros if it cannot be read. */
const void *store_at(struct store *s, uint32_t i);
uint32_t store_len(const struct store *s);
/* Forgets all items. */
void store_empty(struct store *s);
/* 0, or the first failure to write or read. */
int store_error(const struct store *s, struct error *err);

#endif
