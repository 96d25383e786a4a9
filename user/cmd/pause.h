/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pause: waits that SIGINT, SIGTERM or SIGHUP end, so that a command can put back what it has
 * changed in a program, and show what it has until then. For commands without threads.
 */
#ifndef GOTAP_CMD_PAUSE_H
#define GOTAP_CMD_PAUSE_H

#include <signal.h>
#include <stdbool.h>

/* From now on these signals end pauses, and do not end gotap, until pause_release(). */
void pause_catch(void);
/* The signals have the effect again that they had before pause_catch(). */
void pause_release(void);
/* A flag that is not 0 once a signal has come since pause_catch(). */
const volatile sig_atomic_t *pause_signal(void);
/* Waits for @seconds; false: a signal has come since pause_catch(). */
bool pause_for(double seconds);

#endif
