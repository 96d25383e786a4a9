/* SPDX-License-Identifier: Apache-2.0 */
/* internal: the state of pprof.c, and its parts: filter.c, waits.c and stays.c. */
#ifndef GOTAP_PPROF_INTERNAL_H
#define GOTAP_PPROF_INTERNAL_H

#include "base/vec.h"
#include "pprof/pprof.h"
#include "read/idtab.h"

/* The four of go tool trace: the state that is measured, and whether a reason is. */
struct wait_rule {
	uint8_t state;		/* enum go_state; 0: none of the four */
	bool (*takes)(const char *reason);	/* NULL: each */
};

struct pprof_type {
	const char *name;
	const struct value_type *values;
	unsigned nvalues;
	struct spans_visitor visitor;	/* without ctx, which is the struct pprof */
	struct wait_rule wait;
	struct period runtime;	/* of runtime/pprof's profile; type NULL: it has none */
};

struct pprof {
	const struct pprof_options *o;
	const struct pprof_type *type;
	struct spans *spans;
	struct profile profile;
	struct trace_reader *reader;	/* of the trace that is read */
	const char *name;
	int64_t from, to;		/* on its clock */
	int64_t at;
	bool clocked;
	bool began, any;		/* an event was read: of this trace, of one of them */
	/* ns of goroutines in gaps that the profile does not have */
	uint64_t unrecorded;
	uint64_t notes;			/* of the recorder */
	/* ids of strings and stacks that a damaged trace has no names for */
	uint64_t unnamed;
	char *first_note, *missing;

	/* waits.c */
	struct idtab waits;		/* struct wait */
	size_t uncertain;		/* items of all their tallies */

	/* stays.c: stacks of profile_place(), 0 not made yet */
	uint32_t places[8];
};

/* filter.c: whether the goroutine is one of those that were asked for; @g may be NULL. */
bool pprof_wants(const struct pprof *p, const struct goroutine *g);
/* How much of a time is in what was asked for. */
uint64_t pprof_overlap(const struct pprof *p, int64_t from, int64_t to);

/* waits.c */
void waits_event(void *ctx, const struct trace_event *ev);
void waits_begin(struct pprof *p);
/* What is certain at the end of a trace. */
void waits_end(struct pprof *p);
bool waits_is_network(const char *reason);
bool waits_is_sync(const char *reason);

/* stays.c: functions of visitors */
void stays_block(void *ctx, const struct span *span);
void stays_waker(void *ctx, const struct span *span);
void stays_wall(void *ctx, const struct span *span);
void stays_at(void *ctx, const struct span *span);
void stays_at_end(void *ctx, struct goroutine *g, int64_t time, bool ended);
void stays_gc(void *ctx, const struct range_span *range);
void stays_sample(void *ctx, const struct trace_event *ev, uint32_t stack);

#endif
