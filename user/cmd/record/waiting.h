/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waiting: after the end of a recording `gotap record -- COMMAND` waits for COMMAND, so that its
 * exit status is gotap's; with --detach it does not. For record.c and cmd/follow.
 */
#ifndef GOTAP_CMD_RECORD_WAITING_H
#define GOTAP_CMD_RECORD_WAITING_H

#include <stdbool.h>
#include <sys/types.h>

#include "cmd/record/record.h"

/*
 * The recording is over and COMMAND, process @pid, goes on. Prints so, unless the report is JSON.
 * @done: of signals_begin_wait(). False: gotap is not to wait (--detach).
 */
bool waiting_begin(const struct record_options *o, pid_t pid, int done);
/* A signal ended the waiting: prints so. Returns the exit status. */
int waiting_give_up(pid_t pid);

#endif
