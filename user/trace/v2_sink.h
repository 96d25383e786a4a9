/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_sink: the sink that writes a v2 Go execution trace. It owns the tracefile, and gives
 * texts and stacks their ids in it. The assembler makes one and hands it to the model.
 */
#ifndef GOTAP_TRACE_V2_SINK_H
#define GOTAP_TRACE_V2_SINK_H

#include "base/error.h"
#include "trace/sink.h"
#include "trace/tracefile.h"

struct v2_sink;

/* As tracefile_new(). */
int v2_sink_new(struct v2_sink **ret, int fd, const struct tracefile_opts *opts,
		struct error *err);
/* The sink, for the model; valid until v2_sink_free(). */
struct sink v2_sink(struct v2_sink *v);
const struct tracefile_counts *v2_sink_counts(const struct v2_sink *v);
/* Frees without writing the open generation. Accepts NULL. */
void v2_sink_free(struct v2_sink *v);

#endif
