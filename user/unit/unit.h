/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit: the unit of work of a program, chosen from a trace, and the composition of its time.
 *
 * A unit is an interval that repeats: a task or region of the program, the life of goroutines that
 * began with one function, a round of a goroutine that comes back to one place to wait for more
 * work. The first reading of a trace counts all candidates (candidates.c), and up to UNITS_MOST of
 * them are chosen (choose.c). The second reading makes the critical paths (why/walk.h) of a sample
 * of their instances, and adds the paths up (units.c). causes.c makes causes and sentences of the
 * sums.
 *
 * 	struct units *u = units_new();
 * 	units_collect(u, spans);		adds a visitor
 * 	spans_read(spans, reader, &err);
 * 	units_collected(u);
 * 	if (units_choose(u))
 * 		units_read(u, reader of the same trace, threads, &err);
 * 	... units_count(u), units_at(u, i) ...
 * 	units_free(u);				before spans_free()
 *
 * Memory: UNIT_LISTS lists of at most UNIT_KEPT instances each, and that of why/.
 */
#ifndef GOTAP_UNIT_UNIT_H
#define GOTAP_UNIT_UNIT_H

#include "base/vec.h"
#include "oncpu/oncpu.h"
#include "report/dist.h"

enum {
	UNITS_MOST = 3,		/* units that are chosen */
	UNIT_LISTS = 512,	/* candidates; further ones are not counted */
	UNIT_KEPT = 1024,	/* instances of a candidate that are kept, evenly */
	UNIT_SLOWEST = 32,	/* and its slowest ones */
	UNIT_CAUSES = 8,	/* causes of a unit that have a sentence */
};

enum unit_kind {
	UNIT_TASK,
	UNIT_REGION,
	UNIT_GOROUTINE,		/* lives of goroutines that began and ended in the trace */
	UNIT_REQUEST,		/* rounds of a connection of a server of the standard library */
	UNIT_ROUND,		/* from the end of a wait for work to the begin of the next one */
	UNIT_CYCLE,		/* from the end of a wait to the end of the next one at its place */
	UNIT_LIFE,		/* goroutines of which the trace lacks the begin or the end */
	UNIT_KINDS,
};

/* A part of the time of a unit that has one explanation. */
struct unit_cause {
	double share;		/* of the time of the unit */
	double slow;		/* ns of a slow instance, minus those of the others */
	struct buf text;	/* "asleep in time.Sleep at main.f (x.go:7)"; not escaped */
	/* the place that explains the time; "", 0: not known */
	const char *function, *file;
	uint64_t line;
};

struct why_group;

struct unit {
	enum unit_kind kind;
	const char *name;	/* of the type, or of the function; valid as long as the spans */
	const char *root;	/* the function with which its goroutines began; "": not known */
	uint64_t n;		/* instances */
	int64_t ns;		/* their time */
	struct dist dist;	/* their durations */
	double seconds;		/* length of the trace */
	double spread;		/* part of the trace from the first instance to the last one */
	/* two (why/group.h): instances up to the 99th percentile, and the slowest ones */
	struct why_group *groups;
	struct unit_cause causes[UNIT_CAUSES];
	size_t ncauses;		/* the largest first */
};

struct units;

struct units *units_new(void);
/* Frees @u, which may be NULL. */
void units_free(struct units *u);
/*
 * Adds the visitor of the first reading to @s, which must outlive @u: names of units are texts of
 * @s.
 */
void units_collect(struct units *u, struct spans *s);
/* To be called when the first reading has ended: removes the visitor. */
void units_collected(struct units *u);
/* After the first reading: returns the number of units that the second reading explains. */
size_t units_choose(struct units *u);
/*
 * Returns the spans of the second reading. A file of threads (oncpu/) is opened with them, and
 * given to units_read().
 */
struct spans *units_spans(struct units *u);
/*
 * The second reading: @r gives the same trace from its begin. @o may be NULL. Returns 0 or -errno
 * and @err; then the units have numbers, and no causes.
 */
int units_read(struct units *u, struct trace_reader *r, struct oncpu *o, struct error *err);
size_t units_count(const struct units *u);
const struct unit *units_at(const struct units *u, size_t i);

/* Returns the name of a kind in JSON: "task", "goroutine", ... */
const char *unit_kind_name(enum unit_kind kind);
/* Appends the sentence of a unit: its name, rate, quantiles, and the composition of its time. */
void unit_put_sentence(const struct unit *u, struct buf *text);
/* Returns the part of the unit's time that the causes in that sentence have, 0 to 1. */
double unit_said(const struct unit *u);
/* Appends how the slowest instances differ from the others; nothing if they do not. */
void unit_put_slow(const struct unit *u, struct buf *text);

#endif
