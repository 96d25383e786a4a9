/* SPDX-License-Identifier: Apache-2.0 */
/* internal: state and functions that the files of rewrite_trace() share. */
#ifndef GOTAP_REWRITE_INTERNAL_H
#define GOTAP_REWRITE_INTERNAL_H

#include "base/strset.h"
#include "base/vec.h"
#include "rewrite/rewrite.h"
#include "read/v2_reader.h"
#include "v1/sim.h"

struct rewrite {
	const struct rewrite_options *o;
	struct trace_reader *r;
	struct tracefile *tf;
	struct sim sim;
	int version;
	bool started, writing;
	/* a generation has been written: the open one is not the first */
	bool later;
	bool at_fault;		/* the last trace_reader_next() returned a fault */
	bool resumed;		/* events are missing before the next generation */
	int64_t start;		/* time of the first event of the original */
	uint64_t began;		/* time at which writing began */
	size_t before;		/* events written before the open generation */
	size_t stated;		/* statuses and the like at the begin of the open generation */
	size_t loose;		/* its samples and batches of experimental data */
	size_t all_stated;	/* sum of stated over all generations */
	struct trace_clock clock;	/* the last clock of the original */
	uint64_t gc_seq;
	bool gc_open, gc_known;	/* the GC state of the written trace, and whether it is known */
	uint64_t procs;		/* last GOMAXPROCS, 0: not known */
	struct strset *texts;	/* names, and stacks (stackkeys.h) */
	struct map64 seen;	/* the requested goroutines that the written trace has */
	struct map64 stack_keys;	/* stack id of the open generation -> key */
	struct map64 tasks;	/* tasks that are open in the written trace */
	struct rewrite_result *result;
	struct error *err;
};

/*
 * Adds steps from the states before missing events to the states of the generation that has just
 * begun.
 */
void rewrite_resume(struct rewrite *c);

/*
 * Ends the open stop-the-world ranges. A reader looks up the reason at the end of a range by the id
 * from its begin; in the next generation this id may name another string.
 */
void rewrite_end_stops(struct rewrite *c);

/* Handles one event. Returns 0, or -errno with c->err set. */
int rewrite_event(struct rewrite *c, const struct trace_event *ev);

/* Returns 1: the event was kept; 0: the result has no place for it; or -errno with c->err set. */
typedef int rewrite_step(struct rewrite *c, const struct trace_event *ev);

rewrite_step rewrite_go_status, rewrite_go_create, rewrite_go_create_syscall;
rewrite_step rewrite_go_destroy_syscall, rewrite_go_start, rewrite_go_stop, rewrite_go_destroy;
rewrite_step rewrite_go_unblock, rewrite_syscall_begin, rewrite_syscall_end;
rewrite_step rewrite_syscall_end_blocked;
rewrite_step rewrite_region_begin, rewrite_region_end, rewrite_task_begin, rewrite_task_end;

/*
 * True if the event is about a P with the number that means "no P". Readers accept such an event
 * (Go 1.27, internal/trace/order.go), but then the thread that starts this P has none.
 */
bool rewrite_is_of_no_p(const struct trace_event *ev);
/* Notes that the requested goroutine @id is in the written trace. */
void rewrite_see(struct rewrite *c, uint64_t id);

/* --- subjects of events (subject.c) --- */

/* True if goroutine @g is to be written. */
bool rewrite_wanted(const struct rewrite *c, uint64_t g);
/* The goroutine on which the event happened, if it is wanted and runs, else NULL. */
struct sim_g *rewrite_own(struct rewrite *c, const struct trace_event *ev);
/* The goroutine of the event's first argument if it is wanted, else NULL. */
struct sim_g *rewrite_named(struct rewrite *c, const struct trace_event *ev);
/* The event's thread, NULL if it has none. */
struct sim_m *rewrite_thread(struct rewrite *c, const struct trace_event *ev);

/* --- names (names.c) --- */

/* The id of string or stack @id in the written generation; 0 while nothing is written. */
uint64_t rewrite_string(struct rewrite *c, uint64_t id);
uint64_t rewrite_stack(struct rewrite *c, uint64_t id);
/* The key of stack @id, which is valid after the generation (stackkeys.h); 0: none. */
uint64_t rewrite_stack_key(struct rewrite *c, uint64_t id);
/* Frees all names and stacks that live goroutines do not use. Called when no generation is open. */
void rewrite_drop_names(struct rewrite *c);

#endif
