/* SPDX-License-Identifier: Apache-2.0 */
/* record: what the files of `gotap record` share: what it records, and into which files. */
#ifndef GOTAP_CMD_RECORD_RECORD_H
#define GOTAP_CMD_RECORD_RECORD_H

#include "base/error.h"
#include "base/vec.h"
#include "capture/capture.h"
#include "cmd/record/options.h"
#include "files/beside.h"
#include "files/output.h"
#include "files/thread_file.h"
#include "live/module.h"
#include "live/process.h"
#include "plan/plan.h"
#include "symbol/symbol.h"
#include "target/alloc_type.h"
#include "target/gobin.h"

/* The process that is recorded. */
struct target {
	struct process proc;
	struct gobin *bin;
	struct vec plugins;	/* struct plugin */
	struct plan plan;
	struct symbolizer *symbols;
	struct alloc_types types;	/* of sampled allocations */
	struct capture_info info;
	size_t goroutines_fit;	/* the most that target_goroutines_fit() has found */
	uint64_t fit_looked;	/* ns */
};

#define TARGET_CLOSED { .proc = PROCESS_CLOSED }

/* The files that it is recorded into; all but the trace are closed if none is wanted. */
struct record_files {
	struct output trace, spool, perfetto;
	struct thread_file threads;
};

/* The file that is made: the Go trace, or the Perfetto trace without one. */
static inline const struct output *record_main_file(const struct record_options *o,
						    const struct record_files *f)
{
	return beside_alone(o->output, o->perfetto) ? &f->perfetto : &f->trace;
}

/* Records the process that @o picks or launches. Returns the exit status. */
int record_run(const struct record_options *o);
/* session.c: the budget of the probes if none is given. */
double record_default_budget(const struct process *p);
/* Why a recording ended by itself; NULL: it was stopped by the user. */
const char *record_end_text(const struct capture *capture);

/* The exit status of gotap's own failure. */
int record_failure(const struct record_options *o);

/* session.c: records @t into @files and reports. Returns the exit status. */
int session_record(const struct record_options *o, struct target *t, struct record_files *files,
		   struct error *err);

/*
 * Opens the process that was picked, or runs the command, whose output keeps out of
 * the traces, and holds it at its Go program. -ECHILD: it has ended without one.
 * target_close() in any case.
 */
int target_open(struct target *t, const struct record_options *o, const struct record_files *files,
		struct error *err);
/* Returns @r, or the error that the process has ended or exec'ed if @r is a consequence of that. */
int target_fault(struct target *t, int r, struct error *err);
void target_close(struct target *t);
/*
 * Returns how many goroutines the target has or had memory for, as far as that was looked at. Each
 * has a stack of 2048 bytes at least (runtime: stackMin, Go 1.4 and later), which the runtime has
 * written to (newproc1), in anonymous memory. @target: a struct target.
 */
size_t target_goroutines_fit(void *target);
/*
 * To be called often while the program is recorded: looks each 100 ms. The trace may be made later,
 * when the program has given its memory back, or has ended.
 */
void target_look_at_memory(struct target *t);

#endif
