/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_write: converts a trace to text, with the same bytes as TextWriter of Go 1.27's
 * internal/trace/raw (`go tool trace -d=wire` prints the same without the first line).
 *
 * One difference: an event number without a name is an error here. Go prints an empty line for it,
 * which cannot be read back.
 */
#ifndef GOTAP_READ_TEXT_WRITE_H
#define GOTAP_READ_TEXT_WRITE_H

#include "base/error.h"
#include "read/raw_sink.h"
#include "read/raw_source.h"
#include "read/raw_spec.h"

/*
 * Appends the text form of the trace in @source to @sink. On a fault the complete events before it
 * have been written. Returns 0 or -errno with @err.
 */
int text_write(struct raw_source *source, struct raw_sink *sink, struct error *err);

/* Writes the decimal digits of @v to @p, which has space for 20; returns the end. */
uint8_t *text_put_uint(uint8_t *p, uint64_t v);

#endif
