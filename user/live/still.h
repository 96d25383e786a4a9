/* SPDX-License-Identifier: Apache-2.0 */
/*
 * still: whether a process stands still, so that its memory can be read as the image of one moment:
 * somebody has stopped it (SIGSTOP, a debugger) or frozen its cgroup. gotap never stops it itself.
 * In: an open process, or a core file, which always is still. A look before and one after the
 * reading show whether a thread ran between them.
 */
#ifndef GOTAP_LIVE_STILL_H
#define GOTAP_LIVE_STILL_H

#include <stdint.h>

#include "base/error.h"
#include "live/process.h"

struct still {
	uint64_t threads;	/* hash of all thread ids, and of how often each left a CPU */
};

/* Looks at all threads. -EBUSY with a text that says what to do: the process is not still. */
int still_look(const struct process *p, struct still *ret, struct error *err);
/* Looks again: -EBUSY if a thread ran since @before. */
int still_check(const struct process *p, const struct still *before, struct error *err);

#endif
