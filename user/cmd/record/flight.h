/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flight: `gotap record --flight`: its options (flight_options.c), and what ties a flight
 * recording (user/flight) to the assembler, the signal SIGUSR1, the socket and the terminal
 * (flight_record.c). record.c calls it.
 */
#ifndef GOTAP_CMD_RECORD_FLIGHT_H
#define GOTAP_CMD_RECORD_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "flight/flight.h"
#include "flight/peers.h"
#include "cmd/options.h"
#include "cmd/record/on.h"
#include "cmd/record/oom.h"
#include "flight/socket.h"
#include "assemble/assembler.h"

struct flight_args {
	double time;		/* s; 0: no --flight */
	uint64_t size;
	double before, after, cooldown;	/* s; negative: not given */
	unsigned long keep;
	uint64_t keep_bytes;
	const char *exec, *socket;	/* NULL: not given */
	const char *peers, *peer_token;	/* likewise */
	struct on_list on;
	const char *only;	/* the first given option that needs --flight; NULL: none */
	const char *pattern;	/* -o */
};

#define FLIGHT_ARGS_DEFAULT \
	{ .size = 256 << 20, .before = -1, .after = -1, .cooldown = 10, .keep = 32, \
	  .keep_bytes = 4ULL << 30 }

/* For a table of struct flight_args. */
extern const struct option_row flight_rows[];

/* To be called for each option that is given, of whichever table. */
void flight_given(struct flight_args *a, const struct option_row *row);

/* --- the recording --- */

struct flight_recording {
	struct flight_opts opts;
	struct flight *flight;	/* NULL: there is none */
	struct flight_socket *socket;
	struct peers *peers;	/* NULL: there is no --peers */
	struct peers_counts asked;	/* when it is finished */
	struct triggers *triggers;	/* NULL: there is no --on */
	struct assembler *assembler;
	struct oom oom;
	bool out_of_memory;		/* when it is finished: the program was */
	struct flight_counts counts;	/* likewise */
	bool quiet;
};

/* Before capture_start(), while gotap has one thread; @t must outlive @r. */
int flight_recording_begin(struct flight_recording *r, const struct target *t, struct error *err);
/* After capture_start(), which gives up capabilities; @info stays the caller's, and in use. */
int flight_recording_start(struct flight_recording *r, const struct flight_args *a,
			   const struct capture_info *info, bool quiet, struct error *err);
/* Sets those of the assembler's options that it needs. */
void flight_recording_opts(struct flight_recording *r, struct assembler_opts *opts);
/* After assembler_new(). */
void flight_recording_assembler(struct flight_recording *r, struct assembler *a);
/*
 * To be called after each chunk: puts notes into the trace, looks for signals, and ends a
 * generation that a snapshot waits for.
 */
int flight_recording_step(struct flight_recording *r, struct error *err);
/*
 * To be called before the end of the trace: puts the notes into it that are still missing. @ended:
 * the program, if the recording ended because the program did; else NULL. @watched, @victim_at: as
 * oom_end().
 */
void flight_recording_last(struct flight_recording *r, struct process *ended, bool watched,
			   uint64_t victim_at);
/*
 * To be called when the trace is complete: writes the snapshots that are waited for. @ended: as
 * before.
 */
void flight_recording_finish(struct flight_recording *r, struct process *ended);
void flight_recording_free(struct flight_recording *r);

#endif
