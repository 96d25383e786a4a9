/* SPDX-License-Identifier: Apache-2.0 */
/*
 * otlp: requests of a trace as spans of OpenTelemetry: a visitor of struct spans. A span stands for
 *
 *	- a task of gotap (read/http.h): a served request, a call, a query;
 *	- a region inside of such a task: a goroutine that works for it, a function of --region, or
 *	  a region of the program (runtime/trace.WithRegion).
 *
 * The parent of a span is the innermost region of its goroutine in the same request, else the task
 * that the trace names as its parent. A task without such a parent is the root of a trace of
 * OpenTelemetry, with the id of its traceparent if it has one. That is known when the root ends: so
 * spans inside it are held until then, up to the limits below.
 *
 *	struct otlp *o = otlp_new(spans, &options);
 *	spans_read(spans, reader, &err);
 *	ret = otlp_finish(o, &err);
 *	... otlp_counts(o) ...
 *	otlp_free(o);				before spans_free()
 *
 * Memory: open tasks and regions, the spans that are held, and one batch.
 */
#ifndef GOTAP_OTLP_OTLP_H
#define GOTAP_OTLP_OTLP_H

#include "otlp/batch.h"
#include "spans/labelled.h"
#include "spans/spans.h"

enum {
	OTLP_HELD_OF_ROOT = 10000,	/* spans that are held for a root */
	OTLP_HELD_SIZE = 64 << 20,	/* bytes of all that are held */
	OTLP_EVENTS = 128,	/* of a span; further ones are counted */
};

struct otlp_options {
	const char *service;	/* service.name; NULL: the name of the program */
	const char *file;	/* of the trace, for attributes */
	const char *route;	/* requests of this route alone (http_name_is()); NULL: all */
	const struct labelled *label;	/* requests with that label alone; NULL: all */
	bool json;
	bool waits;		/* waits become events */
	/*
	 * Takes a request of OTLP with @spans spans. After an error, -errno, the trace is read no
	 * further.
	 */
	int (*take)(void *ctx, const void *data, size_t size, size_t spans, struct error *err);
	void *ctx;
};

struct otlp_counts {
	uint64_t spans;		/* that take() got */
	uint64_t roots;		/* of them without a parent in the trace */
	uint64_t errors;	/* of them with status error */
	uint64_t open;		/* tasks and regions that had not ended: no spans */
	uint64_t of_open;	/* spans of roots that had not ended: not exported */
	uint64_t left_out;	/* spans for which there was no room until their root ended */
	uint64_t left_out_events;	/* of spans that have too many */
};

struct otlp;

struct otlp *otlp_new(struct spans *s, const struct otlp_options *options);
/*
 * To be called when the trace is read: gives the last batch to take(). Returns 0, or -errno of the
 * first error: of take(), or that the trace does not say the time of day.
 */
int otlp_finish(struct otlp *o, struct error *err);
const struct otlp_counts *otlp_counts(const struct otlp *o);
/* Frees @o, which may be NULL. */
void otlp_free(struct otlp *o);

#endif
