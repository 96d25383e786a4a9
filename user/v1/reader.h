/* SPDX-License-Identifier: Apache-2.0 */
/* reader: a v2 reader for the events of a v1 trace, which it converts (v1/convert.h). */
#ifndef GOTAP_V1_READER_H
#define GOTAP_V1_READER_H

#include "read/v2_reader.h"
#include "v1/trace.h"

/*
 * Converts @t to v2, in a memory file, and opens a reader of the result. @t is not needed
 * afterwards. NULL with @err on an error.
 */
struct trace_reader *v1_reader_open(const struct v1_trace *t, struct error *err);

#endif
