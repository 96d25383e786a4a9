/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu_use: the CPU time that the recorded program and gotap's processes use during a recording.
 * `gotap record` calls it at the begin, some times a second, and when the recording is to end; the
 * report prints it. The attach before and the detach after are not in it: in a short recording they
 * take more than all that lies between.
 */
#ifndef GOTAP_CMD_RECORD_CPU_USE_H
#define GOTAP_CMD_RECORD_CPU_USE_H

#include <stdint.h>

#include "live/process.h"

/* CPU time so far, ns. */
struct cpu_times {
	uint64_t program, gotap;
};

struct cpu_use {
	const struct process *proc;
	uint64_t from, to;	/* time of the first and of the last look, ns */
	struct cpu_times first, last;
};

/* Looks for the first time. @p must outlive @u. */
void cpu_use_begin(struct cpu_use *u, const struct process *p);
/* Looks again. A program that has ended keeps the times of the look before. */
void cpu_use_look(struct cpu_use *u);
/* Looks if it has not for a quarter of a second. */
void cpu_use_tick(struct cpu_use *u);

/* Return the rate between the first and the last look, in ns per second; 0 if there is only one. */
double cpu_use_program(const struct cpu_use *u);
double cpu_use_gotap(const struct cpu_use *u);
/* Returns the CPU time of gotap from its start until now, in seconds. */
double cpu_use_gotap_whole(const struct process *p);

#endif
