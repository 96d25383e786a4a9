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
#include "why/instances.h"

enum {
	UNITS_MOST = 3,		/* units that are chosen, beside the trigger of a snapshot */
	UNITS_ROUTES = 32,	/* routes that units_choose_routes() chooses */
	UNIT_LISTS = 512,	/* candidates; further ones are not counted */
	UNIT_KEPT = 1024,	/* instances of a candidate that are kept, evenly */
	UNIT_SLOWEST = 32,	/* and its slowest ones */
	UNIT_CAUSES = 64,	/* causes of a unit that are kept; the others are unattributed */
};

enum unit_kind {
	UNIT_TASK,
	UNIT_REGION,
	UNIT_GOROUTINE,		/* lives of goroutines that began and ended in the trace */
	UNIT_REQUEST,		/* rounds of a connection of a server of the standard library */
	UNIT_ROUND,		/* from the end of a wait for work to the begin of the next one */
	UNIT_CYCLE,		/* from the end of a wait to the end of the next one at its place */
	UNIT_LIFE,		/* goroutines of which the trace lacks the begin or the end */
	UNIT_TRIGGER,		/* the interval for which a snapshot was written; it comes first */
	UNIT_KINDS,
};

/* A part of the time of a unit that has one explanation. */
struct unit_cause {
	double share;		/* of the time of the unit */
	double slow;		/* ns of a slow instance, minus those of the others */
	uint64_t key;		/* equal for the same cause in another trace: without its line */
	int64_t path_ns;	/* of all paths together: exactly what `gotap why` says of them */
	struct buf text;	/* "asleep in time.Sleep at main.f (x.go:7)"; not escaped */
	uint8_t kind;		/* enum step_kind (why/path.h) */
	bool deep;		/* another goroutine than that of the unit spent the time */
	/* where the time was spent, and where the unit waited meanwhile; NULL: not known */
	const struct stack_frame *at, *waits_at;
	const char *root;	/* the function with which the goroutine of @at began */
	/* number of the finding that explains the cause, from 1 on (explain.h); 0: none does */
	size_t finding;
	/* the place that explains the time; "", 0: not known */
	const char *function, *file;
	uint64_t line;
};

struct why_group;
struct path;
struct walked;

/* Standard errors of numbers of a unit (errors.h): per second, ns; INFINITY: not known. */
struct unit_errors {
	double rate, mean, p50, p90, p99;
};

struct unit {
	enum unit_kind kind;
	const char *name;	/* of the type, or of the function; valid as long as the spans */
	const char *root;	/* the function with which its goroutines began; "": not known */
	uint64_t n;		/* instances */
	int64_t ns;		/* their time */
	struct dist dist;	/* their durations */
	struct unit_errors errors;
	double seconds;		/* length of the trace */
	double spread;		/* part of the trace from the first instance to the last one */
	/* two (why/group.h): instances up to the 99th percentile, and the slowest ones */
	struct why_group *groups;
	struct unit_cause causes[UNIT_CAUSES];
	size_t ncauses;		/* the largest first */
	/* the slowest instance: @slowest_g is its goroutine, where its path begins */
	struct instance slowest;
	uint64_t slowest_g;
	struct path *slowest_path;	/* without steps */
	/* only after units_walk(): the instances that are known, by begin, and paths of some */
	struct vec instances;	/* struct instance */
	struct walked *walked;	/* walked.h */
	size_t nwalked;
	const struct unit_snapshot *snapshot;	/* of UNIT_TRIGGER */
	/* of its time: not recorded, or not known, or of a cause beyond UNIT_CAUSES */
	double unattributed;
};

struct units;
struct sides;
struct finding;
struct unit_snapshot;
struct unit_samples;

struct labelled;

struct units *units_new(void);
/* Frees @u, which may be NULL. */
void units_free(struct units *u);
/*
 * Adds the visitor of the first reading to @s, which must outlive @u: names of units are texts of
 * @s.
 */
void units_collect(struct units *u, struct spans *s);
/* After units_collect(): tasks with that label alone, for units_choose_routes(). */
void units_label(struct units *u, const struct labelled *l);
/*
 * After units_collect(): the trace is the snapshot of that trigger, as --on names it, and its fact
 * was at that time, ns.
 */
void units_expect(struct units *u, const char *trigger, int64_t time);
/* To be called when the first reading has ended: removes the visitor. */
void units_collected(struct units *u);
/*
 * To be called before units_choose(): the units will have @instances and @walked, for who draws
 * them.
 */
