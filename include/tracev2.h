/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracev2: names and limits of the v2 Go execution trace, from tracev2.def. The facts are from
 * internal/trace/tracev2 and runtime/trace*.go of Go 1.22 to 1.27.
 */
#ifndef GOTAP_TRACEV2_H
#define GOTAP_TRACEV2_H

#include <stdint.h>

enum tracev2_event {
#define EV(number, name, version, class, args, stacks, strings) EV_##name = number,
#include "tracev2.def"
#undef EV
};

enum {
	TRACEV2_HEADER_SIZE = 16,
	TRACEV2_MAX_BATCH = 64 * 1024,	/* bytes of a batch after its header */
	TRACEV2_MAX_FRAMES = 128,	/* frames of one stack */
	TRACEV2_MAX_STRING = 1024,	/* bytes of one string */
	TRACEV2_MAX_ARGS = 5,
};

#define TRACEV2_NO_ID UINT64_MAX	/* "none" for an M, P or G: -1 in the file */
/*
 * In place of a thread of batches of strings that gotap adds ("waits"; trace/waittab.h). Readers
 * use no thread of such batches.
 */
#define TRACEV2_WAITS 0x7761697473ULL

/* Statuses in GoStatus and GoStatusStack. */
enum tracev2_gstatus {
	G_RUNNABLE = 1,
	G_RUNNING = 2,
	G_SYSCALL = 3,
	G_WAITING = 4,
};

/* Statuses in ProcStatus. */
enum tracev2_pstatus {
	P_RUNNING = 1,
	P_IDLE = 2,
	P_SYSCALL = 3,
	P_SYSCALL_ABANDONED = 4,
};

/*
 * For an EV() that makes rows of a table from tracev2.def. TRACEV2_IF_EXPERIMENT(class, row) gives
 * @row if the class of an event is EXPERIMENT, TRACEV2_IF_TIMED(class, row) if it is TIMED, else
 * both give nothing. Tables with a row for each timed event are .def files. The code that
 * includes such a file looks each timed event up in it, so that the build fails where a row is
 * missing ("HAS_ORDER_GoCreate undeclared").
 */
#define TRACEV2_IF_EXPERIMENT(class, ...) TRACEV2_EXPERIMENT_OF_##class(__VA_ARGS__)
#define TRACEV2_EXPERIMENT_OF_EXPERIMENT(...) __VA_ARGS__
#define TRACEV2_EXPERIMENT_OF_FRAMING(...)
#define TRACEV2_EXPERIMENT_OF_STRUCTURAL(...)
#define TRACEV2_EXPERIMENT_OF_TIMED(...)
#define TRACEV2_IF_TIMED(class, ...) TRACEV2_TIMED_OF_##class(__VA_ARGS__)
#define TRACEV2_TIMED_OF_EXPERIMENT(...)
#define TRACEV2_TIMED_OF_FRAMING(...)
#define TRACEV2_TIMED_OF_STRUCTURAL(...)
#define TRACEV2_TIMED_OF_TIMED(...) __VA_ARGS__

#endif
