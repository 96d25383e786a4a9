/* SPDX-License-Identifier: Apache-2.0 */
/* collect_internal: what collect.c uses of its parts, and these of one another. */
#ifndef GOTAP_HTML_COLLECT_INTERNAL_H
#define GOTAP_HTML_COLLECT_INTERNAL_H

#include "html/collect.h"

struct function *collect_function(struct html *h, uint32_t name);
void collect_flame(struct html *h, enum flame_kind kind, uint32_t reason, uint32_t stack,
		   uint64_t ns);
/* The number of an M, from 1 on; 0: it is not known, or there are too many. */
uint64_t collect_thread(struct html *h, uint64_t m);
void collect_longest(struct longest list[LONGEST], int64_t from, int64_t to, uint64_t g);
void collect_gap(struct html *h, int64_t from, int64_t to);
struct collect_change {
	int64_t time;
	int by;
	bool found;		/* it was so before, and is known only now */
};

/*
 * collect_off.c: writes the parts of @span, which ends now, without a CPU, as records before the
 * one of @span.
 */
void collect_off(struct html *h, const struct span *span);
/* collect_spool.c: begins a record. Returns where its next byte goes. */
uint8_t *collect_record(struct html *h, uint8_t kind, int64_t time);
void collect_record_end(struct html *h, uint8_t *end);

/* More or less goroutines live, can run. */
void collect_alive(struct html *h, struct collect_change c);
void collect_runnable(struct html *h, struct collect_change c);

/* Callbacks of the visitor of spans. */
void collect_range(void *ctx, const struct range_span *range);
void collect_region(void *ctx, const struct region_span *region);
void collect_task(void *ctx, const struct task_span *task);
void collect_metric(void *ctx, int64_t time, const char *name, uint64_t value);
void collect_log(void *ctx, int64_t time, uint64_t g, uint64_t task, const char *category,
		 const char *message);
void collect_sample(void *ctx, const struct trace_event *ev, uint32_t stack);

#endif
