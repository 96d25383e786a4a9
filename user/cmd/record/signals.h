/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals: what SIGINT, SIGTERM, SIGHUP and SIGQUIT mean to `gotap record`. Owns their
 * handlers. Each of them is one step on this way; those that come within 2 s of the one
 * before are copies of it (timeout(1) sends two, a terminal one to each process) and
 * are ignored:
 *
 *	1	the recording ends, whole
 *	2	the trace ends with what has arrived, and is finished before the probes are gone
 *	3	gotap ends at once, with the status of a failure, and the .partial file stays
 *
 * Of a launched program the first SIGINT or SIGQUIT is no step: these come from the keyboard and
 * reach the program itself, whose end ends the recording. When the recording is over, one that
 * was sent to gotap (kill) is a step at once: the program did not get it.
 */
#ifndef GOTAP_CMD_RECORD_SIGNALS_H
#define GOTAP_CMD_RECORD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * SIGHUP and SIGTERM that were ignored at the start stay ignored (nohup). SIGINT and
 * SIGQUIT, which a shell has each command in the background ignore, count if they are
 * sent, and not if the terminal sends them.
 */
void signals_catch(bool launched);
/* In a child, before it execs: all is as gotap found it. */
void signals_restore(void);
bool signals_stop(void);
/* Not 0: the same, for code that cannot call here. */
const volatile sig_atomic_t *signals_step(void);
bool signals_give_up(void);
/*
 * From now on SIGUSR1 asks for a snapshot. signals_snapshot() returns the time (now_ns()) of the
 * last one that came since its last call, or 0: none came. A signal from before counts if the
 * process that started gotap had blocked it (signals_block_snapshot()).
 */
void signals_catch_snapshot(void);
/* To be called in a child that execs such a gotap: a SIGUSR1 that comes too early stays pending. */
void signals_block_snapshot(void);
uint64_t signals_snapshot(void);
/* Is there a .partial file, which the message of a third step is to name? No at first. */
void signals_partial_stays(bool stays);
/*
 * The recording is over, and @done steps had an effect on it. The way begins anew with those that
 * had none, since they came after its end: the first step ends the waiting for the program.
 */
void signals_begin_wait(int done);

#endif
