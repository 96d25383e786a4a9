/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stackkeys: the stacks of a v2 trace that is read, by keys that hold in all of its generations,
 * as a sink (trace/sink.h) and tracefile.h want them. A key is the address of the frames, which
 * are kept in a set of texts, with their names: equal stacks have one key.
 */
#ifndef GOTAP_REWRITE_STACKKEYS_H
#define GOTAP_REWRITE_STACKKEYS_H

#include "base/map64.h"
#include "base/strset.h"
#include "read/v2_reader.h"
#include "trace/types.h"

/*
 * The key of stack @id of the generation that @r is in, 0 if there is none. @keys has those of
 * this generation: the caller clears it when that ends.
 */
uint64_t stackkeys_get(struct strset *texts, struct map64 *keys, const struct trace_reader *r,
		       uint64_t id);
/* trace_frames_fn */
size_t stackkeys_frames(void *ctx, uint64_t key, struct trace_frame *out, size_t max);
/* The key of the same stack in @to, which gets a copy. */
uint64_t stackkeys_move(struct strset *to, uint64_t key);

#endif
