/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown: the parts of a goroutine that a dump of the runtime shows: the name of its state, its
 * frames, its creator, and whether it belongs to the runtime (runtime/traceback.go:
 * goroutineheader, showframe, printcreatedby, isSystemGoroutine, with the default of GOTRACEBACK).
 * The printers of `gotap stacks` call it.
 */
#ifndef GOTAP_STACKS_SHOWN_H
#define GOTAP_STACKS_SHOWN_H

#include "stacks/goroutines.h"

struct shown_frame {
	const char *func, *file;	/* valid as long as the names of the process */
	uint32_t line;
	bool inlined;			/* into the next frame */
	bool after_gap;			/* frames before it were left out (struct unwound) */
	uint64_t pc;			/* where the function goes on */
	/* distance of @pc from the function's begin; 0 for inlined functions */
	uint64_t offset;
};

enum { SHOWN_STATE = 64 };

/* Returns the state as a dump names it: "chan receive", "runnable"... */
const char *shown_state(int minor, const struct goroutine *g, char ret[SHOWN_STATE]);
bool shown_is_system(struct goroutines *gs, int minor, const struct goroutine *g);

enum shown_which {
	/* no functions of the runtime, unless there are no other functions */
	SHOWN_AS_DUMPED,
	/* as in a goroutine profile: no functions of the runtime at the leaf */
	SHOWN_AS_PROFILED,
	SHOWN_ALL,
};

/*
 * Stores the frames of a stack, at most @max; every stack fits into SHOWN_MAX. Returns their
 * number.
 */
enum { SHOWN_MAX = 8 * UNWIND_MAX };
size_t shown_frames(struct goroutines *gs, uint32_t stack, enum shown_which which,
		    struct shown_frame *ret, size_t max);
/*
 * Stores where the goroutine was created; false if a dump does not show it, because it is the first
 * goroutine or the runtime created it.
 */
bool shown_creator(struct goroutines *gs, const struct goroutine *g, struct shown_frame *ret);
/*
 * Returns whether the runtime has found that nothing can end its wait (_Gleaked). Go 1.26 marks a
 * main goroutine in `select {}`, too, which later releases do not: it is not counted.
 */
bool shown_is_leaked(int minor, const struct goroutine *g);

#endif
