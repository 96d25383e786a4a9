/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader: the events of a v1 trace as the v2 reader gives them, by its conversion (v1/convert.h).
 */
#ifndef GOTAP_V1_READER_H
#define GOTAP_V1_READER_H

#include "read/v2_reader.h"
#include "v1/trace.h"

/*
 * A reader of @t as v2, which is held in memory of the kernel, not of a file system: @t is no
 * longer needed. NULL with @err set if it cannot be made.
 */
struct trace_reader *v1_reader_open(const struct v1_trace *t, struct error *err);

#endif
