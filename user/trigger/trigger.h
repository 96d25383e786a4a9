/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trigger: decides when a snapshot of a flight recording is due: rules (parse.h) over the events
 * that a tap shows, and over how the program ended. Owns what it has to remember for that. `gotap
 * record --flight` makes one; all calls are of the thread that calls the assembler.
 *
 *     triggers_new(); triggers_observe() into assembler_opts, triggers_threads(); the recording;
 *     triggers_finish()
 *
 * A fact has the time at which it became true: a wait is longer than T at its begin + T. It is
 * found then, or at most one round of the drain later, whether or not the wait ever ends; each wait
 * is at most one fact of a rule. If facts of a rule follow one another within 50 ms, only the first
 * is passed on; the others are counted.
 */
#ifndef GOTAP_TRIGGER_TRIGGER_H
#define GOTAP_TRIGGER_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flight/fact.h"
#include "threads/threads.h"
#include "trace/observer.h"
#include "trigger/parse.h"

struct triggers;

struct triggers_opts {
	/* must outlive the triggers; those of kind SIGNAL and SOCKET do nothing here */
	const struct trigger_rule *rules;
	size_t n;
	/* flight_trigger(), or what a test puts there. */
	uint64_t (*fire)(void *ctx, const struct flight_fact *fact);
	void *ctx;
};

/*
 * Do the facts of this kind come from records? The others come from a signal, a request or the end
 * of the program.
 */
bool trigger_is_of_records(enum trigger_kind kind);
/* @opts is copied, and what it points to must outlive the triggers. */
struct triggers *triggers_new(const struct triggers_opts *opts);
/* Adds to @to what the rules need: nothing if none is of events or records. */
void triggers_observe(struct triggers *t, struct observers *to);
/* Rules about throttling: before the first record. */
void triggers_threads(struct triggers *t, struct threads *threads);
/*
 * @lost: a counter of lost records, which must live as long as events come. If records were lost
 * during a wait, the wait may have ended: its fact says so.
 */
void triggers_losses(struct triggers *t, const uint64_t *lost);

/* How a program ended. */
struct trigger_end {
	uint64_t time;		/* ns; of the last record */
	bool known;		/* @status is known; before Linux 6.15 only the parent can get it */
	int status;		/* as of wait(2) */
};
/*
 * Passes the end of the program to the rules. To be called after assembler_finish(); not if the
 * recording ended before.
 */
void triggers_ended(struct triggers *t, const struct trigger_end *end);

/* The assembler has finished: facts that wait for a stack are passed on without it. */
void triggers_finish(struct triggers *t);

struct trigger_counts {
	uint64_t facts;		/* of this rule */
	uint64_t fired;		/* of them passed on; */
	uint64_t slowest;	/* the longest time from a fact to its detection, ns */
};
/* Counts of rule @rule (index) so far. */
void triggers_counts(const struct triggers *t, size_t rule, struct trigger_counts *ret);
/* Accepts NULL. */
void triggers_free(struct triggers *t);

#endif
