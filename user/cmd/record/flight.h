/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flight: `gotap record --flight`: its options (flight_options.c), and what ties a flight recording
 * (user/flight) to the assembler, the signal SIGUSR1, the socket and the terminal (flight_record.c).
 * record.c calls it.
 */
#ifndef GOTAP_CMD_RECORD_FLIGHT_H
#define GOTAP_CMD_RECORD_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "flight/flight.h"
#include "cmd/record/on.h"
#include "flight/socket.h"
#include "assemble/assembler.h"

struct flight_args {
	double time;		/* s; 0: no --flight */
	uint64_t size;
	double before, after, cooldown;	/* s; negative: not given */
	unsigned long keep;
	uint64_t keep_bytes;
	const char *exec, *socket;	/* NULL: not given */
	struct on_list on;
	const char *only;	/* the first given option that needs --flight; NULL: none */
	const char *pattern;	/* -o */
};

#define FLIGHT_ARGS_DEFAULT \
	{ .size = 256 << 20, .before = -1, .cooldown = 10, .keep = 32, .keep_bytes = 4ULL << 30 }

/* Numbers of the long options, and their rows in a table of getopt_long(). */
enum { FLIGHT_FIRST = 2048, FLIGHT_TIME = FLIGHT_FIRST, FLIGHT_BEFORE, FLIGHT_AFTER, FLIGHT_COOLDOWN, FLIGHT_KEEP,
       FLIGHT_KEEP_BYTES, FLIGHT_EXEC, FLIGHT_SOCKET, FLIGHT_ON, FLIGHT_END };

#define FLIGHT_LONG_OPTIONS \
	{ "flight", required_argument, NULL, FLIGHT_TIME }, \
	{ "before", required_argument, NULL, FLIGHT_BEFORE }, \
	{ "after", required_argument, NULL, FLIGHT_AFTER }, \
	{ "cooldown", required_argument, NULL, FLIGHT_COOLDOWN }, \
	{ "keep", required_argument, NULL, FLIGHT_KEEP }, \
	{ "keep-bytes", required_argument, NULL, FLIGHT_KEEP_BYTES }, \
	{ "exec", required_argument, NULL, FLIGHT_EXEC }, \
	{ "socket", required_argument, NULL, FLIGHT_SOCKET }, \
	{ "on", required_argument, NULL, FLIGHT_ON }

#define FLIGHT_HELP \
	"      --flight TIME[,SIZE]  keep the last TIME in memory, in at most SIZE (default 256M),\n" \
	"                        and write it when something happens: SIGUSR1 to gotap, `gotap snap`\n" \
	"                        (docs/flight.md). -o is a pattern then: %p is the process id, %t the\n" \
	"                        time, %n the number of the snapshot, which it needs; %e the program\n" \
	"                        (default gotap-%p-%t-%n.trace)\n" \
	"      --on TRIGGER      write a snapshot also when TRIGGER becomes true; can be given several\n" \
	"                        times; --on help lists triggers (docs/triggers.md)\n" \
	"      --before TIME     a snapshot begins TIME before that moment (default: all that is kept)\n" \
	"      --after TIME      and ends TIME after it (default 0)\n" \
	"      --cooldown TIME   for TIME after a snapshot triggers write no other one (default 10s)\n" \
	"      --keep N          delete the oldest snapshots beyond N (default 32; 0: keep all)\n" \
	"      --keep-bytes SIZE also delete the oldest while all together have more than SIZE bytes\n" \
	"                        (default 4G; 0: no limit)\n" \
	"      --exec CMD        after each snapshot the shell runs CMD, with its name as last argument\n" \
	"      --socket PATH     listen at PATH for `gotap snap --socket PATH` (default: a name by\n" \
	"                        process id)\n"

/* Applies option @c. Returns NULL, or the text of what is wrong with its argument. */
const char *flight_option(struct flight_args *a, int c, const char *arg);

/* --- the recording --- */

struct flight_recording {
	struct flight_opts opts;
	struct flight *flight;	/* NULL: there is none */
	struct flight_socket *socket;
	struct triggers *triggers;	/* NULL: there is no --on */
	struct assembler *assembler;
	struct flight_counts counts;	/* when it is finished */
	bool quiet;
};

/* After capture_start(), which gives up capabilities; @info stays the caller's, and in use. */
int flight_recording_start(struct flight_recording *r, const struct flight_args *a,
			   const struct capture_info *info, bool quiet, struct error *err);
/* Sets those of the assembler's options that it needs. */
void flight_recording_opts(struct flight_recording *r, struct assembler_opts *opts);
/* After assembler_new(). */
void flight_recording_assembler(struct flight_recording *r, struct assembler *a);
/* To be called after each chunk: puts notes into the trace, looks for signals, and ends a generation that a snapshot waits for. */
int flight_recording_step(struct flight_recording *r, struct error *err);
/* To be called before the end of the trace: puts the notes into it that are still missing. */
void flight_recording_last(struct flight_recording *r);
/*
 * To be called when the trace is complete: writes the snapshots that are waited for. @ended: the program, if the recording ended
 * because the program did; else NULL.
 */
void flight_recording_finish(struct flight_recording *r, struct process *ended);
void flight_recording_free(struct flight_recording *r);

#endif
