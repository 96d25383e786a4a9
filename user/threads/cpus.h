/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpus: stays of other programs' tasks on CPUs, from a recording with --system: a visitor of
 * threads.h, which itself has the stays of the program's own threads. If the record of a stay's
 * begin is missing, the stay is as long as the task has run since its last record, by the kernel's
 * sum of its run time; without such a record it is not shown.
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

/* Gets each stay when it has ended; @span holds until it returns. */
typedef void cpu_span_fn(void *ctx, const struct cpu_span *span);

struct cpus;

/*
 * Adds a visitor to @t; the result must live as long as @t. Without --system there are no stays.
 * @fn NULL: only counts the missing ones.
 */
struct cpus *cpus_new(struct threads *t, cpu_span_fn *fn, void *ctx);
/* How many switches to other programs' tasks have no record; see threads_missing(). */
uint64_t cpus_missing(const struct cpus *c);
/* Accepts NULL. */
void cpus_free(struct cpus *c);

#endif
