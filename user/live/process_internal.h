/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_internal: shared by the files of process: opening (process.c), and running a held process
 * from stop to stop (process_launch.c).
 */
#ifndef GOTAP_LIVE_PROCESS_INTERNAL_H
#define GOTAP_LIVE_PROCESS_INTERNAL_H

#include "live/process.h"

/* Opens all that belongs to p->pid, which runs or is held. */
int process_open_pid(struct process *p, struct error *err);
/* Opens the program that it runs now: p->exe, p->exe_id and p->root. */
int process_open_exe(struct process *p, struct error *err);

enum stop {
	STOP_EXEC,	/* it has exec'ed another program, and is before its first instruction */
	STOP_SYSCALL,	/* begin or end of a system call of the main thread */
	STOP_ENDED,	/* it has ended, and is reaped */
	STOP_REQUESTED,	/* *p->stop is not 0: the process runs, and is not held any more */
};

/*
 * Continues a held process, by PTRACE_CONT or PTRACE_SYSCALL, until its next stop. Only
 * PTRACE_SYSCALL gives STOP_SYSCALL.
 */
enum stop process_run(struct process *p, int request);
/* Returns -EINTR with a text, for STOP_REQUESTED. */
int process_stop_requested(const struct process *p, struct error *err);

#endif
