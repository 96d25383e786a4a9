/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strset: interned strings. Equal texts have the same pointer, which is valid until the set is
 * freed: names can be compared and hashed by address.
 */
#ifndef GOTAP_BASE_STRSET_H
#define GOTAP_BASE_STRSET_H

#include <stddef.h>

struct strset;

struct strset *strset_new(void);
/* The set's copy of the text at @s, of at most @n bytes, with a terminating NUL. */
const char *strset_add(struct strset *set, const char *s, size_t n);
/* As strset_add(), for exactly @n bytes, which may include zeros. */
const char *strset_add_bytes(struct strset *set, const char *s, size_t n);
/* The pointer that strset_add() would return if the set has the text, else NULL. */
const char *strset_find(const struct strset *set, const char *s, size_t n);
/* Bytes of memory of the set. */
size_t strset_size(const struct strset *set);
/* Length of a string of any strset. */
size_t strset_len(const char *s);
/* Accepts NULL. */
void strset_free(struct strset *set);

#endif
