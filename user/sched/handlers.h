/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handlers: the functions in model.c's table, one per kind of record, and the functions
 * that the files of the handlers share.
 */
#ifndef GOTAP_SCHED_HANDLERS_H
#define GOTAP_SCHED_HANDLERS_H

#include "sched/state.h"

/* Kinds from struct rec_long on have more to say. */
static inline const struct rec_long *as_long(const struct rec *r)
{
	return (const struct rec_long *)r;
}

/* One for each kind of record. */
#define HANDLE(kind, handler) void handler(struct model *s, struct M *m, const struct rec *r);
#define IGNORE(kind)
#include "sched/dispatch.def"
#undef HANDLE
#undef IGNORE

/* --- procs.c --- */

/* The first generation begins: ProcsChange is due, by a goroutine that runs. */
void procs_tell_first(struct model *s);
/* A generation ends: writes its ProcsChange, if no goroutine has done so yet. */
void procs_tell(struct model *s);

/* Emits the events of a stand-in: the goroutine that @m runs with a P. */
typedef void stand_in_fn(struct model *s, struct M *m);
/*
 * No goroutine runs: one that the program does not have emits the events of @say, and is counted.
 * They get the model's time, or @now if their P has later events. Nothing happens if no P is free.
 */
void stand_in(struct model *s, uint64_t now, stand_in_fn *say);

/* --- ranges.c --- */

/*
 * A generation has begun, and @m runs a goroutine with a P: it writes GCActive for a cycle
 * that goes on; each assist that goes on gets its GCMarkAssistActive.
 */
void gc_tell(struct model *s, struct M *m);
void assist_tell_all(struct model *s);
/*
 * Likewise for the heap's size and its goal, if they are known and @m, which may be NULL, has a P.
 */
void heap_tell(struct model *s, struct M *m);
/* A generation has begun in which both are to be emitted again. */
void heap_restate(struct model *s);
/* Both are unknown: a gap ends. */
void heap_forget(struct model *s);

/* --- sweep.c --- */

/* A generation has begun: writes GCSweepActive for each sweep that goes on. */
void sweep_tell_all(struct model *s);

/* --- memory.c --- */

/* The trace has begun: writes an event for each span and stack that exists. */
void memory_tell_all(struct model *s);

/* The id of @addr in events of the experiment AllocFree, in units of @unit bytes. */
uint64_t memory_id(struct model *s, uint64_t addr, uint64_t unit);
/* Do readers of this trace know the events of the experiment? */
bool memory_is_known(const struct model *s);

/* --- objects.c --- */

/* The generation ends: writes the types that its events refer to. */
void objects_tell_types(struct model *s);
void objects_free(struct model *s);

/* --- allocs.c --- */

/* A collection begins. */
void allocs_collection(struct model *s);
/* Records are missing: no end of an object belongs to an allocation from before for sure. */
void allocs_forget(struct model *s);
/* Likewise of allocations that are still to come, up to @time. */
void allocs_forget_until(struct model *s, uint64_t time);
/*
 * Writes the events that wait for a goroutine if @m, which may be NULL, or soon_speaker() runs one
 * with a P.
 */
void allocs_tell(struct model *s, struct M *m);
/* Likewise when the trace ends: events that no goroutine can have are counted. */
void allocs_tell_last(struct model *s);
void allocs_free(struct model *s);

/* --- gap.c --- */

/*
 * REC_GAP: nothing is known from here on; the generation ends. Returns the error
 * of the trace file. Nothing happens if the trace has not begun or the gap is open.
 */
int gap_record(struct model *s, const struct rec *r);
/* Begins a gap that was allowed to wait, if @m, or another thread, runs a goroutine with a P. */
int gap_begin_told(struct model *s, struct M *m);
/* Records are complete again: the states come from them and from the snapshot. */
void gap_resume(struct model *s, struct M *m, const struct rec *r);
/* The snapshot was complete: the trace goes on with the states that it has given. */
void gap_close(struct model *s);
/* The recording ends in the gap: the trace ends with the states of the gap's begin. */
void gap_abandon(struct model *s);
/* Forgets the tables that were put aside. */
void gap_drop(struct model *s);

/* --- notes.c --- */

/* Queues a text about the trace itself. */
void note_add(struct model *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * A time as notes give it: "from 1.000000 s to 2.000000 s" since the trace began. A part of a trace
 * (model_opts.restate) begins whenever: its notes have the clock, and say so.
 */
struct note_period { char text[80]; };
struct note_period note_period(const struct model *s, uint64_t from, uint64_t to);
/*
 * Writes them if @m, which may be NULL, or soon_speaker() runs a goroutine with a P. False if
 * neither does.
 */
bool notes_tell(struct model *s, struct M *m);
/* Writes which program the trace is of, once @m, which may be NULL, runs a goroutine with a P. */
void origin_tell(struct model *s, struct M *m);
/* The trace ends: a stand-in writes the notes that are left, if no goroutine can. */
void notes_tell_last(struct model *s);

/* --- annotations.c --- */

/* Opens a region of @g that only gotap ends; NULL: too many are open. */
struct region *region_open(struct model *s, struct G *g, uint64_t task);

/* --- labels.c --- */

/* @g was created by the goroutine of @m, which may be NULL or run none. */
void labels_inherit(struct model *s, const struct M *m, struct G *g);
/*
 * Writes the labels of the goroutine of @m, which may be NULL, if the trace does not have them and
 * @m runs one with a P.
 */
void labels_tell(struct model *s, struct M *m);
/* Likewise for all threads. */
void labels_tell_all(struct model *s);
/* A generation has begun in which each goroutine's labels are to be emitted again. */
void labels_restate(struct model *s);
/*
 * The trace is about to begin, or to go on, with the goroutines @gs: those that inherited labels
 * which were not known then.
 */
void labels_settle(struct model *s, const struct map64 *gs);
/* A gap ends: @g of before it is now @now. */
void labels_after_gap(struct model *s, struct G *g, struct G *now);

#endif
