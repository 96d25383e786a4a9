/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store: a growing list of items of one size. The first items are in memory, up to a limit, and
 * further items in a file without a name (base/temp_file.h), of which some blocks are cached. An
 * item can be read at any time and never changes. The trail (trail.h) and the steps of a path
 * (path.h) have one store each.
 */
#ifndef GOTAP_WHY_STORE_H
#define GOTAP_WHY_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define STORE_NONE UINT32_MAX	/* a number that no item has */

struct store;

/*
 * Makes a store for items of @item bytes, freed by store_free(). @memory: bytes that it may keep in
 * memory.
 */
struct store *store_new(size_t item, size_t memory);
/* Frees @s, which may be NULL. */
void store_free(struct store *s);
/*
 * Adds a copy of @item and returns its number. STORE_NONE: a write has failed, and no item is added
 * any more.
 */
uint32_t store_add(struct store *s, const void *item);
/* Returns item @i, below store_len(). Valid until the next call; zeros if it cannot be read. */
const void *store_at(struct store *s, uint32_t i);
uint32_t store_len(const struct store *s);
/* Drops all items. */
void store_empty(struct store *s);
/* Returns 0, or the first failure to write or read (-errno). */
int store_error(const struct store *s, struct error *err);

#endif
