/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report: what a recording found, lost and repaired, for people and as JSON.
 */
#ifndef GOTAP_CMD_RECORD_REPORT_H
#define GOTAP_CMD_RECORD_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "capture/budget.h"
#include "rings/foreign.h"
#include "attach/inliner.h"
#include "cmd/record/children.h"
#include "cmd/record/cpu_use.h"
#include "cmd/record/deferred.h"
#include "cmd/report/threads.h"
#include "cmd/record/stops.h"
#include "flight/flight.h"
#include "plan/plan.h"
#include "rewrite/convert.h"
#include "assemble/assembler.h"
#include "stream/spool.h"

struct report {
	const struct capture_info *info;
	const struct assembler_result *result;
	int version;		/* of the trace */
	const struct convert_result *old;	/* of a format before Go 1.22; else NULL */
	const struct plan *plan;	/* NULL when assembling from a spool file */
	const char *method;		/* how probes were attached, or NULL */
	const char *ended;		/* why the recording ended, or NULL */
	/* how the program ended, as " (exit status 1)"; NULL or "" unknown */
	const char *exit;
	uint64_t object_min;		/* slots from that size on were recorded; 0: none */
	/* name of the trace file: of the Go trace, or the Perfetto trace alone */
	const char *output;
	const char *perfetto;		/* name of the Perfetto trace; NULL: none */
	uint64_t perfetto_bytes;
	const struct flight_counts *flight;	/* of --flight; NULL: not asked for */
	const struct peers_counts *asked;	/* of --peers; NULL: not asked for */
	const struct on_list *on;		/* of --on, and */
	const struct triggers *triggers;	/* NULL: none */
	const struct inline_status *in_target;	/* of --attach inline; NULL: not asked for */
	const struct foreign *foreign;	/* records that were refused, if in_target; NULL likewise */
	const struct deferred *deferred;	/* of --defer; NULL, or not on: without it */
	const struct budget *budget;	/* of the probes; NULL or without a ceiling: none */
	const struct cpu_use *cpu;	/* NULL: not known, from a spool file */
	const struct children *children;	/* NULL likewise */
	const struct stops *stops;	/* NULL: not known, from a spool file */
	struct thread_report threads;	/* of group linux */
	bool next;			/* the trace is a file, which `gotap report` can read */
	bool verbose;			/* print all counts, too */
};

/* Records lost and repairs made, all kinds. */
uint64_t report_lost(const struct report *r);
uint64_t report_repairs(const struct report *r);
/* Returns the events of the trace, its length in seconds, and the bytes of the file @r->output. */
uint64_t report_events(const struct report *r);
double report_seconds(const struct report *r);
uint64_t report_bytes(const struct report *r);
/* For --strict: there is a trace, and nothing in it was lost, repaired or could not be read. */
bool report_flawless(const struct report *r);
/*
 * The error of --strict, for a recording that is not flawless; @alone: with what the report says
 * of it.
 */
void report_print_flaws(const struct report *r, bool alone, FILE *f);

/*
 * Prints the five lines that there are in any case, of which one counts all that is missing
 * (report_brief.c).
 */
void report_print_brief(const struct report *r, FILE *f);

/* Prints the CPU time that the probes and gotap took (report_cost.c); brief: in one line. */
void report_print_cost(const struct report *r, FILE *f);
void report_print_brief_cost(const struct report *r, FILE *f);
void report_json_cost(const struct report *r, struct json_out *j);

/* Prints which records the budget left out, and when (report_budget.c). */
void report_print_budget(const struct report *r, FILE *f);
/* Prints how to record with less left out, if anything was. */
void report_print_budget_advice(const struct report *r, FILE *f);
void report_json_budget(const struct report *r, struct json_out *j);

/* Prints what --attach inline did to the program (report_inline.c). */
void report_print_inline(const struct report *r, FILE *f);
/* Prints what this or an earlier gotap has left in the program; nothing if there is nothing. */
void report_print_inline_left(const struct report *r, FILE *f);
/* Is anything of gotap's still in the program? @s may be NULL. */
bool report_inline_left(const struct inline_status *s);
void report_json_inline(const struct report *r, struct json_out *j);

/* Prints the calls of --region, and which were not seen (report_regions.c). */
void report_print_regions(const struct report *r, FILE *f);

/*
 * Prints how many allocations were sampled, and which are without events (report_alloc.c). Before
 * the recording: says so if the program samples none.
 */
void report_print_allocs(const struct report *r, FILE *f);
struct target;
void report_say_sampling(const struct target *t, FILE *f);

/* Prints how many snapshots a flight recording wrote (report_flight.c). */
void report_print_flight(const struct report *r, FILE *f);
/* Prints their number in one line. */
void report_print_snapshots(const struct report *r, FILE *f);
void report_json_flight(const struct report *r, struct json_out *j);

/*
 * Prints the report: with @r->verbose all counts, then what the user should do or know, if there is
 * any of that, then the five lines.
 */
void report_print(const struct report *r, FILE *f);
void report_json(const struct report *r, FILE *f);

#endif
