/* SPDX-License-Identifier: Apache-2.0 */
/* internal: the state of pprof.c, and the functions of its parts: filter.c, waits.c and stays.c. */
#ifndef GOTAP_PPROF_INTERNAL_H
#define GOTAP_PPROF_INTERNAL_H

#include "base/vec.h"
#include "pprof/pprof.h"
#include "read/idtab.h"

/*
 * The rule of one of the four profiles of go tool trace: the state that counts, and the reasons
 * that count.
 */
struct wait_rule {
	uint8_t state;		/* enum go_state; 0: the type is none of the four */
	bool (*takes)(const char *reason);	/* NULL: all reasons count */
};

struct pprof_type {
	const char *name;
	const struct value_type *values;
	unsigned nvalues;
	struct spans_visitor visitor;	/* without ctx, which is the struct pprof */
	struct wait_rule wait;
	/* period of runtime/pprof's profile of this type; type NULL: runtime/pprof has none */
	struct period runtime;
};

struct pprof {
	const struct pprof_options *o;
	const struct pprof_type *type;
	struct spans *spans;
	struct profile profile;
	struct trace_reader *reader;	/* of the current trace */
	const char *name;
	int64_t from, to;		/* on the clock of the current trace */
	int64_t at;
	bool clocked;
	bool began, any;		/* an event was read: of the current trace, of any trace */
	/* ns of goroutines in gaps, which no sample has */
	uint64_t unrecorded;
	uint64_t notes;			/* number of notes of the recorder */
	/* ids of strings and stacks without a definition, since the trace is cut off */
	uint64_t unnamed;
	char *first_note, *missing;

	/* waits.c */
	struct idtab waits;		/* struct wait */
	size_t uncertain;		/* number of items in the tallies of all struct wait */

	/* stays.c: stacks of profile_place() by enum place; 0: not made yet */
	uint32_t places[8];
};

/* filter.c: do the options ask for goroutine @g? @g may be NULL: an unknown goroutine. */
bool pprof_wants(const struct pprof *p, const struct goroutine *g);
/* Returns the part of a time, in ns, that lies in the times that the options ask for. */
uint64_t pprof_overlap(const struct pprof *p, int64_t from, int64_t to);

/* waits.c */
void waits_event(void *ctx, const struct trace_event *ev);
void waits_begin(struct pprof *p);
/* Ends a trace: the kept waits of goroutines that live count. */
void waits_end(struct pprof *p);
bool waits_is_network(const char *reason);
bool waits_is_sync(const char *reason);

/* stays.c: functions of visitors of spans */
void stays_block(void *ctx, const struct span *span);
void stays_waker(void *ctx, const struct span *span);
void stays_wall(void *ctx, const struct span *span);
void stays_at(void *ctx, const struct span *span);
void stays_at_end(void *ctx, struct goroutine *g, int64_t time, bool ended);
void stays_gc(void *ctx, const struct range_span *range);
void stays_sample(void *ctx, const struct trace_event *ev, uint32_t stack);
void stays_alloc(void *ctx, const struct alloc_event *e);

#endif
