/* SPDX-License-Identifier: Apache-2.0 */
/* record: what the files of `gotap record` share: its options, and what it records. */
#ifndef GOTAP_CMD_RECORD_RECORD_H
#define GOTAP_CMD_RECORD_RECORD_H

#include <stdbool.h>

#include "base/error.h"
#include "base/vec.h"
#include "capture/capture.h"
#include "live/module.h"
#include "files/beside.h"
#include "cmd/record/flight.h"
#include "files/output.h"
#include "cmd/options.h"
#include "cmd/pick.h"
#include "files/thread_file.h"
#include "stream/spool.h"
#include "symbol/symbol.h"
#include "target/gobin.h"

struct record_options {
	struct pick pick;
	char **command;
	const char *program;	/* name of the one to record, NULL: the first Go program */
	double seconds;		/* 0: until stopped */
	const char *output, *spool, *perfetto;	/* of the last two NULL: none */
	int version;
	unsigned int groups;
	unsigned long object_min;	/* 0: not given */
	enum symbol_source symbols;
	int assume_minor;	/* 0: what the program says */
	struct bpf_opts bpf;
	bool json, quiet, strict;
	bool detach;		/* do not wait for the command after the recording */
	bool report;		/* show what the trace says */
	bool inner_tids, no_notes;
	bool attach_inline;
	struct flight_args flight;
	/* Several processes, each recorded by a gotap of its own (cmd/follow/follow.h): */
	bool follow, wait;
	const char *name;	/* NULL: none is waited for */
	unsigned long most;	/* that are recorded at a time */
	struct vec words;	/* char *: the options that each of them gets */
	/* of such a one: socket to the process that holds the program; -1: none */
	int held_by;
};

/* The options as they are if none is given, also for `gotap top`. */
#define RECORD_OPTIONS_DEFAULT { \
	.version = 25, .groups = groups_default(), .flight = FLIGHT_ARGS_DEFAULT, .held_by = -1, \
	.bpf = { .stack_depth = 127, .budget = BUDGET_DEFAULT } \
}

/* The options of `gotap record` that `gotap top` has, too, for a table of struct record_options. */
extern const struct option_row record_probe_rows[];

static inline bool record_follows(const struct record_options *o)
{
	return o->follow || o->name;
}

/* The process that is recorded. */
struct target {
	struct process proc;
	struct gobin *bin;
	struct vec plugins;	/* struct plugin */
	struct plan plan;
	struct symbolizer *symbols;
	struct capture_info info;
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

/* record.c: the budget of the probes if none is given. */
double record_default_budget(const struct process *p);
/* Why a recording ended by itself; NULL: it was stopped by the user. */
const char *record_end_text(const struct capture *capture);

/* The command line, or --help. 0: go on; else the exit status + 1. */
int record_read_options(struct record_options *o, int argc, char **argv);
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

#endif
