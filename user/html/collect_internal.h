/* SPDX-License-Identifier: Apache-2.0 */
/* collect_internal: functions that the files of collect.c share. */
#ifndef GOTAP_HTML_COLLECT_INTERNAL_H
#define GOTAP_HTML_COLLECT_INTERNAL_H

#include "html/collect.h"

struct function *collect_function(struct html *h, uint32_t name);
void collect_flame(struct html *h, enum flame_kind kind, uint32_t reason, uint32_t stack,
		   uint64_t ns);
/* Returns the number of an M, from 1 on; 0: the M is not known, or there are too many. */
uint64_t collect_thread(struct html *h, uint64_t m);
/* The same for the thread of @span, which adds the span to its life. */
uint64_t collect_thread_span(struct html *h, const struct span *span);
void collect_longest(struct longest list[LONGEST], int64_t from, int64_t to, uint64_t g);
void collect_gap(struct html *h, int64_t from, int64_t to);
struct collect_change {
	int64_t time;
	int by;
	/* the goroutine was found: events of the time since the change were already counted */
	bool found;
};

/*
 * collect_off.c: writes a record for each time that the thread of @span was not on a CPU. @span
 * ends now; its own record follows.
 */
void collect_off(struct html *h, const struct span *span);
/* collect_spool.c: begins a record. Returns the place of its next byte. */
uint8_t *collect_record(struct html *h, uint8_t kind, int64_t time);
void collect_record_end(struct html *h, uint8_t *end);

/* The number of live, or of runnable, goroutines changes. */
void collect_alive(struct html *h, struct collect_change c);
void collect_runnable(struct html *h, struct collect_change c);

/* Functions of the visitor of spans. */
void collect_range(void *ctx, const struct range_span *range);
void collect_region(void *ctx, const struct region_span *region);
void collect_task(void *ctx, const struct task_span *task);
void collect_metric(void *ctx, int64_t time, const char *name, uint64_t value);
void collect_log(void *ctx, int64_t time, uint64_t g, uint64_t task, const char *category,
		 const char *message);
void collect_origin(void *ctx, int64_t time, const char *text);
void collect_alloc(void *ctx, const struct alloc_event *e);
void collect_sample(void *ctx, const struct trace_event *ev, uint32_t stack);

#endif
