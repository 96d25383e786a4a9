/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_internal: shared by the files of process: opening (process.c), and
 * running a held process from stop to stop (process_launch.c).
 */
#ifndef GOTAP_LIVE_PROCESS_INTERNAL_H
#define GOTAP_LIVE_PROCESS_INTERNAL_H

#include "live/process.h"

/* Everything that is known of p->pid, which runs or is held. */
int process_open_pid(struct process *p, struct error *err);
/* Which program it runs now, and where: p->exe, p->exe_id and p->root. */
int process_open_exe(struct process *p, struct error *err);

enum stop {
	STOP_EXEC,	/* another program, before its first instruction */
	STOP_SYSCALL,	/* begin or end of a system call of the main thread */
	STOP_ENDED,	/* and it is reaped */
	STOP_REQUESTED,	/* *p->stop is not 0: it is not stopped, and not held any more */
};

/* Lets a held process run, by PTRACE_CONT, or by PTRACE_SYSCALL, which alone gives STOP_SYSCALL. */
enum stop process_run(struct process *p, int request);
/* -EINTR, for STOP_REQUESTED. */
int process_stop_requested(const struct process *p, struct error *err);

#endif