void units_walk(struct units *u);
/*
 * After the first reading: returns the number of units that the second reading explains. @name: the
 * function, or the type of tasks or regions, whose instances are the first unit; NULL: any. Returns
 * 0 also if the trace has no instance of @name.
 */
size_t units_choose(struct units *u, const char *name);
/*
 * The same for the routes of requests that the program serves (read/http.h): those on which it
 * spent most time, the first one first.
 */
size_t units_choose_routes(struct units *u);
/*
 * After the first readings of two traces with the same spans: chooses the one unit of work that
 * both have, which is the first one of the first trace, or of the second one. False: they have none
 * in common.
 */
bool units_choose_common(struct units *a, struct units *b);
/*
 * Returns the spans of the second reading. A file of threads (oncpu/) is opened with them, and
 * given to units_read().
 */
struct spans *units_spans(struct units *u);
/*
 * To be called between the choice and units_read(): traces of other processes, which are read
 * beside, and in which the paths go on (why/sides.h). The readers are the caller's.
 */
void units_beside(struct units *u, struct trace_reader *const *readers, size_t n);
/*
 * The second reading: @r gives the same trace from its begin. @o may be NULL. Returns 0 or -errno
 * and @err; then the units have numbers, and no causes.
 */
int units_read(struct units *u, struct trace_reader *r, struct oncpu *o, struct error *err);
size_t units_count(const struct units *u);
const struct unit *units_at(const struct units *u, size_t i);
/*
 * Where the instances of a unit begin and end, for those who look for them in the events of the
 * same trace (whatif/rounds.c).
 */
struct unit_spot {
	enum unit_kind kind;
	const char *root;	/* the function with which the goroutines began, or the type */
	const char *handler;	/* of requests; NULL: any */
	uint32_t at;		/* of rounds: what units_line_at() returns for their wait */
};

/* UNIT_TRIGGER has a root alone. */
struct unit_spot units_spot(const struct units *u, size_t i);
/* Returns the number of the line at which @stack waits; 0: none. */
uint32_t units_line_at(struct units *u, uint32_t stack);
/* Returns the function of the program that names the work in @stack; NULL: there is none. */
const char *units_handler_at(struct units *u, uint32_t stack);
/*
 * Says which causes of the units the findings of the same trace explain: @list of struct finding.
 * Each cause belongs to one finding at most, the first one that explains it.
 */
void units_explain(struct units *u, const struct vec *list);
/* Returns the part of the unit's time that finding number @finding explains, from 1 on. */
double unit_found(const struct unit *u, size_t finding);
/* After units_walk(): the path that has the causes of @walked. */
struct path *units_walked(struct units *u);
/* The stacks of the paths, and the begin of the trace. */
struct stack_set *units_stacks(const struct units *u);
int64_t units_begin(const struct units *u);
/* Returns the trigger of a snapshot, also if it is no unit; its @said is NULL: there is none. */
const struct unit_snapshot *units_snapshot(const struct units *u);
/* The CPU samples of the first reading (samples.h). */
const struct unit_samples *units_samples(const struct units *u);

/* Returns the name of a kind in JSON: "task", "goroutine", ... */
const char *unit_kind_name(enum unit_kind kind);
/* Appends its name: "rounds of main.work". */
void unit_put_name(const struct unit *u, struct buf *text);
/* Appends the sentence of a unit: its name, rate, quantiles, and the composition of its time. */
void unit_put_sentence(const struct unit *u, struct buf *text);
/*
 * Returns the part of the unit's time that the causes in that sentence have, 0 to 1, without those
 * that a finding explains.
 */
double unit_said(const struct unit *u);
/* Returns the part that neither the sentence nor a finding has. */
double unit_rest(const struct unit *u);
/* Appends the rest in words: "3.1 % has other causes, 2 % of it unattributed". */
void unit_put_rest(const struct unit *u, struct buf *text);
/* Does the unit run, while the trace has no CPU sample of the goroutines that run for it? */
bool unit_lacks_samples(const struct unit *u, const struct unit_samples *samples);
/*
 * Appends the functions that the CPU samples show in the running part of the unit, or that there
 * are none; nothing if little of the unit's time is running.
 */
void unit_put_samples(const struct unit *u, const struct unit_samples *samples, struct buf *text);
/* Appends how the slowest instances differ from the others; nothing if they do not. */
void unit_put_slow(const struct unit *u, struct buf *text);
/* Appends both, the sentence of the unit and the one about its slowest instances. */
void unit_put_text(const struct unit *u, struct buf *text);

#endif
