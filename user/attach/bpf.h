/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpf: loads the BPF programs for one plan and one process, makes the rings, and
 * has the prober (prober.h), which it starts, attach and detach. Nothing is pinned:
 * if gotap is killed the prober takes the probes away and the kernel the rest.
 */
#ifndef GOTAP_ATTACH_BPF_H
#define GOTAP_ATTACH_BPF_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/inliner.h"
#include "attach/links.h"
#include "base/error.h"
#include "live/process.h"
#include "plan/plan.h"
#include "region.h"
#include "rings/inline_rings.h"
#include "rings/ring_set.h"

struct bpf_side;

enum attach_method { ATTACH_AUTO, ATTACH_MULTI, ATTACH_PERF };

struct bpf_opts {
	unsigned int stack_depth;	/* frames, 0 to 127 */
	/* bytes per CPU, a power of two; 0: by the number of CPUs */
	size_t ring_size;
	enum attach_method method;
	unsigned int cpu_hz;		/* CPU samples per second and thread, 0: none */
	bool verbose;			/* show what libbpf says */
	uint64_t object_min;		/* bytes of the smallest slot, for objects */
	bool no_paths;			/* of requests */
	bool sql_literals;		/* statements keep them */
	bool every_switch;		/* of the machine, with group linux */
	bool calibration;		/* load enum calibration, too */
};

/* Programs of probe_calibrate.bpf.c. */
enum calibration { CALIBRATE_HIT, CALIBRATE_RECORD };

/* Loads. -EPERM names the capability, -ENOTSUP what the kernel lacks. */
int bpf_load(struct bpf_side **ret, const struct plan *plan, const struct process *proc,
	     const struct bpf_opts *opts, struct error *err);
/*
 * Puts the probes in place; records flow only after bpf_activate(). -ESTALE: the
 * process runs another program meanwhile, which got none; -ENOTSUP: its code is
 * somewhere else than its file is mapped (live/text_map).
 */
int bpf_attach(struct bpf_side *b, unsigned int parts, struct error *err);
/* Attaches one probe to gotap itself, until any part is detached. */
bool bpf_probe_self(struct bpf_side *b, enum calibration which, uint64_t file_offset);
/* The prober gives up its privileges, but for those that it takes to attach once more. */
int bpf_prober_keeps(struct bpf_side *b, struct error *err);
/*
 * Does the prober live? If it was killed there are no probes any more, or some that do nothing.
 * From any thread, and once false, always false.
 */
bool bpf_prober_lives(const struct bpf_side *b);
/* Has the prober taken the probes away because gotap was stopped? From any thread. */
bool bpf_prober_gave_up(const struct bpf_side *b);
/* Was the prober killed, and could the breakpoints that it may have left not be taken away? */
bool bpf_left_breakpoints(const struct bpf_side *b);
/*
 * Makes code in the target take over from those probes that it can replace; the plan is for
 * --attach inline, and the probes are in place. -EAGAIN: not now, perhaps later.
 * bpf_inline_status() has the result.
 */
int bpf_begin_inline(struct bpf_side *b, struct error *err);
/* NULL: the plan is not for --attach inline, and nothing was found of a gotap that was. */
const struct inline_status *bpf_inline_status(const struct bpf_side *b);
/* Notes, for the status, why it did not begin. */
void bpf_inline_failed(struct bpf_side *b, const struct error *why);
/* Is the target stopped or frozen, so that no thread of it can be borrowed? Reads /proc. */
bool bpf_inline_is_stopped(const struct bpf_side *b);
struct inline_rings *bpf_inline_rings(struct bpf_side *b);
/*
 * Says that gotap runs: without it the prober takes the probes away after some seconds. From any
 * thread.
 */
void bpf_beat(struct bpf_side *b);
void bpf_activate(struct bpf_side *b);
/* Has the target moved its code since the attach? Reads a few lines of /proc/PID/maps. */
bool bpf_text_moved(const struct bpf_side *b);
/* Records that were lost, any of which may have been the one that names its g. */
uint64_t bpf_names_lost(const struct bpf_side *b);
/*
 * Counts the texts of annotations that probes could not read, of which records are marked
 * (texts.h).
 */
const uint64_t *bpf_texts_missing(const struct bpf_side *b);
/*
 * At @now (CLOCK_MONOTONIC ns) every goroutine that exists is in the snapshot or
 * in a record: names can be left out, unless more than @lost records are lost.
 */
void bpf_names_known(struct bpf_side *b, uint64_t now, uint64_t lost);
/* Ends bpf_names_known(): each record has its name from now on. */
void bpf_names_unknown(struct bpf_side *b);
/* STACKS_WHOLE, SHORT or NONE from now on. */
void bpf_set_stacks(struct bpf_side *b, unsigned int stacks);
/*
 * No more records from now on, of any probe: links go one after the other, and
 * a stream in which some kinds of records stop earlier than others is false.
 */
void bpf_deactivate(struct bpf_side *b);
/*
 * Takes the probes of region @i of the plan away for good; they do not come back with the others.
 */
void bpf_detach_region(struct bpf_side *b, unsigned int i);
/* The hits of each region of the plan since the start; they grow while probes run. */
const struct region_hits *bpf_region_hits(const struct bpf_side *b);
/* Takes the probes away; the rings stay readable. */
void bpf_detach(struct bpf_side *b, unsigned int parts);
/* Accepts NULL. */
void bpf_free(struct bpf_side *b);

struct ring_set *bpf_rings(struct bpf_side *b);
/* Do any of the planned probes only measure memory (BPF_EXTRAS)? */
bool bpf_has_extras(const struct bpf_side *b);
/*
 * Lets the kernel side note when the target execs another program, and record
 * nothing from there on. Where the kernel has no such tracepoint for us,
 * bpf_exec_time() stays 0.
 */
void bpf_watch_exec(struct bpf_side *b);
bool bpf_watches_exec(const struct bpf_side *b);
uint64_t bpf_exec_time(const struct bpf_side *b);
/*
 * Lets the kernel side note when the OOM killer chooses the target. Where the kernel has no such
 * tracepoint for us, bpf_oom_time() stays 0.
 */
void bpf_watch_oom(struct bpf_side *b);
bool bpf_watches_oom(const struct bpf_side *b);
/* Returns the time of that, now_ns(); 0: it has not. From any thread. */
uint64_t bpf_oom_time(const struct bpf_side *b);
/*
 * Attaches the programs of group linux, if the plan has it. They make records from
 * bpf_begin_threads() on, until bpf_end_threads() or an exec of the target. Gaps of --budget and of
 * losses do not stop them.
 */
int bpf_attach_threads(struct bpf_side *b, struct error *err);
/* Bits of enum rec_threads_with that these records will have. */
uint64_t bpf_threads_with(const struct bpf_side *b);
/* Turns records of threads on and off. */
void bpf_begin_threads(struct bpf_side *b);
void bpf_end_threads(struct bpf_side *b);
/* Descriptor of the sampling program, for a perf event; -1 if cpu_hz was 0. */
int bpf_sampling_program(const struct bpf_side *b);
/* "uprobe_multi" or "perf". */
const char *bpf_method(const struct bpf_side *b);

#endif
