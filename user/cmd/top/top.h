/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top: what the files of `gotap top` share. top.c has the session, options.c the command line,
 * machine.c the numbers that are not from events, units.c the units of work, show.c samples and
 * keys, snapshot.c the key s, terminal.c the terminal.
 */
#ifndef GOTAP_CMD_TOP_TOP_H
#define GOTAP_CMD_TOP_TOP_H

#include "cmd/record/record.h"
#include "flight/flight.h"
#include "proc/cgroup_cpu.h"
#include "assemble/assembler.h"
#include "top/tally.h"
#include "top/ui.h"
#include "unit/live.h"

struct top_options {
	struct record_options record;	/* the process and the probes */
	double interval;		/* s */
	unsigned long count;		/* of intervals, 0: no end */
	bool once, json, brief;
	enum group_by by;
	const char *label;		/* of --by label:KEY */
	const char *sort_name;		/* NULL: not given */
	enum column sort;
	bool reverse;
	const char *filter;
	double flight;			/* s that a snapshot has */
	const char *pattern;		/* of snapshots */
};

/* 0: go on; else the exit status + 1. */
int top_read_options(struct top_options *o, int argc, char **argv);

/* --- machine.c --- */

/* CPU seconds per second. */
struct top_rates {
	/* when and how much it was last, ns; of the program, of gotap; 0: not yet */
	uint64_t time, cpu, own;
	double of_program, of_gotap;	/* < 0: not known */
};

/*
 * Sets the rates since the last call, from the clock @time and the CPU times @cpu (program) and
 * @own (gotap), all in ns. Less than 10 ms after the last call the rates stay as they are, since
 * those of so short a time would be noise: several intervals may end at once after a time without
 * records.
 */
void top_rates_read(struct top_rates *r, uint64_t time, uint64_t cpu, uint64_t own);

struct top_meter {
	const struct process *proc;
	const struct capture *capture;
	double ceiling;			/* of the budget, ns per second */
	struct cgroup_mounts mounts;
	struct top_rates rates;
	double spent, metered, of_probes;	/* of_probes < 0: not measured yet */
	struct cgroup_cpu levels[CGROUP_LEVELS];
	size_t n_levels;
	uint64_t records, lost, repairs;
};

/*
 * Begins to measure @p, which is recorded by @c; @ceiling: the limit of the budget, ns per
 * second, 0: none. @p and @c outlive it.
 */
void top_meter_begin(struct top_meter *m, const struct process *p, const struct capture *c,
		     double ceiling);
/* Fills *@ret with the numbers of the time since the last call. */
void top_meter_read(struct top_meter *m, struct assembler *a, struct top_machine *ret);
void top_meter_free(struct top_meter *m);

/* --- units.c --- */

/* Sets those of the assembler's options that @units, which outlives it, needs. */
void top_units_opts(struct unit_live *units, struct assembler_opts *opts);
/* Fills *@ret, which is empty, with the units that are known now. */
void top_units_read(struct unit_live *units, struct top_units *ret);

/* --- snapshot.c --- */

struct top_snapshots;

/* After capture_start(). @info outlives it. */
int top_snapshots_start(struct top_snapshots **ret, const struct top_options *o,
			const struct capture_info *info, struct error *err);
/* Sets those of the assembler's options that they need. */
void top_snapshots_opts(struct top_snapshots *s, struct assembler_opts *opts);
/* The assembler that was made with these: before its first chunk. */
void top_snapshots_of(struct top_snapshots *s, struct assembler *a);
/*
 * Asks for a snapshot. @text gets a line of at most @n - 1 bytes for the screen; the result comes
 * from top_snapshots_said().
 */
void top_snapshots_ask(struct top_snapshots *s, char *text, size_t n);
/* After each chunk. */
int top_snapshots_step(struct top_snapshots *s, struct error *err);
/* Copies the last message of the flight recording since the last call; false: there was none. */
bool top_snapshots_said(struct top_snapshots *s, char *text, size_t n);
/*
 * Waits until all snapshots that were asked for are written, and prints messages that were not
 * shown on stderr. Accepts NULL.
 */
void top_snapshots_free(struct top_snapshots *s);

#endif
