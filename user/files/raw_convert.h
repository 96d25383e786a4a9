/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw_convert: a file in one form to a file in another, by text_write(), v1_text() or
 * v1_wire_write().
 */
#ifndef GOTAP_FILES_RAW_CONVERT_H
#define GOTAP_FILES_RAW_CONVERT_H

#include "files/output.h"
#include "read/raw_sink.h"
#include "read/raw_source.h"

typedef int raw_convert_fn(struct raw_source *source, struct raw_sink *sink, const void *ctx,
			   struct error *err);

/* Runs @fn, which writes a trace, from @in to @out ("-": standard input, output). */
int raw_convert(raw_convert_fn *fn, const void *ctx, const char *in, const char *out,
		struct error *err);
/*
 * The same from a source that is open, and remains open; @in is its name. If the input has a fault,
 * a regular file @out is as it was before. A pipe or a terminal has got the part before the fault.
 */
int raw_convert_source(raw_convert_fn *fn, const void *ctx, struct raw_source *source,
		       const char *in, const char *out, enum output_form form, struct error *err);

#endif
