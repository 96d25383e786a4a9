/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch: spans as an ExportTraceServiceRequest of OTLP 1.3, in protobuf or in JSON (opentelemetry/
 * proto/collector/trace/v1/trace_service.proto; for JSON opentelemetry.io/docs/specs/otlp,
 * "JSON Protobuf Encoding": ids in hexadecimal digits, enums and field names as there).
 *
 *	batch_begin(&b, json, resource);
 *	batch_add_span(&b, &span);
 *	batch_end(&b);
 *	... b.data, b.size ...
 *
 * The requests of several batches one after the other are one request in protobuf; in JSON each is
 * a line, as OTLP's file exporter has it.
 */
#ifndef GOTAP_OTLP_BATCH_H
#define GOTAP_OTLP_BATCH_H

#include <stdio.h>

#include "base/json_out.h"
#include "otlp/facts.h"
#include "otlp/ids.h"

/* A batch has no more; one that is this large gets no further span. */
enum { BATCH_SPANS = 512, BATCH_SIZE = 1 << 20 };

/* An event of a span: its attributes are @n of those in facts.of_events from @first on. */
struct otlp_event {
	int64_t time;		/* ns of the day's clock, as all times here */
	const char *name;
	size_t first, n;
};

struct otlp_span {
	const uint8_t *trace, *id;
	const uint8_t *parent;	/* NULL: none */
	uint32_t flags;		/* as in trace.proto, SpanFlags */
	int64_t from, to;
	const struct otlp_facts *facts;
	const struct otlp_event *events;
	size_t nevents;
	uint64_t dropped_events;
};

/* A zeroed struct has no batch. */
struct otlp_batch {
	bool json;
	size_t spans;
	const void *data;	/* valid from batch_end() to the next batch_begin() */
	size_t size;
	/* in protobuf: */
	struct buf out;
	size_t resource_spans, scope_spans;	/* of protobuf_open() */
	/* in JSON: */
	FILE *f;
	char *text;
	size_t text_size;
	struct json_out j;
};

/* @resource: its attributes are those of the program. */
void batch_begin(struct otlp_batch *b, bool json, const struct otlp_facts *resource);
void batch_add_span(struct otlp_batch *b, const struct otlp_span *span);
/* Has it room for another span? */
bool batch_has_room(struct otlp_batch *b);
void batch_end(struct otlp_batch *b);
void batch_free(struct otlp_batch *b);

/* Declared for batch.c: batch_json.c */
void batch_json_begin(struct otlp_batch *b, const struct otlp_facts *resource);
void batch_json_add(struct otlp_batch *b, const struct otlp_span *span);
void batch_json_end(struct otlp_batch *b);

#endif
