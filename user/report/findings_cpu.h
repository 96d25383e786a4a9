/* SPDX-License-Identifier: Apache-2.0 */
/* findings_cpu: the sums of findings_cpu.c, from which findings_cpu_judge.c makes findings. */
#ifndef GOTAP_REPORT_FINDINGS_CPU_H
#define GOTAP_REPORT_FINDINGS_CPU_H

#include "report/findings.h"
#include "report/split.h"

/* Another program: it had CPUs for which threads with goroutines waited. */
struct cpu_taker {
	char comm[17];
	uint32_t pid;		/* the process that had a CPU last */
	bool several;		/* several processes have this name */
	uint64_t times;
	double ns;
};

/* The time lost by one state of threads (enum split). */
struct cpu_cause {
	double ns;		/* ns of goroutines that ran or were in system calls */
	/*
	 * ns of goroutines that were ready meanwhile, and either had no P, or had a P and a thread
	 * that waited for a CPU
	 */
	double ready;
	/* the shares of both in parts of CPU_LATE_NS or more */
	double late, late_ready;
	struct few goroutines;
	int64_t from, to;	/* the longest part */
};

/*
 * An idle CPU runs a thread some 10 us after its wake-up, also where it has to leave a deep idle
 * state (some 100 us). A thread that waits longer waits for a CPU that another task has, or that
 * the host of a virtual machine has taken.
 */
enum { CPU_LATE_NS = 1000000 };

/* Waits of running goroutines in page faults or for a disk, at one place. */
struct cpu_place {
	uint32_t place;
	uint8_t split;
	uint64_t count;
	struct cpu_cause cause;
};

/* The times during which any thread was in a state. */
struct cpu_stop {
	double ns;
	int64_t end;		/* end of the last time */
	int64_t from, to;	/* the longest time of a thread */
};

struct cpu {
	const struct findings *findings;
	struct oncpu *oncpu;		/* NULL: no file of threads; all sums are then 0 */
	const struct thread_sums *sums;
	struct map64 own;		/* names of the program's threads, for is_own_thread() */
	char own_last[17];		/* the name that was added last */
	struct cpu_cause causes[SPLITS];
	/* ns of SPLIT_PREEMPTED: by the program's own threads, by other programs */
	double peers, others;
	double wanted;			/* ns that goroutines had a CPU or waited for a CPU */
	/* struct cpu_taker, struct cpu_place; number 0 has the sums beyond the limit */
	struct vec takers, places;
	struct map64 taker_of, place_of;
	struct map64 cpus;		/* CPUs on which threads of the program ran */
	/* by enum thread_state; of threads with and without a goroutine */
	struct cpu_stop stops[THREAD_STATES];
};

/* Is there a file of threads? */
static inline bool cpu_is_known(const struct findings *f)
{
	return f->cpu->oncpu;
}

/* Adds the findings about CPUs. */
void cpu_judge(struct findings *f);

#endif
