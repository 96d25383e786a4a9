/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal: the state of perfetto.c, and the functions of its parts: events.c (events and their
 * annotations), places.c (Ps and threads), ranges.c (GC, assists, sweeps, tasks, regions, logs,
 * samples), threads.c (states of threads in Linux).
 */
#ifndef GOTAP_PERFETTO_INTERNAL_H
#define GOTAP_PERFETTO_INTERNAL_H

#include "base/map64.h"
#include "perfetto/counters.h"
#include "perfetto/interned.h"
#include "perfetto/perfetto.h"
#include "perfetto/tracks.h"
#include "read/idtab.h"
#include "spans/spans.h"

/* The tracks and slices of a live goroutine; in a vec by its slot. */
struct go_track {
	uint64_t track;
	/*
	 * interned name of the goroutine's slices on Ps and threads: the function that it began
	 * with
	 */
	uint32_t name;
	bool named;		/* the descriptor of @track has the name */
	/* the P and the thread on which the goroutine has an open slice; NULL: none */
	struct place *p, *m;
	uint64_t regions;	/* track of its regions; 0: none yet */
	struct lane assist, old_regions;
};

/* A P or a thread. */
struct place {
	uint64_t id;
	uint64_t track;
	uint32_t slot;		/* slot of the goroutine that runs; 0: none */
	int64_t until;		/* end of its last slice */
	struct lane sweep, off;
	/* of a thread: the last state and CPU that were written; 0: none */
	uint32_t linux_state, linux_cpu;
};

struct metric {
	const char *name;	/* a constant of read/view.c; compared by address */
	uint64_t track;
};

enum { TASK_LANES = 64 };

struct perfetto {
	struct spans *spans;
	struct trace_reader *reader;
	struct packets packets;
	struct interned interned;
	struct tracks tracks;
	struct counters counters;
	struct perfetto_process process;
	struct raw_sink *sink;
	bool began;
	int64_t offset;			/* Perfetto's time minus the time of the Go trace, ns */
	struct packets_clocks clocks;	/* the clocks of the last snapshot */
	struct vec goroutines;		/* struct go_track, by slot */
	struct idtab ps, ms;		/* struct place */
	/* tid of another program -> its process as last written, with the flags OTHER_* */
	struct map64 others;
	struct vec metrics;		/* struct metric */
	uint64_t gaps;			/* number of goroutines in a gap */
	struct lane gc, stw, tasks[TASK_LANES];
	struct buf more;		/* further fields of the event that is being written */
};

/* Returns the time of the Perfetto trace for @time of a span. */
static inline int64_t perfetto_time(const struct perfetto *p, int64_t time)
{
	return (int64_t)((uint64_t)time + (uint64_t)p->offset);
}

static inline struct go_track *track_of(struct perfetto *p, const struct goroutine *g)
{
	return vec_at(&p->goroutines, struct go_track, g->slot);
}

/* --- events.c --- */

/* Returns the track of the live goroutine @g; 0 if it does not live. */
uint64_t perfetto_track(struct perfetto *p, uint64_t g);
/* Adds an annotation to the next event. Writing that event empties p->more. */
void perfetto_note(struct perfetto *p, enum interned_annotation name, uint64_t value);
void perfetto_note_text(struct perfetto *p, enum interned_annotation name, const char *text);
/* Writes @e, with a time of spans, and with the fields of p->more. */
void perfetto_event(struct perfetto *p, const struct packets_event *e);
/* Writes a slice that ended at @to. @e is its begin. */
void perfetto_slice(struct perfetto *p, const struct packets_event *e, int64_t to);

/* places.c: returns the P with @id, which is added with its track if it is new. */
struct place *places_p(struct perfetto *p, uint64_t id);
/*
 * Returns the thread with @id, which is added with its track if it is new. @time, of the thread's
 * first event in the Perfetto trace, goes into the descriptor of the track.
 */
struct place *places_m(struct perfetto *p, uint64_t id, int64_t time);
/* As places_m(), but the thread gets no track. */
struct place *places_thread(struct perfetto *p, uint64_t id);
/*
 * @s, a running span or a system call, has begun: begins the slices of its goroutine on its P and
 * its thread.
 */
void places_enter(struct perfetto *p, const struct span *s);
void places_leave(struct perfetto *p, const struct goroutine *g, int64_t time);
/* A running span that began with the trace has ended: writes its slices. */
void places_found(struct perfetto *p, const struct span *s);
/* Function of a visitor of spans: a stay of a P, with or without a thread, has ended. */
void places_proc(void *ctx, const struct proc_span *span);

/* ranges.c */
extern const struct spans_visitor perfetto_ranges;
void perfetto_fault(struct perfetto *p, const char *text);
/* Writes how many names and stacks found no room in the spans, if any. */
void perfetto_dropped(struct perfetto *p, int64_t time);

#endif
