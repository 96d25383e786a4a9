/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goroutines: how many goroutines a running program has, for `gotap ps`: those of runtime.allgs
 * that exist, with the runtime's own. Reads one list and the state of each, no stack, and stops
 * nothing.
 */
#ifndef GOTAP_CMD_PS_GOROUTINES_H
#define GOTAP_CMD_PS_GOROUTINES_H

#include <stdint.h>

#include "plan/plan.h"
#include "proc/procfs.h"

/*
 * The part of a plan that is needed. A process without privileges has made it from a file of any
 * user, so it may be wrong: it is used only for addresses to read, and to choose a row of the
 * table of offsets.
 */
struct ps_roots {
	int minor;			/* 0: nothing is known */
	uint16_t machine;		/* e_machine */
	uint64_t entry, allgs, allp, data_start, data_end;
};

/* Takes them from @plan, the plan of @bin. */
struct ps_roots ps_roots_of(const struct plan *plan, const struct gobin *bin);
/* The states that are counted, as `gotap top` names them. */
enum ps_state { PS_RUNNING, PS_RUNNABLE, PS_SYSCALL, PS_WAITING, PS_STATES };

extern const char *const ps_state_names[PS_STATES];

struct ps_goroutines {
	/*
	 * -1: not known: the release is not in the table of offsets, the memory may not be read, or
	 * is not as expected
	 */
	int64_t n;
	uint64_t in[PS_STATES];		/* their sum is @n */
};

struct ps_goroutines ps_goroutines_of(const struct procfs *fs, pid_t pid,
				      const struct ps_roots *roots);

#endif
