/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session: one recording of `gotap record`, from the start of the capture to the report and the
 * exit status. In: a target and open files. The session owns the capture, the assembler, and the
 * writers of the spool, of the Perfetto trace and of traces in old formats. session_start.c starts
 * these, session.c takes chunks of records from the capture until it ends, session_end.c closes the
 * files and prints the report.
 */
#ifndef GOTAP_CMD_RECORD_SESSION_H
#define GOTAP_CMD_RECORD_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "assemble/assembler.h"
#include "cmd/record/deferred.h"
#include "cmd/record/record.h"
#include "cmd/record/report.h"
#include "cmd/record/stops.h"
#include "files/beside.h"
#include "files/old_format.h"

struct session {
	const struct record_options *opts;
	struct target *target;
	struct record_files *files;
	struct capture *capture;
	struct assembler *assembler;
	struct spool_writer *spool;
	struct deferred deferred;
	struct old_format *old;	/* NULL: the trace is a v2 trace */
	struct beside *perfetto;
	uint64_t perfetto_bytes;
	struct flight_recording flight;
	uint64_t begin;		/* ns: when the capture began, then when goroutines had come */
	bool runs;		/* goroutines have come */
	bool progress, stopping;
	uint64_t shown;		/* ns: when progress was shown */
	bool signalled;		/* it is stopping because of a signal */
	bool gave_up;		/* did not wait for the end of the capture */
	struct children children;	/* of the target: -p may name a wrapper */
	struct stops stops;	/* when the program stood still */
	struct cpu_use cpu;	/* of the program and of gotap */
	struct capture_opts capture_opts;	/* with the default budget */
	bool nonsense;		/* the trace is of a program that the plan does not fit */
	bool nothing;		/* Go's runtime did not begin */
};

/* Starts the capture and everything that it feeds. Errors: those of the part that fails. */
int session_start(struct session *s, struct error *err);

/*
 * Returns 0 if the trace has a goroutine, otherwise an error that says why there is none; sets
 * @s->nothing. Called when the capture has ended.
 */
int session_check_began(struct session *s, struct error *err);
/* Closes all files. @failed: an error is known already, and @err is kept. -EIO. */
int session_finish(struct session *s, bool failed, struct error *err);
/* Prints the recording's own report. Returns whether the recording has no flaw (--strict). */
bool session_report(const struct session *s);
/* Writes the tables, and prints the report of --report. */
int session_show_answers(const struct session *s, struct error *err);
/*
 * Prints why a recording with --defer ended early, also with --quiet, and where the raw records are
 * that are not in the trace. @cut: not all raw records are in the trace.
 */
void session_tell_deferred(const struct session *s, bool cut);

#endif
