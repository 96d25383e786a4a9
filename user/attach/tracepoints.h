/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracepoints: which of the tracepoints and fields that group linux needs the running kernel has,
 * from its type data (BTF). Called before the programs are loaded, and by `gotap doctor`.
 */
#ifndef GOTAP_ATTACH_TRACEPOINTS_H
#define GOTAP_ATTACH_TRACEPOINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct tracepoints {
	/* sched_switch has the state as its fourth argument (5.18) */
	bool switch_has_state;
	/* task_group.cfs_rq is an array of pointers, by CPU (before 7.3) */
	bool queue_pointers;
	bool throttling;		/* CPU quotas (CONFIG_CFS_BANDWIDTH) */
	bool delays;			/* schedstat files (CONFIG_SCHED_INFO) */
	bool quota_clock;		/* throttled time is counted while a CPU idles, too (6.6) */
};

/* -ENOTSUP: the text names what the kernel lacks. */
int tracepoints_find(struct tracepoints *ret, struct error *err);
/*
 * Bits REC_WITHOUT_... (record.h) of the facts that the kernel does not provide; threads/lacks.h
 * has their texts.
 */
uint64_t tracepoints_lack(const struct tracepoints *t);

#endif
