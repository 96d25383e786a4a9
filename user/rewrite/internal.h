/* SPDX-License-Identifier: Apache-2.0 */
/* internal: what the parts of a rewrite share. */
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
	/* some generation has been written: the open one is not the first */
	bool later;
	bool at_fault;		/* the last trace_reader_next() returned a fault */
	bool resumed;		/* something is missing before the next generation */
	int64_t start;		/* time of the first event */
	uint64_t began;		/* time at which writing began */
	size_t before;		/* events written before the open generation */
	size_t stated;		/* events at its begin that say how everything is */
	size_t loose;		/* its samples and batches of experiments */
	size_t all_stated;	/* events that state something, of all generations */
	struct trace_clock clock;	/* the last one of the original */
	uint64_t gc_seq;
	bool gc_open, gc_known;	/* what the written trace says of the collector */
	uint64_t procs;		/* last GOMAXPROCS, 0 unknown */
	struct strset *texts;	/* names, and stacks (stackkeys.h) */
	struct map64 seen;	/* those of the goroutines asked for that are in what was written */
	struct map64 stack_keys;	/* stack id of the open generation -> key */
	struct map64 tasks;	/* those that are open in what was written */
	struct rewrite_result *result;
	struct error *err;
};

/* Something is missing before the generation that has just begun: steps lead to its states. */
void rewrite_resume(struct rewrite *c);

/*
 * Ends the stop-the-world ranges that are open. A reader finds the reason of one at its end,
 * by the id that it had at its begin, which means another string in the next generation.
 */
void rewrite_end_stops(struct rewrite *c);

/* Takes one event: 0, or -errno with c->err set. */
int rewrite_event(struct rewrite *c, const struct trace_event *ev);

/* The event was kept: 1; it has no place in the result: 0; else -errno with c->err set. */
typedef int rewrite_step(struct rewrite *c, const struct trace_event *ev);

rewrite_step rewrite_go_status, rewrite_go_create, rewrite_go_create_syscall;
rewrite_step rewrite_go_destroy_syscall, rewrite_go_start, rewrite_go_stop, rewrite_go_destroy;
rewrite_step rewrite_go_unblock, rewrite_syscall_begin, rewrite_syscall_end;
rewrite_step rewrite_syscall_end_blocked;
rewrite_step rewrite_region_begin, rewrite_region_end, rewrite_task_begin, rewrite_task_end;

/*
 * Is it about a P with the number of no P? Readers accept such an event (Go 1.27,
 * internal/trace/order.go), but the thread that starts this P has none then.
 */
bool rewrite_is_of_no_p(const struct trace_event *ev);
/* Goroutine @id was asked for: is it in what is written? */
void rewrite_see(struct rewrite *c, uint64_t id);

/* --- subjects of events (subject.c) --- */

/* Does the written trace have goroutine @g? */
bool rewrite_wanted(const struct rewrite *c, uint64_t g);
/* The event's own goroutine if it is wanted and runs, else NULL. */
struct sim_g *rewrite_own(struct rewrite *c, const struct trace_event *ev);
/* The goroutine that the event names first if it is wanted, else NULL. */
struct sim_g *rewrite_named(struct rewrite *c, const struct trace_event *ev);
/* The event's thread, NULL if it has none. */
struct sim_m *rewrite_thread(struct rewrite *c, const struct trace_event *ev);

/* --- names (names.c) --- */

/* Id in the written generation; 0 while nothing is written. */
uint64_t rewrite_string(struct rewrite *c, uint64_t id);
uint64_t rewrite_stack(struct rewrite *c, uint64_t id);
/* Key of a stack that outlives its generation (stackkeys.h), 0 for none. */
uint64_t rewrite_stack_key(struct rewrite *c, uint64_t id);
/* Forgets all but what the goroutines that live will need; no generation is open. */
void rewrite_drop_names(struct rewrite *c);

#endif
