/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trigger: decides when a snapshot of a flight recording is due: it applies rules (parse.h) to the
 * events that a tap shows, and to how the program ended. The triggers own their tap and all state
 * of the rules. `gotap record --flight` makes one object; all calls come from the thread that calls
 * the assembler.
 *
 *     triggers_new(); triggers_observe() into assembler_opts, triggers_threads(); the recording;
 *     triggers_finish()
 *
 * A fact has the time at which it became true: a wait becomes longer than T at its begin + T. The
 * triggers find the fact then, or at most one round of the drain later, even if the wait has not
 * ended. One wait makes at most one fact of a rule. If facts of a rule follow one another within 50
 * ms, only the first fact is passed on, and the others are counted.
 */
#ifndef GOTAP_TRIGGER_TRIGGER_H
#define GOTAP_TRIGGER_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flight/fact.h"
#include "read/labels.h"
#include "threads/threads.h"
#include "trace/observer.h"
#include "trigger/parse.h"

struct triggers;

struct triggers_opts {
	/* must outlive the triggers; rules of kind SIGNAL, SOCKET and OOM have no effect here */
	const struct trigger_rule *rules;
	size_t n;
	/* flight_trigger(), or a function of a test. */
	uint64_t (*fire)(void *ctx, const struct flight_fact *fact);
	void *ctx;
	/*
	 * Facts of kinds with trigger_takes_labels() count only if the goroutine had these profiler
	 * labels at some time of the fact. NULL: all count. It must outlive the triggers.
	 */
	const struct labels_asked *labels;
};

/* Are the facts of this kind about a goroutine, so that triggers_opts.labels restricts them? */
bool trigger_takes_labels(enum trigger_kind kind);
/*
 * Do the facts of this kind come from records? Facts of the other kinds come from a signal, a
 * request or the end of the program.
 */
bool trigger_is_of_records(enum trigger_kind kind);
/* Are the facts of this kind about a stay that may go on when the fact is found? */
bool trigger_lasts(enum trigger_kind kind);
/*
 * Makes the triggers, which the caller frees with triggers_free(). @opts is copied; the rules that
 * it points to must outlive the triggers.
 */
struct triggers *triggers_new(const struct triggers_opts *opts);
/* Adds the observers that the rules need to @to: none if no rule needs events or records. */
void triggers_observe(struct triggers *t, struct observers *to);
/*
 * Adds a visitor to @threads, if a rule is about throttling. To be called before the first record.
 */
void triggers_threads(struct triggers *t, struct threads *threads);
/*
 * @lost: a counter of lost records, which must live as long as the triggers get events. If records
 * were lost during a wait, the record of its end may be among them: the message of the fact then
 * says so.
 */
void triggers_losses(struct triggers *t, const uint64_t *lost);

/* How a program ended. */
struct trigger_end {
	uint64_t time;		/* time of the last record, ns */
	/* @status is known; before Linux 6.15 only the parent gets the status */
	bool known;
	int status;		/* as wait(2) returns it */
};
/*
 * Passes the end of the program to the rules. To be called after assembler_finish(), and only if
 * the program, not just the recording, has ended.
 */
void triggers_ended(struct triggers *t, const struct trigger_end *end);

/*
 * To be called when the assembler has finished. Passes on the facts that wait for a stack, without
 * the stack.
 */
void triggers_finish(struct triggers *t);

struct trigger_counts {
	uint64_t facts;		/* facts of this rule */
	uint64_t fired;		/* facts that were passed on */
	uint64_t slowest;	/* the longest time from a fact to its detection, ns */
};
/* Copies the counts so far of the rule with index @rule. */
void triggers_counts(const struct triggers *t, size_t rule, struct trigger_counts *ret);
/* Frees @t, which may be NULL. */
void triggers_free(struct triggers *t);

#endif
