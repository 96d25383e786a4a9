/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strset: interned strings. Equal text gives the same pointer, which lives
 * until the set is freed, so names can be compared and hashed by address.
 */
#ifndef GOTAP_BASE_STRSET_H
#define GOTAP_BASE_STRSET_H

#include <stddef.h>

struct strset;

struct strset *strset_new(void);
/* The set's own copy of the text at @s, up to @n bytes, NUL terminated. */
const char *strset_add(struct strset *set, const char *s, size_t n);
/* As above, but these bytes may hold zeros. */
const char *strset_add_bytes(struct strset *set, const char *s, size_t n);
/* The copy that strset_add() would give, if there is one already; else NULL. */
const char *strset_find(const struct strset *set, const char *s, size_t n);
/* Bytes that the set takes. */
size_t strset_size(const struct strset *set);
/* Length of a string of any set. */
size_t strset_len(const char *s);
/* Accepts NULL. */
void strset_free(struct strset *set);

#endif
