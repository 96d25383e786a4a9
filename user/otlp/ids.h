/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ids: the ids of traces and spans, and the traceparent of W3C Trace Context, level 1
 * (w3.org/TR/trace-context-1). The ids are a hash of the recording, and of the task or region that
 * a span stands for: the same trace file has the same ids whenever it is exported, and under any
 * name, so that a receiver that gets a span again can tell that it has it.
 */
#ifndef GOTAP_OTLP_IDS_H
#define GOTAP_OTLP_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/origin.h"

enum { OTLP_TRACE_ID = 16, OTLP_SPAN_ID = 8, OTLP_SEED = 32 };

/* Neither id is all zeros, which means that there is none. */
struct otlp_ids {
	uint8_t seed[OTLP_SEED];
};

/*
 * Makes the seed: of the facts of the recording that are known, and of the time of its begin on
 * both clocks, ns.
 */
void otlp_ids_init(struct otlp_ids *ids, const struct origin *origin, int64_t wall, int64_t begin);
/* The trace of the request with that task. */
void otlp_ids_trace(const struct otlp_ids *ids, uint64_t task, uint8_t ret[OTLP_TRACE_ID]);
/* The span of a task. */
void otlp_ids_task(const struct otlp_ids *ids, uint64_t task, uint8_t ret[OTLP_SPAN_ID]);
/* The span of the region of goroutine @g that began at @from, inside of @depth other ones. */
void otlp_ids_region(const struct otlp_ids *ids, uint64_t g, int64_t from, uint32_t depth,
		     uint8_t ret[OTLP_SPAN_ID]);

struct traceparent {
	uint8_t trace[OTLP_TRACE_ID], parent[OTLP_SPAN_ID];
	uint8_t flags;
};

/*
 * Parses a header of @n bytes. False: it is none of version 00, nor begins like one of a later
 * version, so that the request has no trace (section 3.2.2.3 and 4.3 of the standard).
 */
bool traceparent_parse(const char *text, size_t n, struct traceparent *ret);

#endif
