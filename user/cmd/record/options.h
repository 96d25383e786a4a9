/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options: the options of `gotap record`, also for the recordings that others begin: `gotap top`,
 * and --follow (cmd/follow), which starts a gotap for each process.
 */
#ifndef GOTAP_CMD_RECORD_OPTIONS_H
#define GOTAP_CMD_RECORD_OPTIONS_H

#include <stdbool.h>

#include "base/vec.h"
#include "capture/capture.h"
#include "cmd/options.h"
#include "cmd/pick.h"
#include "cmd/record/flight.h"
#include "plan/regions.h"
#include "symbol/symbol.h"

struct record_options {
	struct pick pick;
	char **command;
	const char *program;	/* name of the one to record, NULL: the first Go program */
	double seconds;		/* 0: until stopped */
	const char *output;
	const char *spool, *perfetto, *tables;	/* NULL: none; tables: a folder */
	int version;
	unsigned int groups;
	const char *regions[REGION_PATTERNS_MOST];	/* of --region */
	size_t nregions;
	bool region_args;
	/* adds observers of the recording, for who shows it while it goes on; NULL: none */
	void (*observe)(void *ctx, struct observers *to);
	void *observe_ctx;
	unsigned long object_min;	/* 0: not given */
	enum symbol_source symbols;
	int assume_minor;	/* 0: what the program says */
	struct capture_opts capture;
	bool defer;		/* make the trace when the recording is over */
	uint64_t defer_max;	/* bytes; 0: not given */
	bool json, quiet, verbose, strict;
	bool detach;		/* do not wait for the command after the recording */
	bool report;		/* show what the trace says */
	bool inner_tids, no_notes, no_command;
	bool attach_inline;
	struct flight_args flight;
	/* Several processes, each recorded by a gotap of its own (cmd/follow/follow.h): */
	bool follow, wait;
	const char *name;	/* NULL: none is waited for */
	struct vec pids;	/* pid_t: of each -p */
	unsigned long most;	/* that are recorded at a time */
	struct vec words;	/* char *: the options that each of them gets */
	/* of such a one: socket to the process that holds the program; -1: none */
	int held_by;
	/* socket to the gotap that waits for the begin of this recording; -1: none */
	int tell_begin;
};

/* The options as they are if none is given, also for `gotap top`. */
#define RECORD_OPTIONS_DEFAULT { \
	.version = 25, .groups = groups_default(), .flight = FLIGHT_ARGS_DEFAULT, .held_by = -1, \
	.tell_begin = -1, \
	.capture = { .bpf.stack_depth = 127, .budget = BUDGET_DEFAULT } \
}

/* The options of `gotap record` that `gotap top` has, too, for a table of struct record_options. */
extern const struct option_row record_probe_rows[];

static inline bool record_follows(const struct record_options *o)
{
	return o->follow || o->name || o->pids.len > 1;
}

/*
 * follow_options.c: with --follow and --name keeps the option of @row, with its argument, for the
 * recorders, if the option is meant for them.
 */
void record_options_pass_on(struct record_options *o, const struct option_row *row,
			    const char *arg);
/*
 * Likewise checks that the options go together, and sets the default of -o. Returns NULL, or the
 * text of an error.
 */
const char *record_options_check_follow(struct record_options *o);
/* The command line, or --help. 0: go on; else the exit status + 1. */
int record_read_options(struct record_options *o, int argc, char **argv);

#endif
