/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strtab: the string table of one generation: text -> id, without holes from 1 on. Id 0 is the
 * empty string, which the format does not write.
 */
#ifndef GOTAP_TRACE_STRTAB_H
#define GOTAP_TRACE_STRTAB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map64.h"
#include "base/strset.h"
#include "base/vec.h"

struct strtab {
	struct strset *texts;
	struct map64 ids;	/* address of the text in texts -> id */
	struct vec order;	/* const char * (strset_len() long), item i has id i + 1 */
	size_t bytes;		/* bytes of all texts */
};

void strtab_init(struct strtab *t);
/*
 * The id of @s in this generation. Texts longer than 1024 bytes are cut as the runtime cuts them:
 * names of functions and files keep their end (@keep_tail), all others their begin.
 */
uint64_t strtab_put(struct strtab *t, const char *s, bool keep_tail);
/* As strtab_put(), for @n bytes, which may hold zeros: annotations are texts of the program. */
uint64_t strtab_put_bytes(struct strtab *t, const char *s, size_t n, bool keep_tail);
/* A further id of the text with @id, which is one of this generation. */
uint64_t strtab_put_again(struct strtab *t, uint64_t id);
/* An id of its own for a text that comes later: strtab_define(). Until then it is empty. */
uint64_t strtab_put_later(struct strtab *t);
/* @id, from strtab_put_later() in this generation, has this text. */
void strtab_define(struct strtab *t, uint64_t id, const char *s, size_t n);
/* Removes all strings, for a new generation. */
void strtab_reset(struct strtab *t);
void strtab_free(struct strtab *t);

#endif
