/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stackkeys: keys for the stacks of a v2 trace that is read. They are valid in all of its
 * generations, as a sink (trace/sink.h) and tracefile.h require. A key is the address of the
 * stack's frames in a set of texts, which also has their names: equal stacks have one key.
 */
#ifndef GOTAP_REWRITE_STACKKEYS_H
#define GOTAP_REWRITE_STACKKEYS_H

#include "base/map64.h"
#include "base/strset.h"
#include "read/v2_reader.h"
#include "trace/types.h"

/*
 * The key of stack @id in the current generation of @r, 0: none. @keys caches the keys of this
 * generation: the caller clears it at the end of the generation.
 */
uint64_t stackkeys_get(struct strset *texts, struct map64 *keys, const struct trace_reader *r,
		       uint64_t id);
/* A trace_frames_fn. */
size_t stackkeys_frames(void *ctx, uint64_t key, struct trace_frame *out, size_t max);
/* The key of the same stack in the set @to, which gets a copy. */
uint64_t stackkeys_move(struct strset *to, uint64_t key);

#endif
