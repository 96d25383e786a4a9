/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow: `gotap record --follow` and `--name`: several processes, or one that is waited for,
 * each recorded by a gotap of its own (recorder.h). cmd/record.c calls it in place of
 * record_run().
 */
#ifndef GOTAP_CMD_FOLLOW_FOLLOW_H
#define GOTAP_CMD_FOLLOW_FOLLOW_H

#include "cmd/record/options.h"

/* Records until all is over or a signal ends it. Returns the exit status. */
int follow_run(const struct record_options *o);

#endif
