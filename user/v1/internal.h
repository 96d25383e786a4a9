/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal: what the stages of the v1 reader hand to each other. Stages run in
 * this order: load (records to events per P), order (one sequence), clock
 * (ticks to ns, real times of syscall exits), check (consistency and links).
 */
#ifndef GOTAP_V1_INTERNAL_H
#define GOTAP_V1_INTERNAL_H

#include "base/map64.h"
#include "base/strset.h"
#include "base/vec.h"
#include "v1/trace.h"

struct v1_stack {
	size_t first, n;	/* in v1_trace.frames */
};

/* Names by string id until symbolized, then by pointer. */
struct v1_stored_frame {
	uint64_t pc, func, file, line;
};

struct v1_trace {
	struct v1_format format;
	struct v1_cut *cut;	/* NULL: the file must be whole */
	struct vec events;	/* struct v1_event */
	struct strset *texts;
	struct map64 strings;	/* id -> const char * */
	struct vec messages;	/* const char * */
	struct map64 stacks;	/* id -> index in stack_list */
	struct vec stack_list;	/* struct v1_stack */
	struct vec frames;	/* struct v1_stored_frame */
	struct map64 timer_gs;	/* goroutines that run timers */
	uint64_t frequency;	/* ticks per second */
	struct symbolizer *symbolizer;
	bool symbolized;
	size_t goroutines, procs;
};

/*
 * One event before it has its place: the batches of one P are one stream, in
 * file order. @seq is the global sequence number of format 1.5.
 */
struct v1_stream {
	int32_t p;
	struct vec events;	/* uint32_t, indexes in v1_trace.events */
	size_t next;
};

struct v1_streams {
	struct vec list;	/* struct v1_stream */
	struct map64 by_p;
	struct vec seqs;	/* int64_t per event, format 1.5 only */
};

int v1_load(struct v1_trace *t, struct v1_streams *s, const uint8_t *data, size_t n,
	    struct error *err);
void v1_streams_release(struct v1_streams *s);
int v1_order(struct v1_trace *t, struct v1_streams *s, struct error *err);
int v1_clock(struct v1_trace *t, struct error *err);
int v1_check_events(struct v1_trace *t, struct error *err);

/* The stream that CPU samples go to, whatever batch they lie in. */
enum { V1_SAMPLE_STREAM = INT32_MAX };

/* Puts the events into the order of @index (a permutation), which is used up. */
void v1_permute(struct v1_trace *t, uint32_t *index);

static inline struct v1_event *v1_ev(const struct v1_trace *t, size_t i)
{
	return vec_at(&t->events, struct v1_event, i);
}

/* Adds a stack with its frames uninitialized; NULL if @id is 0 or @n is. */
struct v1_stored_frame *v1_stack_add(struct v1_trace *t, uint64_t id, size_t n);

#endif
