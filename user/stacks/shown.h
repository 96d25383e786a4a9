/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown: what a dump of the runtime shows of a goroutine: the name of its state, which frames, who
 * created it, and whether it is one of the runtime's own (runtime/traceback.go: goroutineheader,
 * showframe, printcreatedby, isSystemGoroutine, with GOTRACEBACK as it is by default). The printers
 * of `gotap stacks` ask.
 */
#ifndef GOTAP_STACKS_SHOWN_H
#define GOTAP_STACKS_SHOWN_H

#include "stacks/goroutines.h"

struct shown_frame {
	const char *func, *file;	/* live as long as the names of the process */
	uint32_t line;
	bool inlined;			/* into the next one */
	bool after_gap;			/* frames in front of it were left out (struct unwound) */
	uint64_t pc;			/* where the function goes on */
	uint64_t offset;		/* of that from the function's begin; 0 for inlined ones */
};

enum { SHOWN_STATE = 64 };

/* "chan receive", "runnable"... */
const char *shown_state(int minor, const struct goroutine *g, char ret[SHOWN_STATE]);
bool shown_is_system(struct goroutines *gs, int minor, const struct goroutine *g);

enum shown_which {
	SHOWN_AS_DUMPED,	/* no functions of the runtime, unless there are no others */
	/* as in a goroutine profile: no functions of the runtime at the leaf */
	SHOWN_AS_PROFILED,
	SHOWN_ALL,
};

/* The frames of a stack, at most @max; every stack fits into SHOWN_MAX. */
enum { SHOWN_MAX = 8 * UNWIND_MAX };
size_t shown_frames(struct goroutines *gs, uint32_t stack, enum shown_which which,
		    struct shown_frame *ret, size_t max);
/*
 * Where the goroutine was created; false if a dump does not say so: of the first one, or the
 * runtime did it.
 */
bool shown_creator(struct goroutines *gs, const struct goroutine *g, struct shown_frame *ret);

#endif
