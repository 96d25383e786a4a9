/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_sink: the sink that writes a v2 Go execution trace. It owns the tracefile, and replaces texts
 * and keys of stacks by ids. It passes all events, and each written generation, to its observers
 * (observer.h). The assembler makes the sink and passes it to the model.
 */
#ifndef GOTAP_TRACE_V2_SINK_H
#define GOTAP_TRACE_V2_SINK_H

#include "base/error.h"
#include "trace/observer.h"
#include "trace/sink.h"
#include "trace/tracefile.h"

struct v2_sink;

/* As tracefile_new(). @observers may be NULL, and must outlive the sink. */
int v2_sink_new(struct v2_sink **ret, int fd, const struct tracefile_opts *opts,
		const struct observers *observers, struct error *err);
/* The sink, for the model; valid until v2_sink_free(). */
struct sink v2_sink(struct v2_sink *v);
const struct tracefile_counts *v2_sink_counts(const struct v2_sink *v);
/* Frees @v without a write of the open generation. @v may be NULL. */
void v2_sink_free(struct v2_sink *v);

#endif
