/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks: the stacks that records refer to by key, and their way into the
 * trace: names, inlined frames, frames that the runtime's tracer leaves out.
 */
#ifndef GOTAP_FRAMES_STACKS_H
#define GOTAP_FRAMES_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "record.h"
#include "symbol/symbol.h"
#include "trace/types.h"
#include "tracev2.h"

struct stacks;

/* @symbols may be NULL: stacks then have addresses only. Not owned. */
struct stacks *stacks_new(struct symbolizer *symbols, int minor, unsigned int depth);
void stacks_define(struct stacks *s, const struct rec_stack *r);
/* The whole stack of a sample; the record of its callers may come later. Returns its key. */
uint64_t stacks_sample(struct stacks *s, const struct rec_cpu *r);
/*
 * Takes the top word of the stack from the record of a program's death; the record of the stack
 * itself may come later.
 */
void stacks_end(struct stacks *s, const struct rec_user *r);
/*
 * A generation has been written: forgets the stacks of samples that neither it nor the next one can
 * use.
 */
void stacks_turn(struct stacks *s);
/* trace_frames_fn; @ctx is the struct stacks. */
size_t stacks_frames(void *ctx, uint64_t key, struct trace_frame *out, size_t max);
/*
 * stacks_frames() for other callers than the writer of the trace, at any time: the stack does not
 * count as used, nor as missing. Returns 0 if its record has not come yet, or was lost.
 */
size_t stacks_look(void *ctx, uint64_t key, struct trace_frame *out, size_t max);
/*
 * Distinct stacks that records defined, and stacks that were used but have no record: it was lost.
 */
size_t stacks_defined(const struct stacks *s);
size_t stacks_missing(const struct stacks *s);
/* Stacks that end where memory could not be read, though there may be more frames. */
size_t stacks_cut(const struct stacks *s);
/* Addresses whose names could not be read any more; @why is "" or the reason. */
uint64_t stacks_unanswered(const struct stacks *s, const char **why);
/* Accepts NULL. */
void stacks_free(struct stacks *s);

#endif
