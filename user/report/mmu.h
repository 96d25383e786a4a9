/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mmu: minimum mutator utilisation: the smallest share of its Ps that the program had in any window
 * of a given length, where the GC had the rest. The same curve as /mmu of `go tool trace` (Go
 * 1.27), except for two errors of that tool (docs/report.md).
 *
 * Computed from a stream: the changes of the last second are kept, up to a limit. If there are more
 * changes, the longer windows are not known.
 */
#ifndef GOTAP_REPORT_MMU_H
#define GOTAP_REPORT_MMU_H

#include <stdbool.h>
#include <stdint.h>

#include "read/v2_event.h"

/*
 * MMU_PAUSES: the GC has the Ps of a stopped world and of mark assists. MMU_ALL: also the Ps of
 * background mark workers.
 */
enum mmu_kind { MMU_PAUSES, MMU_ALL, MMU_KINDS };
enum { MMU_WINDOWS = 5 };
extern const int64_t mmu_lengths[MMU_WINDOWS];	/* 100 us, 1, 10, 100 ms, 1 s */

struct mmu_window {
	bool known;
	/* the trace is not longer than the window, so the window is the whole trace */
	bool whole;
	double min;		/* 0 to 1 */
	int64_t at;		/* begin of the window with the minimum */
};

struct mmu_curve {
	bool known;		/* the trace has GOMAXPROCS */
	double mean;		/* of the whole trace */
	struct mmu_window windows[MMU_WINDOWS];
};

struct mmu;

struct mmu *mmu_new(void);
/* Frees @m, which may be NULL. */
void mmu_free(struct mmu *m);
/* Must @ev be passed to mmu_event()? */
bool mmu_wants(const struct mmu *m, const struct trace_event *ev);
/*
 * Takes an event for which mmu_wants() is true; events come in order. @text: the label of GoLabel,
 * the reason of STWBegin and STWEnd; NULL for others. @executes: for GCMarkAssistActive: is its
 * goroutine running, or in a system call?
 */
void mmu_event(struct mmu *m, const struct trace_event *ev, const char *text, bool executes);
void mmu_end(struct mmu *m, int64_t time);
/* To be called after mmu_end(). */
const struct mmu_curve *mmu_curve(const struct mmu *m, enum mmu_kind kind);

#endif
