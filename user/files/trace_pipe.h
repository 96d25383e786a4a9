/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_pipe: the bytes of a Go trace on their way to a thread that reads them while the trace is
 * made, generation by generation: the Perfetto trace (beside.h) and the old formats (old_format.h)
 * are made from them. As an observer of the recording it takes a copy of what is written; if the
 * thread is far slower than the recording, it waits (docs/losses.md).
 */
#ifndef GOTAP_FILES_TRACE_PIPE_H
#define GOTAP_FILES_TRACE_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/observer.h"

struct trace_pipe;

/* Runs in the thread: reads the trace with trace_pipe_read(). */
typedef int trace_pipe_fn(void *ctx, struct trace_pipe *p, struct error *err);

/* Starts the thread. @ctx must live until trace_pipe_finish(). */
int trace_pipe_start(struct trace_pipe **ret, trace_pipe_fn *fn, void *ctx, struct error *err);
/* Adds the pipe to @to as an observer that takes all bytes. */
void trace_pipe_observe(struct trace_pipe *p, struct observers *to);
/* Returns whether the function has returned. It then reads no more. */
bool trace_pipe_is_gone(struct trace_pipe *p);
/* Returns how many generations were written. For the thread that writes them. */
uint64_t trace_pipe_written(const struct trace_pipe *p);
/*
 * To be called after the last byte. Waits until the function has returned, frees @p, and returns
 * the function's result.
 */
int trace_pipe_finish(struct trace_pipe *p, struct error *err);

/*
 * For the function only: a reader as in raw_source.h. Returns the next bytes, at most @n, and none
 * of the generation after them; 0: the trace has ended.
 */
int64_t trace_pipe_read(void *pipe, void *buf, size_t n);
/* For the function only: returns of how many generations trace_pipe_read() has returned bytes. */
uint64_t trace_pipe_taken(const struct trace_pipe *p);

#endif
