/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_write: text form back to wire form, as TextReader and Writer of Go
 * 1.27's internal/trace/raw do it, with the shortest form of every number.
 *
 * Accepted beyond Go: `n=` for a Stack's `nframes=` (the spelling in that
 * package's own comment); a String or ExperimentalBatch without a data line
 * (that is how the text form shows empty data); lines over 64 KiB; the
 * `trace` member of a .test file.
 */
#ifndef GOTAP_READ_WIRE_WRITE_H
#define GOTAP_READ_WIRE_WRITE_H

#include "base/error.h"
#include "read/raw_sink.h"
#include "read/raw_source.h"

/* Appends to @sink the wire form of the text in @source. Errors name the line. */
int wire_write(struct raw_source *source, struct raw_sink *sink, struct error *err);

#endif
