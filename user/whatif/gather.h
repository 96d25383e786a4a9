/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather: makes the programs (programs.h) of a trace, as a visitor of its spans.
 *
 * 	struct gather *g = gather_new(spans, oncpu);
 * 	spans_read(spans, reader, &err);
 * 	programs = gather_finish(g);		owned by @g
 * 	gather_free(g);				before spans_free()
 */
#ifndef GOTAP_WHATIF_GATHER_H
#define GOTAP_WHATIF_GATHER_H

#include "oncpu/oncpu.h"
#include "whatif/programs.h"

struct gather;

/*
 * Adds the visitor to @s, which must outlive the result. @o, which may be NULL, lives until the
 * trace was read.
 */
struct gather *gather_new(struct spans *s, struct oncpu *o);
/* Accepts NULL. */
void gather_free(struct gather *g);
/* Removes the visitor. To be called once, when the trace has been read. */
struct programs *gather_finish(struct gather *g);

#endif
