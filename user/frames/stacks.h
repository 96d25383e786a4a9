/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks: turns the keys of stacks in records into the frames of the trace: names, inlined frames,
 * and without the frames that the runtime's tracer leaves out.
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

/*
 * @symbols may be NULL: frames then have addresses only. The caller owns @symbols, which must
 * outlive the stacks. @minor: Go release 1.NN; @depth: the most frames of a stack.
 */
struct stacks *stacks_new(struct symbolizer *symbols, int minor, unsigned int depth);
void stacks_define(struct stacks *s, const struct rec_stack *r);
/* Takes a sample; returns the key of its stack. The record of the callers' stack may come later. */
uint64_t stacks_sample(struct stacks *s, const struct rec_cpu *r);
/*
 * Takes the top word of the stack from the record of a program's death. The record of the stack
 * itself may come later.
 */
void stacks_end(struct stacks *s, const struct rec_user *r);
/*
 * To be called when a generation has been written: frees the stacks of samples that the next
 * generation cannot use.
 */
void stacks_turn(struct stacks *s);
/* trace_frames_fn; @ctx is the struct stacks. */
size_t stacks_frames(void *ctx, uint64_t key, struct trace_frame *out, size_t max);
/*
 * As stacks_frames(), for callers other than the writer of the trace, at any time: the stack does
 * not count as used or missing. Returns 0 if its record has not come yet, or was lost.
 */
size_t stacks_look(void *ctx, uint64_t key, struct trace_frame *out, size_t max);
/*
 * Stores at most @max return addresses of the stack, leaf first; returns how many. 0: its record
 * has not come yet, or was lost.
 */
size_t stacks_pcs(const struct stacks *s, uint64_t key, uint64_t *pcs, size_t max);
/*
 * The number of distinct stacks that records defined, and of stacks that were used although their
 * record was lost.
 */
size_t stacks_defined(const struct stacks *s);
size_t stacks_missing(const struct stacks *s);
/* The number of stacks that end where memory could not be read: they may have more frames. */
size_t stacks_cut(const struct stacks *s);
/* The number of addresses without a name, which could not be read; *@why is the reason, or "". */
uint64_t stacks_unanswered(const struct stacks *s, const char **why);
/* Accepts NULL. */
void stacks_free(struct stacks *s);

#endif
