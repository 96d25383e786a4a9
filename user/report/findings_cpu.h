/* SPDX-License-Identifier: Apache-2.0 */
/* findings_cpu: the sums of findings_cpu.c, which findings_cpu_judge.c judges. */
#ifndef GOTAP_REPORT_FINDINGS_CPU_H
#define GOTAP_REPORT_FINDINGS_CPU_H

#include "report/findings.h"
#include "report/split.h"

/* Another program that had CPUs which threads with goroutines wanted. */
struct cpu_taker {
	char comm[17];
	uint32_t pid;		/* of the last one */
	bool several;		/* processes of that name */
	uint64_t times;
	double ns;
};

/* A cause for which goroutines had no CPU. */
struct cpu_cause {
	double ns;		/* while they ran, or were in system calls */
	/*
	 * ns of others that were ready meanwhile, and had no P or a thread that still waited for a
	 * CPU
	 */
	double ready;
	struct few goroutines;
	int64_t from, to;	/* the longest part */
};

/* Waits in page faults, or for a disk while running, by place. */
struct cpu_place {
	uint32_t place;
	uint8_t split;
	uint64_t count;
	struct cpu_cause cause;
};

/* Times in which some thread was in a state, in the trace. */
struct cpu_stop {
	double ns;
	int64_t end;		/* of the last one */
	int64_t from, to;	/* the longest one of a thread */
};

struct cpu {
	const struct findings *findings;
	struct oncpu *oncpu;		/* NULL: no file of threads; then nothing is known here */
	const struct thread_sums *sums;
	struct map64 own;		/* names of the program's threads, for is_own_thread() */
	char own_last[17];		/* the last name that was added */
	struct cpu_cause causes[SPLITS];
	/* of SPLIT_PREEMPTED: by the program's own threads, by other programs */
	double peers, others;
	double wanted;			/* ns that goroutines had a CPU or waited for one */
	/* struct cpu_taker, struct cpu_place; number 0 is for those beyond the limit */
	struct vec takers, places;
	struct map64 taker_of, place_of;
	struct map64 cpus;		/* those that threads of the program had */
	/* of threads, whether or not they have a goroutine */
	struct cpu_stop stops[THREAD_STATES];
};

/* Is there a file of threads? */
static inline bool cpu_is_known(const struct findings *f)
{
	return f->cpu->oncpu;
}

/* Adds the findings of the family. */
void cpu_judge(struct findings *f);

#endif
