/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocators: which functions allocate, what types, and how many collections the objects live, from
 * the sampled allocations of traces (group alloc, read/alloc.h).
 *
 * 	struct allocators *a = allocators_new(spans);
 * 	spans_read(spans, reader, &err);		of each trace
 * 	... allocators_total(a), allocators_rows(a, ...) ...
 * 	allocators_free(a);				before spans_free()
 *
 * Values are scaled as runtime/pprof scales them: a sample of an object of s bytes, taken with one
 * in R bytes, stands for 1 / (1 - exp(-s / R)) objects. How far the true sum may be from that
 * follows from the number of samples: the runtime samples each object independently, so that the
 * variance of a sum is the sum of w (w - 1) s^2 over the samples, with the weight w of each.
 *
 * Lifetimes are those of objects that were allocated and freed in the trace. An object that lives
 * longer than the trace has none: the share of such objects is known, not their lifetime.
 *
 * Memory: ALLOCATORS_MOST functions and as many types; others are one row.
 */
#ifndef GOTAP_REPORT_ALLOCATORS_H
#define GOTAP_REPORT_ALLOCATORS_H

#include "spans/spans.h"

enum {
	ALLOCATORS_MOST = 1024,
	ALLOCATORS_LIVES = 64,	/* longer lifetimes count as this one */
	ALLOCATORS_FEW = 20,	/* fewer samples say little */
};

#define ALLOCATORS_OTHERS "(others)"
#define ALLOCATORS_UNKNOWN "(unknown)"

struct allocator {
	/*
	 * a function, or a type; ALLOCATORS_OTHERS, ALLOCATORS_UNKNOWN; valid as long as the spans
	 */
	const char *name;
	/*
	 * of a function: where it allocated first; if it is of the standard library, the function
	 * that it was called for (spans_own_frame()), else ""
	 */
	const char *file, *caller;
	uint64_t line;
	uint64_t samples;
	double bytes, objects;	/* scaled */
	double variance;	/* of @bytes */
	/* samples of which the rate is not known: they stand for themselves */
	uint64_t unscaled;
	/* samples that were freed in the trace, by collections, from 1 on */
	uint64_t lives[ALLOCATORS_LIVES + 1];
	uint64_t freed;		/* sum of them */
};

/* CPU time of the collector in the traces, ns. */
struct allocators_gc {
	int64_t mark;		/* its workers, also those that use idle Ps */
	int64_t assist;		/* of goroutines that allocate; without their waits */
	int64_t sweep;		/* its sweeper, and goroutines that are about to allocate */
};

struct allocators;

/* Adds a visitor to @s, which must outlive the result. */
struct allocators *allocators_new(struct spans *s);
/* Frees @a, which may be NULL. */
void allocators_free(struct allocators *a);

/* All samples; its name is "". */
const struct allocator *allocators_total(const struct allocators *a);
struct allocators_gc allocators_gc(const struct allocators *a);
/* Samples that were freed and of which the allocation, or the lifetime, is not known. */
uint64_t allocators_foreign(const struct allocators *a);
/*
 * Appends const struct allocator * to @ret, those with most bytes first: functions with their
 * callers, or types.
 */
void allocators_rows(const struct allocators *a, bool by_type, struct vec *ret);
/* Bytes to both sides of row->bytes within which the true value is in 19 of 20 cases. */
double allocator_error(const struct allocator *row);
/*
 * The number of collections after which the part @q of the freed objects was freed, by bytes, at
 * least 1; 0: none was.
 */
unsigned int allocator_quantile(const struct allocator *row, double q);

#endif
