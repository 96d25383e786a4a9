/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text: a v1 trace as text, record by record, and back (wire.c). The text determines every byte of
 * the file: also the form of each record (text_form.h).
 */
#ifndef GOTAP_V1_TEXT_H
#define GOTAP_V1_TEXT_H

#include "base/error.h"
#include "read/raw_sink.h"
#include "read/raw_source.h"

/*
 * Appends the records of the file to @sink as text: "Trace Go1.11" or "Trace gotrace", then one
 * line `Name arg=value ...` per record, with frames and data on separate lines as in the v2 text
 * form. Only the boundaries of records are checked. In formats with bare PCs, @binary, the traced
 * executable, gives the names of frames; it may be NULL. Returns 0 or -errno with @err.
 */
int v1_text(const uint8_t *data, size_t n, const char *binary, struct raw_sink *sink,
	    struct error *err);

/* The same of the whole rest of @source. */
int v1_text_of_source(struct raw_source *source, const char *binary, struct raw_sink *sink,
		      struct error *err);

/*
 * Reads the text of a v1 or v2 trace from @source and appends the bytes of the trace to @sink.
 * Errors name the line. A record that no parser would read back from the file is an error.
 */
int v1_wire_write(struct raw_source *source, struct raw_sink *sink, struct error *err);

#endif
