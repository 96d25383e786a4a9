/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpus: stays of other programs' tasks on CPUs, from the records of a recording with --system: a visitor of threads.h, for
 * what shows who had the CPUs. The program's own threads are not among them: threads.h has those. Where the record of a stay's begin is
 * missing the stay is as long as the task has run by the kernel's account, if a record said that account before; else it is not shown.
 */
#ifndef GOTAP_THREADS_CPUS_H
#define GOTAP_THREADS_CPUS_H

#include "threads/threads.h"

struct cpu_span {
	struct task_ref task;	/* comm "": not known, as of what ran when the recording began */
	uint32_t cpu;
	uint64_t from, to;
	enum rec_off why;	/* it left the CPU; REC_OFF_UNKNOWN: the recording has ended */
};

/* What it is shown holds until it returns; in the order of the ends. */
typedef void cpu_span_fn(void *ctx, const struct cpu_span *span);

struct cpus;

/* Becomes a visitor of @t, and must live as long. Without --system there is nothing to show. @fn NULL: only counts. */
struct cpus *cpus_new(struct threads *t, cpu_span_fn *fn, void *ctx);
/* Switches to other programs' tasks that no record says, as threads_missing(). */
uint64_t cpus_missing(const struct cpus *c);
/* Accepts NULL. */
void cpus_free(struct cpus *c);

#endif
