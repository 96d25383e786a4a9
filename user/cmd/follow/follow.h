/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow: `gotap record --follow` and `--name`: several processes, or one that is waited for,
 * each recorded by a gotap of its own (recorder.h). record.c calls it in place of its own
 * recording.
 */
#ifndef GOTAP_CMD_FOLLOW_FOLLOW_H
#define GOTAP_CMD_FOLLOW_FOLLOW_H

#include "cmd/record/options.h"

/* Keeps the option of @row, with its argument, for the recorders, if it is meant for them. */
void follow_pass_on(struct record_options *o, const struct option_row *row, const char *arg);
/*
 * Checks that the options go together, and sets the default of -o. Returns NULL, or what is
 * wrong.
 */
const char *follow_check(struct record_options *o);
/* Records until all is over or a signal ends it. Returns the exit status. */
int follow_run(const struct record_options *o);

#endif
