/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads: how long the program's threads were on CPUs, and what kept them off (group linux): at
 * the end of a recording, and in `gotap report` of a trace with a file of threads beside it.
 */
#ifndef GOTAP_CMD_REPORT_THREADS_H
#define GOTAP_CMD_REPORT_THREADS_H

#include <stdio.h>

#include "base/json_out.h"
#include "threads/sums.h"

struct thread_report {
	const struct threads *threads;	/* NULL: none */
	const struct thread_sums *sums;	/* of them */
	uint32_t pid;			/* of the program, as its threads' records have it */
};

/* Nothing if there was no record of threads. */
void report_print_threads(const struct thread_report *r, FILE *f);
/* The object "linux" (docs/threads.md). */
void report_json_threads(const struct thread_report *r, struct json_out *j);

#endif
