/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_reader: reads a v2 trace (go 1.22 and later) as one ordered stream of events.
 *
 *	struct trace_reader *r = trace_reader_open(path, &err);
 *	while (trace_reader_next(r, &ev) > 0)
 *		... ev->type, ev->m, trace_reader_string(r, ev->args[0], &n) ...
 *	trace_reader_close(r);
 *
 * It returns the events of Go's internal/trace.Reader (1.27), in the same order with the same
 * times, and stops at the same faults. The first event is a TRACE_SYNC; each TRACE_SYNC begins a
 * generation, or ends the trace. An event, its strings and stacks are valid until the next call of
 * trace_reader_next().
 *
 * Memory: the tables of one generation, one batch per thread, and the live goroutines and open
 * ranges; for a pipe also all batches of a generation.
 */
#ifndef GOTAP_READ_V2_READER_H
#define GOTAP_READ_V2_READER_H

#include "base/error.h"
#include "read/v2_event.h"
#include "read/v2_generation.h"
#include "read/v2_order.h"
#include "trace/wait.h"

struct trace_reader;

/*
 * Opens @path; "-" is standard input. NULL with @err: the file cannot be read or is not a v2 trace.
 */
struct trace_reader *trace_reader_open(const char *path, struct error *err);
/*
 * As trace_reader_open(), for a source of which the first bytes may have been peeked at. The reader
 * takes the ownership of @source.
 */
struct trace_reader *trace_reader_open_source(const struct raw_source *source, struct error *err);
/* Reads the @n bytes at @data, which must outlive the reader. */
struct trace_reader *trace_reader_open_memory(const void *data, size_t n, struct error *err);
/*
 * From now on an incomplete generation that has its clock is read to its end, and the fault
 * follows. Names that its tables lack are left out. Without this call the reader returns no event
 * of it, like Go's reader.
 */
void trace_reader_keep_cut(struct trace_reader *r);
/*
 * After a fault: continues with the next generation after it, as if the trace began there. *@lost
 * are the bytes that are left out. False if there is no further generation: then *@lost goes up to
 * the end of the file.
 */
bool trace_reader_resume(struct trace_reader *r, uint64_t *lost);
/*
 * After a fault or the end: returns 0, or an error if the file could not be read or changed
 * meanwhile. A fault of the trace is not an error here.
 */
int trace_reader_error(const struct trace_reader *r, struct error *err);
/*
 * As trace_reader_error(), and a fault of the trace is an error, too: -EBADMSG with its place,
 * event and rule.
 */
int trace_reader_stopped(const struct trace_reader *r, struct error *err);
/*
 * The number of ids of strings and stacks in events that the tables of an incomplete generation
 * lack. These ids are 0.
 */
uint64_t trace_reader_unnamed(const struct trace_reader *r);
/* Accepts NULL. */
void trace_reader_close(struct trace_reader *r);

/*
 * Returns 1 with the next event in *@ev; 0 at the end; negative on a fault, and on every later
 * call.
 */
int trace_reader_next(struct trace_reader *r, const struct trace_event **ev);
/* The fault: its place, and the states of the goroutines, Ps and threads that it is about. */
const struct v2_fault *trace_reader_fault(const struct trace_reader *r);

/* NN of the header go 1.NN. */
int trace_reader_version(const struct trace_reader *r);
/* The generation of the last event; NULL after the last TRACE_SYNC. */
const struct v2_generation *trace_reader_generation(const struct trace_reader *r);
/* The note->size bytes of a batch, which may be in @buf; NULL if the file has changed. */
const uint8_t *trace_reader_body(struct trace_reader *r, const struct v2_note *note,
				 uint8_t *buf);
/*
 * Calls @fn with all statuses and active ranges of the generation, before their turn. They come in
 * no order and without context: only type, args and place.thread are set.
 */
typedef void trace_state_fn(void *ctx, const struct trace_event *ev);
void trace_reader_states(struct trace_reader *r, trace_state_fn *fn, void *ctx);
/* The states after the last event and all events in the queue. */
struct order *trace_reader_order(struct trace_reader *r);
const struct raw_specs *trace_reader_specs(const struct trace_reader *r);

/*
 * What the goroutine waits for after @ev, the last event: a GoBlock, or a status of a goroutine
 * that waits. False: the event is another one, or the trace does not say it. Recordings of gotap
 * say it (trace/waittab.h).
 */
bool trace_reader_wait(struct trace_reader *r, const struct trace_event *ev,
		       struct trace_wait *ret);

/* The text of string @id, *@len bytes without a NUL; NULL if the generation has none. */
const char *trace_reader_string(const struct trace_reader *r, uint64_t id, size_t *len);

#endif
