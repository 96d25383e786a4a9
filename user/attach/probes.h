/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probes: are there probes in the program, and may they record? The thread that starts the capture
 * puts them in place; gaps.c takes them away and puts them back; the drain thread ends the
 * recording. To attach and to detach takes time (a link waits for the kernel) and holds the lock;
 * probes_silence() takes no lock, so that the end of a recording waits for no other thread.
 */
#ifndef GOTAP_ATTACH_PROBES_H
#define GOTAP_ATTACH_PROBES_H

#include <pthread.h>
#include <stdbool.h>

#include "attach/bpf.h"
#include "base/error.h"

struct probes {
	struct bpf_side *bpf;
	pthread_mutex_t lock;		/* of links */
	bool silent;			/* for good: nothing is recorded any more */
};

void probes_init(struct probes *p);
void probes_destroy(struct probes *p);
/* Puts @parts (enum bpf_parts) in place. -ECANCELED: the recording ends. */
int probes_attach(struct probes *p, unsigned int parts, struct error *err);
/* Records flow from now on, unless the recording ends. */
void probes_activate(struct probes *p);
/* bpf_begin_inline(). -ECANCELED: the recording ends. */
int probes_begin_inline(struct probes *p, struct error *err);
/* Takes @parts away; if it is all of them, nothing is recorded from the begin of the call on. */
void probes_detach(struct probes *p, unsigned int parts);
/* Takes those of region @i of the plan away for good. */
void probes_detach_region(struct probes *p, unsigned int i);
/* Nothing is recorded any more, and no probe comes back. Does not wait. */
void probes_silence(struct probes *p);

#endif
