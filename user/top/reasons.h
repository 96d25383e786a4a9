/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reasons: the texts of wait reasons as small numbers. The runtime has about fifty reasons. tally
 * and groups use it.
 */
#ifndef GOTAP_TOP_REASONS_H
#define GOTAP_TOP_REASONS_H

#include "base/map64.h"
#include "base/strset.h"
#include "base/vec.h"
#include "trace/sink.h"

enum { REASONS_MAX = 256 };	/* a damaged trace may have any number of reasons */

struct reasons {
	struct strset *texts;
	struct map64 by_text;	/* address in @texts -> number */
	struct map64 by_constant;	/* address of a constant -> number */
	struct vec all;		/* const char * by number; 0 is "" */
};

void reasons_init(struct reasons *r);
/*
 * Returns the number of a text, and adds it if it is new; 0: "". Texts beyond REASONS_MAX share one
 * number.
 */
uint32_t reasons_number(struct reasons *r, const struct sink_text *text);
static inline const char *reasons_text(const struct reasons *r, uint32_t number)
{
	return *vec_at(&r->all, const char *, number);
}
void reasons_free(struct reasons *r);

#endif
