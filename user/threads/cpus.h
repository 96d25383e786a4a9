/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpus: stays of other programs' tasks on CPUs, from a recording with --system: a visitor of
 * threads.h, which itself has the stays of the program's own threads. If the record of a stay's
 * begin is missing, the stay is taken to be as long as the task has run since its last record, by
 * the kernel's sum of its run time. If there is no such record either, the stay is not shown.
 */
#ifndef GOTAP_THREADS_CPUS_H
#define GOTAP_THREADS_CPUS_H

#include "threads/threads.h"

struct cpu_span {
	/* comm "": not known, as for tasks that ran when the recording began */
	struct task_ref task;
	uint32_t cpu;
	uint64_t from, to;
	/* why the task left the CPU; REC_OFF_UNKNOWN: the recording has ended */
	enum rec_off why;
};

/* Called with each stay when it has ended; @span is valid until the function returns. */
typedef void cpu_span_fn(void *ctx, const struct cpu_span *span);

struct cpus;

/*
 * Adds a visitor to @t. cpus_free() frees the result, not before @t. Without --system there are no
 * stays. @fn NULL: only counts the missing ones.
 */
struct cpus *cpus_new(struct threads *t, cpu_span_fn *fn, void *ctx);
/*
 * Returns the number of switches to other programs' tasks without a record; see threads_missing().
 */
uint64_t cpus_missing(const struct cpus *c);
/* Accepts NULL. */
void cpus_free(struct cpus *c);

#endif
