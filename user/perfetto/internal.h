/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal: the state of perfetto.c, and its parts: events.c (events and their annotations),
 * places.c (Ps and threads), ranges.c (GC, assists, sweeps, tasks, regions, logs, samples),
 * threads.c.
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

/* The tracks and slices of a goroutine that lives; by its slot. */
struct go_track {
	uint64_t track;
	uint32_t name;		/* interned: its function */
	bool named;		/* its track has the name */
	struct place *p, *m;	/* where it has a slice; NULL: nowhere */
	uint64_t regions;	/* track of them; 0 none yet */
	struct lane assist, old_regions;
};

/* A P or thread. */
struct place {
	uint64_t id;
	uint64_t track;
	uint32_t slot;		/* of the goroutine that runs; 0 none */
	int64_t until;		/* the end of its last slice */
	struct lane sweep, off;
	/* of a thread: the last one that was written; 0: none */
	uint32_t linux_state, linux_cpu;
};

struct metric {
	const char *name;	/* a constant of read/view.c */
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
	int64_t offset;			/* time of Perfetto's trace - time of the Go trace */
	struct packets_clocks clocks;	/* that were written last */
	struct vec goroutines;		/* struct go_track, by slot */
	struct idtab ps, ms;		/* struct place */
	/* tid of another program -> its process | OTHER_NAMED; as written to the trace so far */
	struct map64 others;
	struct vec metrics;		/* struct metric */
	uint64_t gaps;			/* goroutines that are in one */
	struct lane gc, stw, tasks[TASK_LANES];
	struct buf more;		/* fields of the event at hand */
};

/* Times of spans as those of Perfetto's trace. */
static inline int64_t perfetto_time(const struct perfetto *p, int64_t time)
{
	return (int64_t)((uint64_t)time + (uint64_t)p->offset);
}

static inline struct go_track *track_of(struct perfetto *p, const struct goroutine *g)
{
	return vec_at(&p->goroutines, struct go_track, g->slot);
}

/* --- events.c --- */

/* The track of the goroutine of that id; 0 if there is none. */
uint64_t perfetto_track(struct perfetto *p, uint64_t g);
/* Annotations of the next event: p->more is emptied by it. */
void perfetto_note(struct perfetto *p, enum interned_annotation name, uint64_t value);
void perfetto_note_text(struct perfetto *p, enum interned_annotation name, const char *text);
/* Writes @e, with the time of a span and what p->more has. */
void perfetto_event(struct perfetto *p, const struct packets_event *e);
/* A slice that has ended. @e is its begin. */
void perfetto_slice(struct perfetto *p, const struct packets_event *e, int64_t to);

/* places.c: the record of P or thread @id, which is made if it is new. */
struct place *places_p(struct perfetto *p, uint64_t id);
/*
 * Makes the thread's track, too. @time: of its first event, as the trace for Perfetto has it; the
 * track's descriptor gets it.
 */
struct place *places_m(struct perfetto *p, uint64_t id, int64_t time);
/* As places_m(), but a thread that has no track gets none. */
struct place *places_thread(struct perfetto *p, uint64_t id);
/* The goroutine is where its span, of running or a system call, began. */
void places_enter(struct perfetto *p, const struct span *s);
void places_leave(struct perfetto *p, const struct goroutine *g, int64_t time);
/* A span of running has ended that began with the trace. */
void places_found(struct perfetto *p, const struct span *s);
/* Callback of the visitor of spans: a P leaves a thread, or gets one. */
void places_proc(void *ctx, const struct proc_span *span);

/* ranges.c */
extern const struct spans_visitor perfetto_ranges;
void perfetto_fault(struct perfetto *p, const char *text);
/* Names and stacks that found no room in the spans. */
void perfetto_dropped(struct perfetto *p, int64_t time);

#endif
