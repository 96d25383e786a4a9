/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mmu: minimum mutator utilisation: of all windows of a length, the one in which the program had
 * the smallest part of its Ps; the GC had the rest. As /mmu of `go tool trace` (Go 1.27) has it,
 * but for two errors there (docs/report.md).
 *
 * In a stream: the changes of the last second are kept, up to a limit. Where there are more, the
 * longer windows are not known.
 */
#ifndef GOTAP_REPORT_MMU_H
#define GOTAP_REPORT_MMU_H

#include <stdbool.h>
#include <stdint.h>

#include "read/v2_event.h"

/* The GC has: the stopped world and mark assists; background mark workers as well. */
enum mmu_kind { MMU_PAUSES, MMU_ALL, MMU_KINDS };
enum { MMU_WINDOWS = 5 };
extern const int64_t mmu_lengths[MMU_WINDOWS];	/* 100 us, 1, 10, 100 ms, 1 s */

struct mmu_window {
	bool known;
	bool whole;		/* the trace is not longer than the window: it is all of it */
	double min;		/* 0 to 1 */
	int64_t at;		/* where the window begins that has it */
};

struct mmu_curve {
	bool known;		/* the trace said how many Ps there are */
	double mean;		/* of all of the trace */
	struct mmu_window windows[MMU_WINDOWS];
};

struct mmu;

struct mmu *mmu_new(void);
/* Accepts NULL. */
void mmu_free(struct mmu *m);
/* Is the event one that mmu_event() has to see? */
bool mmu_wants(const struct mmu *m, const struct trace_event *ev);
/*
 * Such events in order. @text: the label of GoLabel, the reason of STWBegin and STWEnd; else NULL.
 * @executes: of GCMarkAssistActive, does its goroutine run, or is it in a system call?
 */
void mmu_event(struct mmu *m, const struct trace_event *ev, const char *text, bool executes);
void mmu_end(struct mmu *m, int64_t time);
/* After mmu_end(). */
const struct mmu_curve *mmu_curve(const struct mmu *m, enum mmu_kind kind);

#endif
