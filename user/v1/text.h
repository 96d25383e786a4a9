/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text: a v1 trace as text, record for record, and back (wire.c). The text holds every byte of
 * the file: it gives the same file again, whatever form its records have (text_form.h).
 */
#ifndef GOTAP_V1_TEXT_H
#define GOTAP_V1_TEXT_H

#include "base/error.h"
#include "read/raw_sink.h"
#include "read/raw_source.h"

/*
 * Appends the records of the file to @sink as text: "Trace Go1.11" or "Trace gotrace", then
 * one line `Name arg=value ...` per record, frames and data on lines of their own as in the v2
 * text form. Only what is needed to cut records apart is checked. In the formats that have bare
 * PCs each frame is named by @binary, the executable that was traced; NULL: none is.
 */
int v1_text(const uint8_t *data, size_t n, const char *binary, struct raw_sink *sink,
	    struct error *err);

/*
 * Appends to @sink the wire form of the text in @source, of a v1 trace or a v2 one. Errors name the
 * line. A record that no parser would cut out of the file again is one.
 */
int v1_wire_write(struct raw_source *source, struct raw_sink *sink, struct error *err);

#endif
