/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strtab: the string dictionary of one generation: text -> id, dense from 1;
 * id 0 is the empty string (wire-level rule: it is never written).
 */
#ifndef GOTAP_TRACE_STRTAB_H
#define GOTAP_TRACE_STRTAB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map64.h"
#include "base/strset.h"
#include "base/vec.h"

enum { STRTAB_CONSTANTS = 64 };

struct strtab {
	struct strset *texts;
	struct map64 ids;	/* address of the set's own copy -> id */
	struct vec order;	/* const char * (strset_len() long), item i has id i + 1 */
	size_t bytes;		/* of all texts */
	struct {
		const char *s;
		uint64_t id;
	} constants[STRTAB_CONSTANTS];	/* strtab_put_constant() met last, by address */
};

void strtab_init(struct strtab *t);
/*
 * Id of @s in this generation. Longer texts are cut to 1024 bytes as the
 * runtime does it: names of functions and files keep their tail
 * (@keep_tail), all others their head.
 */
uint64_t strtab_put(struct strtab *t, const char *s, bool keep_tail);
/* As above for @n bytes that need not be text: annotations are a program's own. */
uint64_t strtab_put_bytes(struct strtab *t, const char *s, size_t n, bool keep_tail);
/* Likewise for a text that lives as long as the program and never changes. */
uint64_t strtab_put_constant(struct strtab *t, const char *s);
/* Forgets all strings: a new generation begins. */
void strtab_reset(struct strtab *t);
void strtab_free(struct strtab *t);

#endif
