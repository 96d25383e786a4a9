/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_write: wire form to text form, byte for byte what TextWriter of Go
 * 1.27's internal/trace/raw prints (`go tool trace -d=wire` prints the same
 * without the first line).
 *
 * One difference: an event number without a name is an error here, where Go
 * prints an empty line that cannot be read back.
 */
#ifndef GOTAP_READ_TEXT_WRITE_H
#define GOTAP_READ_TEXT_WRITE_H

#include "base/error.h"
#include "read/raw_sink.h"
#include "read/raw_source.h"
#include "read/raw_spec.h"

/*
 * Appends to @sink the text form of the trace in @source. On a fault the whole
 * events before it have been written.
 */
int text_write(struct raw_source *source, struct raw_sink *sink, struct error *err);

/* Writes the decimal digits of @v to @p, which has room for 20; returns the end. */
uint8_t *text_put_uint(uint8_t *p, uint64_t v);

/* Appends "Name a=1 b=2", as it stands on an event's first line. */
void text_append_event(struct buf *out, const struct raw_spec *spec, const uint64_t *args);

#endif
