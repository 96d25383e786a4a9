/* SPDX-License-Identifier: Apache-2.0 */
/*
 * func: the parts of `gotap func` (docs/func.md): func.c has the command line and the two
 * readings of a trace, live.c records one and shows the calls meanwhile, text.c and json.c print
 * the answer.
 */
#ifndef GOTAP_CMD_FUNC_FUNC_H
#define GOTAP_CMD_FUNC_FUNC_H

#include <stdbool.h>
#include <stdio.h>

#include "calls/calls.h"
#include "cmd/record/options.h"
#include "read/origin.h"
#include "unit/unit.h"

struct func_options {
	const char *trace;	/* NULL: record a process */
	const char *function;
	const char *output;	/* the trace that is kept; NULL: none */
	bool json;
	unsigned long slowest;
	struct record_options record;
};

/* The answer. */
struct func_shown {
	const struct func_options *options;
	const char *trace;	/* a file that `gotap why` can read; NULL: it is not kept */
	struct calls *calls;
	struct units *units;	/* one of them may be the function with the most time */
	struct origin origin;
	char gone[300];		/* the note that a function lost its probes; "" none did */
	size_t ngone;		/* such notes */
};

void func_text(FILE *f, const struct func_shown *a);
void func_json(FILE *f, const struct func_shown *a);
/* Returns the unit of the function; NULL: its time could not be explained. */
const struct unit *func_unit(const struct func_shown *a, const struct call_function *f);
/* Seconds of the trace. */
double func_seconds(const struct func_shown *a);
/* Prints the quantiles and the histogram of @d. @left: calls that were left without a return. */
void func_put_dist(FILE *f, const struct dist *d, uint64_t left, double seconds);

/* --- live.c --- */

/*
 * Records the process that @o names, with the function as a region, until -d or a signal ends the
 * recording. The trace goes to o->output, or to a file without a name: *@fd, which the caller
 * closes (-1: none). Returns the exit status of the recording.
 */
int func_record(struct func_options *o, int *fd);

#endif
