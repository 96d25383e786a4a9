/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model: the scheduler of the target by its records: which G runs on
 * which M with which P. It takes the ordered records and passes v2 events to a
 * sink, and it is the same state machine that a reader of the trace runs (Go 1.27,
 * internal/trace/order.go), so it numbers events itself and never writes one
 * that a reader would refuse.
 *
 * Before REC_SNAP_END it only collects state. A goroutine or P that had a record since
 * the attach takes its state from the records; the others from the snapshot, which is
 * exact for them, since nothing changed them. Then the trace begins.
 *
 * Where a record is missing (lost, or a site that the binary lacks), it
 * inserts the legal steps that lead on, and counts each as a repair.
 */
#ifndef GOTAP_SCHED_MODEL_H
#define GOTAP_SCHED_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "record.h"
#include "trace/sink.h"

struct model;

enum repair {
	REPAIR_GO_UNKNOWN,	/* a goroutine nobody announced */
	REPAIR_GO_RUNNING,	/* still running where it could not be */
	REPAIR_GO_WAITING,	/* started without having been made runnable */
	REPAIR_GO_NOT_WAITING,	/* made runnable though it did not wait */
	REPAIR_GO_SYSCALL,	/* in a syscall, or out of it, without a record */
	REPAIR_P_MISSING,	/* a thread without a P where it needs one */
	REPAIR_P_HELD,		/* a P taken while another thread ran with it */
	REPAIR_WORLD,		/* the world was stopped, and nobody started it */
	REPAIR_CLOCK,		/* a generation whose wall clock had been set back */
	REPAIR_DROPPED,		/* a record that fits nowhere: left out */
	REPAIR_REQUEST,		/* a request without an end */
	REPAIR_KINDS,
};

/* One line each, for the report. */
const char *repair_text(enum repair kind);

enum { MODEL_ORIGINS = 2 };

struct model_opts {
	int minor;		/* Go release of the target */
	bool unseen_unblocks;	/* some wake-ups have no record: a start implies them */
	int version;		/* header of the trace: 22, 23, 25, 26 */
	bool notes;		/* write log events of category "gotap" about losses and gaps */
	/* texts that say which program the trace is of (read/origin.h), NULL: none; not copied */
	const char *origin[MODEL_ORIGINS];
	unsigned int time_shift;	/* of the trace file */
	uint64_t gen_ns;	/* length of a generation */
	size_t gen_bytes;	/* ... and its largest size */
	/*
	 * Parts of the trace may begin with any generation: each has what else only the first one
	 * has (GOMAXPROCS, heap, labels).
	 */
	bool restate;
	/*
	 * A goroutine that no record has named before is left out while so many are alive; 0: none
	 * is. For records of a program that could forge them.
	 */
	size_t most_goroutines;
	/*
	 * How many goroutines the program has memory for: where that is more than most_goroutines,
	 * it is the bound. Asked when the bound is reached, once in 1 ms of the recording at most.
	 * NULL: most_goroutines alone is the bound.
	 */
	size_t (*goroutines_fit)(void *fit_ctx);
	void *fit_ctx;
	/*
	 * Is a goroutine that begins at @start_pc one of the runtime's own, which inherits no
	 * labels? NULL: none is.
	 */
	bool (*is_system)(void *ctx, uint64_t start_pc);
	/* Is it one that works for whoever needs it (model_start_serves_many())? NULL: none is. */
	bool (*serves_many)(void *ctx, uint64_t start_pc);
	void *ctx;
	/*
	 * Puts the name of the handler that wrote a response at the stack @key into @name, of @room
	 * bytes, and returns its length; 0: not known. NULL: none is.
	 */
	size_t (*handler)(void *handler_ctx, uint64_t key, char *name, size_t room);
	void *handler_ctx;
	/*
	 * Likewise the name of the type that was allocated at the stack @key, which is less than
	 * @room bytes; 0: not known; -1: the stack is not known. NULL: none is.
	 */
	ssize_t (*alloc_type)(void *alloc_ctx, uint64_t key, char *name, size_t room);
	void *alloc_ctx;
};

