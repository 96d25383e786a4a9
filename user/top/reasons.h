/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reasons: the texts of why goroutines wait, as small numbers. The runtime has some fifty. Used by
 * tally and groups.
 */
#ifndef GOTAP_TOP_REASONS_H
#define GOTAP_TOP_REASONS_H

#include "base/map64.h"
#include "base/strset.h"
#include "base/vec.h"
#include "trace/sink.h"

enum { REASONS_MAX = 256 };	/* a damaged trace may have any */

struct reasons {
	struct strset *texts;
	struct map64 by_text;	/* address in @texts -> number */
	struct map64 by_constant;	/* address of a constant -> number */
	struct vec all;		/* const char * by number; 0 is "" */
};

void reasons_init(struct reasons *r);
/* The number of a text, which is added if it is new; texts beyond REASONS_MAX share one. 0: "". */
uint32_t reasons_number(struct reasons *r, const struct sink_text *text);
static inline const char *reasons_text(const struct reasons *r, uint32_t number)
{
	return *vec_at(&r->all, const char *, number);
}
void reasons_free(struct reasons *r);

#endif
