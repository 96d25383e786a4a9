/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler: a CPU clock per thread of the target (perf_event_open, software
 * cpu-clock), each of which runs the BPF program that records a sample.
 *
 * Threads that start and CPUs that come online later are found by sampler_update(). The events are
 * not inherited on purpose: an inherited event is work inside the target's own clone(2), and an
 * error there would be the target's.
 */
#ifndef GOTAP_ATTACH_SAMPLER_H
#define GOTAP_ATTACH_SAMPLER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/map64.h"
#include "live/process.h"

struct sampler {
	pid_t pid;
	int prog_fd;
	unsigned int hz;
	bool by_cpu;		/* its thread ids are of another PID namespace */
	char online[1024];	/* CPUs, as the kernel lists them */
	struct map64 threads;	/* tid or CPU -> descriptor + 1, or 0: could not be opened */
};

/*
 * Opens a clock for every thread of the target, or for every CPU, where the BPF program filters the
 * ticks of other processes. The text of -EACCES names the missing capability.
 */
int sampler_start(struct sampler *s, const struct process *proc, int prog_fd, unsigned int hz,
		  struct error *err);
/* Opens clocks for new threads or CPUs, and closes those of ended ones. */
void sampler_update(struct sampler *s);
/* Accepts a zeroed sampler. */
void sampler_stop(struct sampler *s);

#endif
