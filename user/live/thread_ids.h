/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_ids: the thread of an M. m.procid is the id in the program's PID namespace; records and
 * /proc have the id in the namespace that gotap uses.
 */
#ifndef GOTAP_LIVE_THREAD_IDS_H
#define GOTAP_LIVE_THREAD_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map64.h"
#include "live/process.h"

struct thread_ids {
	const struct process *proc;
	bool differ;
	struct map64 known;	/* from m.procid to ours */
	unsigned int looks;
};

void thread_ids_init(struct thread_ids *ids, const struct process *proc);
/* The id of the thread with m.procid @procid; 0: not known. */
uint32_t thread_ids_of(struct thread_ids *ids, uint64_t procid);
void thread_ids_free(struct thread_ids *ids);

#endif
