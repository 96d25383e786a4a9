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
/* The set's own copy of the @n bytes at @s, NUL terminated. */
const char *strset_add(struct strset *set, const char *s, size_t n);
/* Accepts NULL. */
void strset_free(struct strset *set);

#endif
