/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sums: the sums of the threads of a recording: a visitor of threads.h, for the report at the end
 * of a recording and of `gotap assemble`.
 */
#ifndef GOTAP_THREADS_SUMS_H
#define GOTAP_THREADS_SUMS_H

#include "base/map64.h"
#include "base/vec.h"
#include "threads/cpus.h"
#include "threads/threads.h"

struct thread_sum {
	uint32_t tid;		/* 0: the sum of several threads */
	char comm[17];
	uint64_t life_ns;	/* within the recording */
	uint64_t state_ns[THREAD_STATES];
	/*
	 * The kernel's sums, as in schedstat: of the same time, but with the kernel's own times of
	 * switches.
	 */
	uint64_t ran_ns, waited_ns;
	uint64_t stays;		/* stays on a CPU */
	uint64_t preempted, woken, moves;
};

/* Another program that took CPUs. */
struct taker {
	char comm[17];
	uint32_t pid;
	/*
	 * how often it took a CPU from a thread, and the sum of the waits of these threads after
	 * that
	 */
	uint64_t times, ns;
};

/* A cgroup with a limit, or the program's own. */
struct cgroup_sum {
	uint16_t up;		/* levels above the program's own */
	struct rec_cgroup first, last;
};

struct pressure_sum {
	bool any, machine;
	struct rec first, last;
};

/*
 * Most threads with a sum of their own: threads beyond that which have ended are added up in one
 * sum. Most takers: beyond that those with the least time so far are added up in one.
 */
enum { SUMS_THREADS = 4096, SUMS_TAKERS = 1024, SUMS_CGROUPS = 16 };

struct thread_sums {
	struct map64 live;	/* tid -> struct thread_sum * */
	/* struct thread_sum: threads that have ended; at the end of the recording all */
	struct vec done;
	struct thread_sum others, total;
	uint64_t n_others;
	struct vec takers;	/* struct taker */
	struct map64 taker_at;	/* pid -> index + 1 */
	struct taker other_takers;
	struct cgroup_sum cgroups[SUMS_CGROUPS];
	size_t n_cgroups;
	struct pressure_sum pressures[REC_RESOURCE_IO + 1];
	uint64_t cpu_switches;
	struct cpus *cpus;	/* counts the switches that are missing */
};

/* Makes the sums and adds them to @t as a visitor. The caller frees them by thread_sums_free(). */
struct thread_sums *thread_sums_new(struct threads *t);
void thread_sums_free(struct thread_sums *s);

/* Returns the cgroup with the tightest limit; NULL: none has a limit. */
const struct cgroup_sum *thread_sums_limit(const struct thread_sums *s);
/* Returns how many CPUs the limit allows; 0: there is no limit. */
double cgroup_sum_cpus(const struct cgroup_sum *c);
/*
 * Returns @last - @first of a counter of the kernel; 0 if the counter went back, as with a new
 * cgroup or in a damaged file.
 */
static inline uint64_t sums_since(uint64_t first, uint64_t last)
{
	return last > first ? last - first : 0;
}

#endif
