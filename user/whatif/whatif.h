/* SPDX-License-Identifier: Apache-2.0 */
/*
 * whatif: predicts how often the unit of work of a program (unit/) would be done, and how long it
 * would take, if a part of the program took less time. It replays the trace as it was (the base),
 * and with the change, and compares the two replays. It refuses where the replay of the base
 * differs from the trace, or where the trace does not show enough.
 *
 * 	struct whatif *w = whatif_new(spans, units);
 * 	whatif_collect(w, oncpu);			units collect from the same spans
 * 	spans_read(spans, reader, &err);
 * 	units_collected(units);
 * 	units_choose(units, name);
 * 	whatif_base(w);
 * 	whatif_predict(w, &change); or whatif_guess(w, most);
 * 	... whatif_answer(w) ...
 * 	whatif_free(w);					before units_free() and spans_free()
 *
 * Memory: that of programs.h, of rounds.h and of one replay: less than 250 MB. Time: each replay
 * has a limit on its steps (rerun.c), and guess.c one on the replays.
 */
#ifndef GOTAP_WHATIF_WHATIF_H
#define GOTAP_WHATIF_WHATIF_H

#include "unit/unit.h"
#include "whatif/rerun.h"

enum whatif_kind {
	WHATIF_FUNCTION,	/* the running time of a function and what it calls */
	/* all of its time: running, sleeps, system calls; it unlocks what others waited for */
	WHATIF_LOCK,
	WHATIF_SLEEP,		/* sleeps in a function and what it calls */
	WHATIF_NETWORK,		/* waits for the network there */
	WHATIF_SYSCALL,		/* system calls there */
	WHATIF_GC,		/* without the garbage collector */
	WHATIF_KINDS,
};

struct whatif_change {
	enum whatif_kind kind;
	const char *name;	/* of the function; NULL: of WHATIF_GC */
	double by;		/* part of the time that is taken away, above 0 to 1 */
};

/* Why something is not predicted. @kind is a word for programs, as "base". */
struct whatif_reason {
	const char *kind;
	struct buf text;
};

/* A ratio to the replay of the base, from @low to @high; NAN: it is not predicted. */
struct whatif_range {
	double low, high;
};

struct whatif_prediction {
	struct whatif_change change;
	const char *file;	/* of the place with most of the time; "": not known */
	uint64_t line;
	double seconds;		/* time of the trace that the change is about */
	double unsure;		/* part of @seconds that may belong to other functions */
	double coarse;		/* part of @seconds in sleeps too short for the runtime */
	struct whatif_range value[ROUNDS_QUANTITIES];
	/* the ratio of the rate in each replay; NAN: its base is not valid */
	double rates[RERUN_VARIANTS];
	bool at_least;		/* the truth can be more than the range */
	struct vec reasons;	/* struct whatif_reason: not predicted, if there is one */
};

struct whatif_answer {
	const struct unit *unit;	/* NULL: the trace has none */
	struct measured trace, base[RERUN_VARIANTS];
	/* is the base within WHATIF_BASE of the trace? */
	bool valid[RERUN_VARIANTS][ROUNDS_QUANTITIES];
	double seconds;			/* of the trace that is replayed */
	bool cut;			/* the trace is longer */
	uint64_t ops, linked;
	struct vec reasons;		/* struct whatif_reason: nothing is predicted */
	struct vec predictions;		/* struct whatif_prediction, the largest effect first */
};

/* The base must be so near to the trace; the replays must be so near to each other. */
#define WHATIF_BASE 0.03
#define WHATIF_AGREE 1.10
#define WHATIF_WIDE 1.50
/* The model's own error, as a part of the effect: tests/knobs/judge measures it. */
#define WHATIF_MODEL 0.10
/* So much of the time of a change may belong to other functions. */
#define WHATIF_UNSURE 0.20

struct whatif;

struct whatif *whatif_new(struct spans *s, struct units *u);
/*
 * Adds the visitor, before the reading. @o has the states of the threads in Linux, and lives until
 * the trace was read; NULL: they are not known.
 */
void whatif_collect(struct whatif *w, struct oncpu *o);
/* After the reading: the states of threads are of another recording, and do not count. */
void whatif_forget_threads(struct whatif *w);
/* Accepts NULL. */
void whatif_free(struct whatif *w);
/* To be called once, after the reading, before the predictions. */
void whatif_base(struct whatif *w);
/*
 * Adds a prediction. @change->name can be the name of the function without the path of its package.
 */
void whatif_predict(struct whatif *w, const struct whatif_change *change);
/*
 * Adds predictions for what takes most time, each shorter by @by, and leaves the @most with the
 * largest effects.
 */
void whatif_guess(struct whatif *w, double by, size_t most);
const struct whatif_answer *whatif_answer(const struct whatif *w);
/* Returns its word in JSON: "function", "sleep", ... */
const char *whatif_kind_name(enum whatif_kind kind);

#endif