/* From @time on the budget left out the records of this level. */
struct budget_step {
	uint64_t time;
	uint64_t cost, ceiling;		/* of the probes, ns per second */
	uint8_t level;			/* enum rec_level */
};

enum { BUDGET_STEPS = 64 };

struct model_counts {
	uint64_t repairs[REPAIR_KINDS];
	uint64_t inferred_steals;	/* P steals dated by their first effect (Go <= 1.25) */
	uint64_t goroutines;		/* that were in the trace at any time */
	uint64_t max_live;		/* at one time */
	uint64_t lost;			/* records that found no room */
	/* blocks on a channel, lock or descriptor, by whether it is known which */
	uint64_t waits_known, waits_unknown;
	uint64_t notes;			/* log events about the trace itself */
	/*
	 * Functions of --region: calls that returned, that were left without a return, and of which
	 * the end is not known, because records were lost or a probe was removed.
	 */
	uint64_t calls, calls_left, calls_lost;
	uint64_t regions_gone;		/* functions that were too expensive (--budget) */
	/*
	 * sampled allocations and ends of such objects (group alloc); those of threads without a
	 * goroutine, which have no event; ends of objects from before the recording, or from before
	 * or in a loss; likewise, or of samples without room; allocations whose end cannot be known
	 * for sure; those without a type, as too many stacks allocate
	 */
	uint64_t allocs, frees, allocs_homeless, frees_before, frees_beyond, allocs_unpaired,
		allocs_untyped;
	uint64_t renamed_logs;		/* of the program, in a category of notes (read/notes.h) */
	/* times that an event needed goroutine 0, which no program has */
	uint64_t stand_ins;
	uint64_t resumed;		/* times that all states were read anew */
	uint64_t unrecorded;		/* ns of which nothing is known */
	struct budget_step budget[BUDGET_STEPS];	/* the first ones */
	uint64_t budget_steps;
	uint64_t slices;		/* times that there were no probes */
	uint64_t begin, end;		/* first and last time of the trace, ns */
};

/* The caller owns the context of @sink, which must outlive the model. */
struct model *model_new(struct sink sink, const struct model_opts *opts);

/* Takes the next record. An error is one of the sink; the model is then dead. */
int model_record(struct model *m, const struct rec *r, struct error *err);

/* The time of the wall clock at CLOCK_MONOTONIC @mono_ns; for clock snapshots. */
void model_clock(struct model *m, uint64_t mono_ns, uint64_t wall_ns);

/*
 * Queues a note: the next goroutine that runs has it, or the end of the generation by model_turn().
 */
void model_note(struct model *m, const char *text);
/*
 * Ends the generation that is open, at @time, until which all records are known, and begins the
 * next. Not while the world is stopped, which is over soon: -EAGAIN. Does nothing where nothing is
 * known.
 */
int model_turn(struct model *m, uint64_t time, struct error *err);

/*
 * Ends the trace at REC_CAPTURE_END; if none came, at @time, until which all records are
 * known; or at the last record if that is later. A last generation restates everything
 * there, so that the trace is as long as the recording.
 */
int model_finish(struct model *m, uint64_t time, struct error *err);

/*
 * The last time of which anything is known once REC_CAPTURE_END came; before that the end of all
 * times.
 */
uint64_t model_until(const struct model *m);

/*
 * Does a goroutine that begins with the function @name serve more requests than the one that has
 * created it, as those of connections do?
 */
bool model_start_serves_many(const char *name);

/* In words, of enum rec_level. */
const char *rec_level_text(unsigned int level);

const struct model_counts *model_counts(const struct model *m);
bool model_started(const struct model *m);
/* Is the model in a gap (budget, losses)? */
bool model_in_gap(const struct model *m);

/* Accepts NULL. */
void model_free(struct model *m);

#endif
