/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flight: a recording that has its last seconds in memory (history.h), and writes them to a file
 * for each fact of a trigger (fact.h). Owns the requests: from the fact until [time - before, time
 * + after] is whole, then until the snapshot is written.
 *
 * Three sides use it. The thread that records calls flight_add() to flight_finish(). Triggers, on
 * any thread, call flight_trigger(). Its own two threads write snapshots (snapshot.h), so that a
 * slow disk delays no other thread.
 */
#ifndef GOTAP_FLIGHT_FLIGHT_H
#define GOTAP_FLIGHT_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "flight/fact.h"
#include "flight/history.h"
#include "stream/spool.h"
#include "trace/tracefile.h"

enum { FLIGHT_NOTE = 280 };

/* How a request ended. */
struct flight_done {
	uint64_t id;		/* as flight_trigger() returned it */
	const struct flight_fact *fact;
	const char *path;	/* absolute; NULL: there is no file, */
	const char *error;	/* for this reason */
	size_t bytes;
	uint64_t from, to;	/* first and last event in the snapshot, ns */
};

struct flight_opts {
	uint64_t time;		/* ns that the history keeps, */
	size_t size;		/* in at most so many bytes */
	uint64_t before, after, cooldown;	/* ns */
	unsigned int keep;	/* snapshots, 0: no limit */
	uint64_t keep_bytes;	/* 0: no limit */
	const char *pattern;	/* of their names (base/name_pattern.h); it must have %n */
	const char *exec;	/* command to run with each name, or NULL */
	const struct capture_info *info;
	/*
	 * Prints a line on the terminal; @text has no newline. Called from any thread, by one
	 * thread at a time.
	 */
	void (*say)(void *ctx, const char *text);
	/*
	 * Called once for each request that has a number. From any thread, by one thread at a time.
	 */
	void (*done)(void *ctx, const struct flight_done *d);
	/*
	 * Called for each fact that gets a snapshot, with its id, from the thread of
	 * flight_trigger(). NULL: nobody is told.
	 */
	void (*taken)(void *ctx, const struct flight_fact *fact);
	void (*in_child)(void);	/* before the command of exec runs */
	void *ctx;
};

/*
 * Checks @pattern and that snapshots can be written to its folder, and keeps the rights to that
 * folder for later. The caller calls it before gotap attaches to the program, and before gotap
 * gives up capabilities. Returns 0 or a negative errno.
 */
int flight_check(const char *pattern, struct error *err);
/*
 * Checks the pattern and its folder, and starts the threads. The caller keeps @opts, and all that
 * it refers to, until flight_free(). Returns 0 or a negative errno.
 */
int flight_new(struct flight **ret, const struct flight_opts *opts, struct error *err);

/*
 * Adds a whole generation, or the header, to the history. @losses: counts since the begin of the
 * recording.
 */
void flight_add(struct flight *f, const struct tracefile_generation *g,
		const struct history_losses *losses);
/*
 * Returns whether @text is a note about a request, which the caller puts into the trace. The caller
 * calls it when all records up to @seen (ns) are in the trace, again and again until it returns
 * false.
 */
bool flight_note(struct flight *f, uint64_t seen, char text[static FLIGHT_NOTE]);
/*
 * Notes whether gotap records nothing now (@open: --budget, losses), and the length of all gaps
 * that are over (@unrecorded, ns). The JSON of a snapshot shows if its fact is in such a gap.
 */
void flight_gap(struct flight *f, bool open, uint64_t unrecorded);
/*
 * Returns whether a request needs the generation that is open, and no later one. The caller then
 * ends that generation, and calls flight_turned().
 */
bool flight_is_due(struct flight *f, uint64_t seen);
/*
 * All records up to @seen (ns) are in whole generations: passes those requests to the writers that
 * need no later generation.
 */
void flight_turned(struct flight *f, uint64_t seen);
/*
 * Writes the snapshots of requests that still wait, and returns when all are written. The caller
 * calls it when the recording is over and all of it is in the trace.
 */
void flight_finish(struct flight *f);
/* Accepts NULL. */
void flight_free(struct flight *f);

struct flight_counts {
	uint64_t written, failed, refused;
	uint64_t deleted;	/* deleted to keep the limits keep and keep_bytes */
	uint64_t undeleted;	/* beyond these limits, and could not be deleted */
	/* snapshots for which the command of exec did not run, as it was too slow */
	uint64_t not_run;
	struct history_usage usage;
};
/* Counts so far; from any thread. */
void flight_counts(struct flight *f, struct flight_counts *ret);

#endif
