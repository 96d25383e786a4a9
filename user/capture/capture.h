/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture: a running recording. One thread empties the rings on a timer and
 * queues chunks; the caller takes them with capture_next() and hands them to
 * the assembler or a spool file. If the caller is slow the queue fills, then
 * the rings, then records are lost and counted, then the probes are taken away
 * until he reads again: nobody waits for him, neither the target nor the end.
 */
#ifndef GOTAP_CAPTURE_CAPTURE_H
#define GOTAP_CAPTURE_CAPTURE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "attach/bpf.h"
#include "capture/budget.h"
#include "capture/watch.h"
#include "plan/plan.h"
#include "live/process.h"
#include "live/snapshot.h"
#include "stream/chunk.h"

struct capture;

struct capture_opts {
	struct bpf_opts bpf;	/* but for calibration */
	/* CPU ns per second that the probes may cost, or BUDGET_NONE */
	double budget;
	/* may be NULL; if it is not 0, the recording does not start */
	const volatile sig_atomic_t *stop;
	/*
	 * Called before the probes make records, if there are regions: one call costs the program
	 * at most @ns of CPU time. NULL: not called.
	 */
	void (*said_price)(void *ctx, double ns);
	void *price_ctx;
};

/*
 * Loads, attaches, starts the drain, takes the snapshot and lets a launched
 * program run. @plan and @proc must outlive the capture.
 */
int capture_start(struct capture **ret, const struct plan *plan, struct process *proc,
		  const struct capture_opts *opts, struct error *err);
/*
 * Takes the next chunk, and waits for it at most @timeout_ms. Returns 1 and *@c, valid until the
 * next call; 0 on a time-out; -ENODATA when the capture has ended and all is taken.
 */
int capture_next(struct capture *cap, int timeout_ms, struct chunk **c);
/* Asks the drain thread to take the probes away and finish; returns at once. */
void capture_stop(struct capture *cap);
/*
 * The drain thread does so by itself after @time (ns of CLOCK_MONOTONIC): the thread that would
 * call capture_stop() may wait for the reader of a trace then.
 */
void capture_stop_at(struct capture *cap, uint64_t time);
/*
 * Records which sockets the program's descriptors are (sockets.h), if that is due, or @now. To be
 * called some times a second, by the thread that calls capture_next().
 */
void capture_look_at_sockets(struct capture *cap, bool now);
enum capture_end capture_ended(const struct capture *cap);
/* Returns, after the end, whether the program may still have breakpoints of probes. */
bool capture_left_breakpoints(const struct capture *cap);
/*
 * Returns whether the program's memory has the structures of the plan. True, but for a launched
 * program with --assume-go until its memory was read: there is nothing to compare before it runs.
 */
bool capture_fits(const struct capture *cap);
/*
 * Returns the cost of the probes and its limit, once the last chunk was taken; all 0 without a
 * budget.
 */
const struct budget *capture_budget(const struct capture *cap);
/*
 * The same from any thread while the recording runs: the cost so far, and the level in effect now.
 * All 0 without a budget.
 */
struct capture_cost {
	double spent, metered;	/* ns since the start */
	enum rec_level level;
	bool off;		/* in a slice of time without probes */
};
struct capture_cost capture_cost(const struct capture *cap);
const char *capture_method(const struct capture *cap);
/*
 * Returns the time at which the kernel's OOM killer chose the program, now_ns(); 0: it has not, or
 * the kernel did not say so.
 */
uint64_t capture_oom_time(const struct capture *cap);
/* Does the kernel say so? */
bool capture_watches_oom(const struct capture *cap);
/*
 * Returns the state of --attach inline; NULL if the plan is not for it. The state is final once the
 * last chunk was taken.
 */
const struct inline_status *capture_inline(const struct capture *cap);
/*
 * Returns the counts of records that gotap refused in the memory that the target shares with
 * --attach inline; final once the last chunk was taken.
 */
const struct foreign *capture_foreign(const struct capture *cap);
/* Joins the drain thread and frees all. Accepts NULL. */
void capture_free(struct capture *cap);

#endif
