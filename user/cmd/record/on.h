/* SPDX-License-Identifier: Apache-2.0 */
/*
 * on: `--on TRIGGER` of `gotap record --flight`, which writes a snapshot for each fact, and of
 * `gotap assemble`, which prints the facts. Between the options and user/trigger.
 */
#ifndef GOTAP_CMD_RECORD_ON_H
#define GOTAP_CMD_RECORD_ON_H

#include <stdio.h>

#include "base/json_out.h"
#include "base/vec.h"
#include "live/process.h"
#include "trigger/trigger.h"

struct on_list {
	struct vec rules;	/* struct trigger_rule */
	struct labels_asked labels;	/* of --on-label */
};

/*
 * Adds the argument of one --on. Returns NULL, or the text of what is wrong with it, which holds
 * until the next call. "help" prints the list of triggers and exits.
 */
const char *on_add(struct on_list *l, const char *arg);
/*
 * The same where only kept records are read: signals, requests and the end of the program are
 * refused, too.
 */
const char *on_add_kept(struct on_list *l, const char *arg);
/* Returns NULL, or why the labels of --on-label do not go with the triggers. */
const char *on_check(const struct on_list *l);
/* The groups of events that they need, as a mask. */
unsigned int on_groups(const struct on_list *l);
/* Is one of them about something that may go on after the fact, as a wait? */
bool on_lasts(const struct on_list *l);
/* Triggers whose facts go to @fire; NULL if there are none. */
struct triggers *on_begin(const struct on_list *l,
			  uint64_t (*fire)(void *ctx, const struct flight_fact *fact), void *ctx);
/* The same where each fact is a line of JSON for @out. */
struct triggers *on_begin_print(const struct on_list *l, FILE *out);
/*
 * Stores the wait status of a program that has ended, as wait(2) has it. Waits half a second for
 * its parent. False: the kernel does not say it.
 */
bool on_wait_status(struct process *p, int *status);
/*
 * Passes the end of program @p to the triggers. To be called when all records up to @time (ns),
 * the last one, are in the trace.
 */
void on_ended(struct triggers *t, struct process *p, uint64_t time);
/* Prints for each trigger how often it was true. @t may be NULL. */
void on_report(const struct on_list *l, const struct triggers *t, FILE *f);
void on_report_json(const struct on_list *l, const struct triggers *t, struct json_out *j);
void on_free(struct on_list *l);

#endif
