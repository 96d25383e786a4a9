/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_write: converts the text form back to a trace, as TextReader and Writer of Go 1.27's
 * internal/trace/raw do, with the shortest form of every number.
 *
 * Accepted in addition to Go: `n=` for `nframes=` of a Stack (the spelling in the comment of that
 * package); a String or ExperimentalBatch without a data line (the text form of empty data in Go);
 * signed members of frames (also in that comment); lines over 64 KiB; the member `trace` of a .test
 * file.
 */
#ifndef GOTAP_READ_WIRE_WRITE_H
#define GOTAP_READ_WIRE_WRITE_H

#include "base/error.h"
#include "read/raw_sink.h"
#include "read/raw_source.h"
#include "read/text_line.h"

/*
 * Reads the text of a v2 trace from @source and appends the bytes of the trace to @sink. Errors
 * name the line.
 */
int wire_write(struct raw_source *source, struct raw_sink *sink, struct error *err);

/*
 * The same in two steps, since the header decides which events may follow. wire_header() reads the
 * first line: *@version is NN of "Trace Go1.NN", or 0 for "Trace gotrace", the format before Go 1.5
 * (v1/text.h).
 */
int wire_header(struct text_lines *lines, int *version);
/* Handles a line, and the following lines that belong to it. Returns 0 or -errno. */
typedef int wire_line_fn(void *ctx, struct text_span line);
/*
 * Calls @take with all lines; @take appends to @sink. Ends early, with 0, if a write of @sink
 * failed.
 */
int wire_lines(struct text_lines *lines, struct raw_sink *sink, wire_line_fn *take, void *ctx);
/* Appends the header go 1.@version and the remaining events of @lines. */
int wire_events(struct text_lines *lines, int version, struct raw_sink *sink);

#endif
