/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert_internal: the state of the conversion in addition to the simulated reader's, and the
 * handlers, one per kind of v1 event.
 */
#ifndef GOTAP_V1_CONVERT_INTERNAL_H
#define GOTAP_V1_CONVERT_INTERNAL_H

#include "base/strset.h"
#include "v1/sim.h"

/* The frames of the written trace: one (func, file, line) per PC. */
struct convert_frames {
	const struct v1_trace *t;
	struct map64 by_pc;	/* pc -> key of its frame */
	struct map64 moved;	/* key of a frame -> its PC in the written trace, if changed */
	uint64_t next_pc;
	struct strset *names;	/* names, and keys of frames as bytes */
	size_t cut_names, cut_stacks;	/* longer than v2 allows */
};

void convert_frames_init(struct convert_frames *f, const struct v1_trace *t);
void convert_frames_release(struct convert_frames *f);
/* A trace_frames_fn; @ctx is a struct convert_frames. */
size_t convert_frames_get(void *ctx, uint64_t key, struct trace_frame *out, size_t max);

struct convert {
	const struct v1_trace *t;
	struct sim sim;
	struct convert_frames frames;
	bool starting;		/* before the first Gomaxprocs */
	uint64_t procs;		/* of the last Gomaxprocs */
	uint64_t gc_seq;
	size_t gc_depth;	/* before Go 1.5: collections of several Ps overlap */
	struct sim_g *stw;	/* goroutine that has stopped the world (since 1.10) */
	struct vec held_back;	/* struct sim_g * */
};

/* Returns 1 if the event became steps, 0 if it has no equivalent at this place. */
typedef int convert_fn(struct convert *c, const struct v1_event *ev);

convert_fn convert_gomaxprocs, convert_proc_start, convert_proc_stop;
convert_fn convert_gc_start, convert_gc_done, convert_stw_start, convert_stw_done;
convert_fn convert_sweep_start, convert_sweep_done, convert_assist_start, convert_assist_done;
convert_fn convert_heap_alloc, convert_heap_goal;
convert_fn convert_task_create, convert_task_end, convert_region, convert_log, convert_sample;

convert_fn convert_go_create, convert_go_start, convert_go_end, convert_go_sched;
convert_fn convert_go_block, convert_go_unblock, convert_go_waiting, convert_go_in_syscall;
convert_fn convert_go_syscall, convert_go_sysblock, convert_go_sysexit;

/* For a damaged trace: makes the event's P if the Gomaxprocs that made it is lost. */
void convert_have_proc(struct convert *c, const struct v1_event *ev);

/* Ends the trace's initial part: goroutines that are still held back are runnable. */
void convert_end_start(struct convert *c);

/* --- convert_refs.c --- */

/* The event's P; NULL: none. */
struct sim_p *convert_p(struct convert *c, const struct v1_event *ev);
/* The thread on which the event's goroutine runs, or NULL. */
struct sim_m *convert_user(struct convert *c, const struct v1_event *ev);
uint64_t convert_stack(struct convert *c, uint64_t stack);
/* The id of v1 string @id in the written trace. */
uint64_t convert_string(struct convert *c, uint64_t id);
/* The id of any text in the written trace. A text that is too long is cut, and counted. */
uint64_t convert_text(struct convert *c, const char *text, size_t len);

#endif
