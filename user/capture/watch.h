/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch: is the program still the one that is recorded, and until when was it?
 * The drain thread looks once a round, after it has emptied the rings: the records of
 * the round are true if nothing had changed by then.
 *
 * Some changes make later records false. The code of a plugin that was opened has
 * no probes: records of the rest of the program make no sense alone. And after
 * an exec the addresses mean something else, while the probes may sit in the same
 * file. For the latter the kernel side notes the instant and records nothing any
 * more (bpf/probe_exec.bpf.c); without that, as for plugins, everything since the
 * last look is left out. So it is when the process that held the probes has ended:
 * they went one after the other.
 */
#ifndef GOTAP_CAPTURE_WATCH_H
#define GOTAP_CAPTURE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/bpf.h"
#include "live/process.h"

/* Why a capture ended. */
enum capture_end {
	CAPTURE_RUNNING, CAPTURE_STOPPED, CAPTURE_EXITED, CAPTURE_EXECED,
	CAPTURE_PLUGIN,		/* it opened a plugin, whose code has no probes (module.h) */
	CAPTURE_SILENT,		/* a read of its memory did not answer */
	CAPTURE_MOVED,		/* it moved its code to where no probes are (live/text_map.h) */
	CAPTURE_UNPROBED,	/* the process that held the probes was killed (prober.h) */
	/* gotap itself was stopped for so long that the probes were taken away */
	CAPTURE_PAUSED,
};

struct watch {
	struct process *proc;
	const struct bpf_side *bpf;
	bool stop;		/* wanted; set by any thread */
	uint64_t until;		/* ns: wanted from then on; 0: not known. Set by any thread */
	enum capture_end end;
	uint64_t same_until;	/* the last time at which the program was there, without a change */
	uint64_t cut;		/* records after this time are false; UINT64_MAX: none is */
	uint64_t no_exec_until;	/* the last time at which it ran no other program */
	unsigned int looks;
	bool seems_moved;
};

void watch_init(struct watch *w, struct process *proc, const struct bpf_side *bpf);
void watch_look(struct watch *w);
/*
 * Returns, to any thread, whether a look that began at @since or later found no change, or the
 * capture has ended.
 */
bool watch_has_looked(const struct watch *w, uint64_t since);
/* Makes the next look end the capture. From any thread. */
void watch_stop(struct watch *w);
/* The same for the first look after @time (ns of CLOCK_MONOTONIC). */
void watch_stop_at(struct watch *w, uint64_t time);
/* Returns when the recording ended, once it has: the last time up to which all records are true. */
uint64_t watch_end_time(const struct watch *w);

#endif
