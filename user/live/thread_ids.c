// SPDX-License-Identifier: Apache-2.0
/* thread_ids: see thread_ids.h. */
#include "live/thread_ids.h"

/* readings of the thread list: a thread that began after the last reading takes another one */
enum { LOOKS = 16 };

void thread_ids_init(struct thread_ids *ids, const struct process *proc)
{
	*ids = (struct thread_ids){ .proc = proc, .differ = process_needs_tid_map(proc) };
}

uint32_t thread_ids_of(struct thread_ids *ids, uint64_t procid)
{
	uint64_t *tid;

	if (!ids->differ || !procid)
		return (uint32_t)procid;
	tid = map64_get(&ids->known, procid);
	if (!tid && ids->looks++ < LOOKS) {
		process_map_tids(ids->proc, &ids->known);
		tid = map64_get(&ids->known, procid);
	}
	return tid ? (uint32_t)*tid : 0;
}

void thread_ids_free(struct thread_ids *ids)
{
	map64_free(&ids->known);
}
