/* SPDX-License-Identifier: Apache-2.0 */
/*
 * families: the metrics of programs, in the order in which they are written. docs/metrics.md has
 * the list.
 */
#ifndef GOTAP_METRICS_FAMILIES_H
#define GOTAP_METRICS_FAMILIES_H

#include "base/vec.h"
#include "metrics/text.h"
#include "metrics/watched.h"
#include "proc/cgroup_cpu.h"

/* A program, and what is known of it. Owns its bufs. */
struct metrics_program {
	struct buf labels;		/* pid, process and so on, of each of its samples */
	struct buf facts;		/* the labels of its sample of gotap_process_info */
	double cpu;			/* seconds of CPU since it began */
	double goroutines[WATCHED_STATES];	/* < 0: not known */
	struct cgroup_cpu levels[CGROUP_LEVELS];
	size_t n_levels;
	bool is_watched;
	struct watched watched;		/* 0 if it is not watched */
};

void metrics_program_free(struct metrics_program *p);
/* Writes all families of the @n programs. */
void metrics_programs(struct metrics_text *t, const struct metrics_program *programs, size_t n);

#endif
