/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_reader: a v2 trace (go 1.22 and later) as one ordered stream of events.
 *
 *	struct trace_reader *r = trace_reader_open(path, &err);
 *	while (trace_reader_next(r, &ev) > 0)
 *		... ev->type, ev->m, trace_reader_string(r, ev->args[0], &n) ...
 *	trace_reader_close(r);
 *
 * It gives the events that Go's internal/trace.Reader (1.27) gives, in the
 * same order with the same times, and stops where that stops. The first event
 * is always TRACE_SYNC; each opens a generation, or ends the trace. An event,
 * its strings and stacks hold until the next call of trace_reader_next().
 *
 * Memory: the tables of one generation, one batch per thread, and what is
 * alive in the traced program; from a pipe also all batches of a generation.
 */
#ifndef GOTAP_READ_V2_READER_H
#define GOTAP_READ_V2_READER_H

#include "base/error.h"
#include "read/v2_event.h"
#include "read/v2_generation.h"
#include "read/v2_order.h"

struct trace_reader;

/* Opens @path ("-" is standard input). NULL with @err set if it is no v2 trace. */
struct trace_reader *trace_reader_open(const char *path, struct error *err);
/* The same from a source whose first bytes have been looked at; it is the reader's from now on. */
struct trace_reader *trace_reader_open_source(const struct raw_source *source, struct error *err);
/* Reads the @n bytes at @data, which must outlive the reader. */
struct trace_reader *trace_reader_open_memory(const void *data, size_t n, struct error *err);
/*
 * From now on a generation that breaks off, but has its clock, is read up to there, and the fault
 * comes after it; the names that it lacks are left out. Go's reader, and so this one otherwise,
 * gives nothing of it.
 */
void trace_reader_keep_cut(struct trace_reader *r);
/*
 * After a fault: goes on with the next generation behind it, as if the trace
 * began there. *@lost are the bytes that were left out, up to the end of the
 * trace if this returns false since there is none.
 */
bool trace_reader_resume(struct trace_reader *r, uint64_t *lost);
/*
 * After a fault or the end: 0, or an error if it is none of the trace, but the file could not be
 * read, or changed meanwhile.
 */
int trace_reader_error(const struct trace_reader *r, struct error *err);
/* The same, and a fault of the trace is an error, too: -EBADMSG with its place, event and rule. */
int trace_reader_stopped(const struct trace_reader *r, struct error *err);
/*
 * Ids of strings and stacks that events had and the tables of what breaks off did not: they are 0.
 */
uint64_t trace_reader_unnamed(const struct trace_reader *r);
/* Accepts NULL. */
void trace_reader_close(struct trace_reader *r);

/* 1 and the next event; 0 at the end; negative on a fault, and from then on. */
int trace_reader_next(struct trace_reader *r, const struct trace_event **ev);
/*
 * Describes the fault: its place, and the state of the goroutines, Ps and threads that it is about.
 */
const struct v2_fault *trace_reader_fault(const struct trace_reader *r);

/* NN of header go 1.NN */
int trace_reader_version(const struct trace_reader *r);
/* The generation of the last event; NULL after the last TRACE_SYNC. */
const struct v2_generation *trace_reader_generation(const struct trace_reader *r);
/* The note->size bytes of a batch, which may be put to @buf; NULL if the file has changed. */
const uint8_t *trace_reader_body(struct trace_reader *r, const struct v2_note *note,
				 uint8_t *buf);
/*
 * Gives the events of the generation that say how something was when it began,
 * statuses and ranges, before their turn: in no order, without context, only
 * type, args and place.thread are set.
 */
typedef void trace_state_fn(void *ctx, const struct trace_event *ev);
void trace_reader_states(struct trace_reader *r, trace_state_fn *fn, void *ctx);
/* All states as they are after the last event (and those queued behind it). */
struct order *trace_reader_order(struct trace_reader *r);
const struct raw_specs *trace_reader_specs(const struct trace_reader *r);

/* Text of string @id, @len bytes without a NUL; NULL if the generation has none. */
const char *trace_reader_string(const struct trace_reader *r, uint64_t id, size_t *len);

#endif
