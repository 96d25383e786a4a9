/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sink_internal: what the parts of the sink share: threads, and a handler for each kind of event.
 */
#ifndef GOTAP_V1WRITE_SINK_INTERNAL_H
#define GOTAP_V1WRITE_SINK_INTERNAL_H

#include "v1write/sink.h"

enum { SINK_RECENT = 64 };

/* A thread, by the events of v2. */
struct v1_m {
	uint64_t id;
	struct v1_p *p;		/* the P that the thread holds; NULL: none */
	uint64_t g;		/* the goroutine that it runs; 0: none */
};

/* A status at the begin of the trace. */
struct v1_status {
	bool of_p;
	uint64_t id, status;
	uint64_t thread;
	uint64_t start;		/* key of the function that it begins with, 0 unknown */
	uint64_t stack;		/* key */
};

struct v1_sink {
	struct v1_writer *w;
	struct v1_steps s;
	struct map64 ms;		/* id -> struct v1_m * */
	struct v1_m *recent[SINK_RECENT];
	/* struct v1_status: the statuses of the beginning, until it is written */
	struct vec statuses;
	uint64_t stated;		/* time of the first one */
	bool began;
	bool whole;
	uint64_t ahead;			/* ticks that the beginning takes, before the first event */
	uint64_t generations, events;
	unsigned int stops;		/* stops of the world that have begun and not ended */
	/* the P where the outermost stop began; NULL: it was left out */
	struct v1_p *stop;
	struct {
		const char *reason;
		unsigned int type;
	} blocks[SINK_RECENT];		/* the constant texts that were met last, by address */
};

typedef void v1_sink_fn(struct v1_sink *v, struct v1_m *m, const struct sink_event *e);

v1_sink_fn sink_procs_change, sink_proc_start, sink_proc_stop, sink_proc_steal, sink_proc_status;
v1_sink_fn sink_go_create, sink_go_create_blocked, sink_go_create_syscall, sink_go_start;
v1_sink_fn sink_go_destroy, sink_go_destroy_syscall, sink_go_stop, sink_go_block, sink_go_unblock;
v1_sink_fn sink_go_syscall_begin, sink_go_syscall_end, sink_go_syscall_end_blocked;
v1_sink_fn sink_go_switch, sink_go_switch_destroy, sink_go_status, sink_go_label;
v1_sink_fn sink_stw_begin, sink_stw_end, sink_gc_active, sink_gc_begin, sink_gc_end;
v1_sink_fn sink_sweep_active, sink_sweep_begin, sink_sweep_end, sink_assist_active;
v1_sink_fn sink_assist_begin, sink_assist_end, sink_heap_alloc, sink_heap_goal;
v1_sink_fn sink_task_begin, sink_task_end, sink_region_begin, sink_region_end, sink_log;

/* Writes the beginning; the number of Ps comes from @procs if it is not 0. */
void sink_begin(struct v1_sink *v, uint64_t procs);

/* sink_thread.c: returns the thread @id, and adds it if it is new. */
struct v1_m *sink_thread(struct v1_sink *v, uint64_t id);
/* Returns the P that gets the events of @m. */
struct v1_p *sink_place(struct v1_sink *v, const struct v1_m *m);
uint64_t sink_stack(struct v1_sink *v, struct v1_m *m, uint64_t key);
struct v1_text sink_words(uint64_t arg);

#endif
