/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_write: text form back to wire form, as TextReader and Writer of Go
 * 1.27's internal/trace/raw do it, with the shortest form of every number.
 *
 * Accepted beyond Go: `n=` for a Stack's `nframes=` (the spelling in that
 * package's own comment); a String or ExperimentalBatch without a data line
 * (that is how the text form shows empty data); signed fields of frames (that
 * comment has them signed, too); lines over 64 KiB; the `trace` member of a
 * .test file.
 */
#ifndef GOTAP_READ_WIRE_WRITE_H
#define GOTAP_READ_WIRE_WRITE_H

#include "base/error.h"
#include "read/raw_sink.h"
#include "read/raw_source.h"
#include "read/text_line.h"

/* Appends to @sink the wire form of the text of a v2 trace in @source. Errors name the line. */
int wire_write(struct raw_source *source, struct raw_sink *sink, struct error *err);

/*
 * The same in two steps, since the header says which events follow. Takes the first line: NN of
 * "Trace Go1.NN", or 0 for "Trace gotrace", the format before Go 1.5 (v1/text.h).
 */
int wire_header(struct text_lines *lines, int *version);
/* Takes a line, and those behind it that belong to it: 0 or -errno. */
typedef int wire_line_fn(void *ctx, struct text_span line);
/* Gives all lines to @take, which appends to @sink. Ends early, with 0, if @sink takes no more. */
int wire_lines(struct text_lines *lines, struct raw_sink *sink, wire_line_fn *take, void *ctx);
/* Appends the header go 1.@version and the events that are left in @lines. */
int wire_events(struct text_lines *lines, int version, struct raw_sink *sink);

#endif
