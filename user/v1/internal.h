/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal: what the stages of the v1 reader hand to each other.
 *
 * Events stay in the file's bytes. load goes through the file once and keeps
 * where each batch begins, with the state that its records are decoded from,
 * and the tables. From these order gives one sequence of decoded events, as
 * often as it is asked to; clock gives them their times and puts system call
 * exits where they happened; check applies the rules.
 */
#ifndef GOTAP_V1_INTERNAL_H
#define GOTAP_V1_INTERNAL_H

#include "base/map64.h"
#include "base/strset.h"
#include "base/vec.h"
#include "v1/record.h"
#include "v1/trace.h"

struct v1_stack {
	size_t first, n;	/* in v1_trace.frames */
};

/* Names by string id until symbolized, then by pointer. */
struct v1_stored_frame {
	uint64_t pc, func, file, line;
};

/*
 * Events of one P that follow each other in the file and in order: those of a
 * batch. The state is that before the record at @offset.
 */
struct v1_piece {
	uint64_t offset;
	int64_t ticks, seq;	/* seq: format 1.5 only */
	uint64_t g;
	int64_t p;
	uint32_t n;		/* events that are left */
	uint32_t next;		/* piece of the same stream + 1 */
	bool exit;		/* one GoSysExit of 1.5, whose place is its own */
	bool begun;		/* its first event was given */
	bool damaged;		/* what follows its last event cannot be read */
	int64_t limit;		/* of a damaged one: ticks that its events do not reach */
};

/* All pieces of one P, from 1.7 on. */
struct v1_stream {
	int64_t p;
	uint32_t first, last;	/* pieces + 1 */
};

struct v1_sample {
	int64_t ticks;
	uint64_t offset;
};

/* A GoSysExit that happened before it was written. */
struct v1_exit {
	int64_t time;
	uint64_t offset;
	int64_t p;
	uint32_t ordinal;	/* where it was written */
};

enum { V1_DECLARED = 1, V1_ASSIST_SEEN = 2, V1_IN_ASSIST = 4 };

struct v1_trace {
	struct v1_format format;
	const uint8_t *data;
	size_t size;		/* of the data that can be read */
	struct v1_cut *cut;	/* NULL: the file must be whole; for v1_trace_open_cut() only */
	bool is_cut, resumed;
	struct vec pieces;	/* struct v1_piece, in file order */
	struct vec streams;	/* struct v1_stream, from 1.7 on */
	struct map64 stream_of;	/* P -> index in streams */
	struct vec samples;	/* struct v1_sample, by ticks */
	struct vec exits;	/* struct v1_exit, by time */
	struct buf blocking;	/* a bit per event as written: a GoSysCall that blocks */
	struct buf futile;	/* of a wake-up that led to nothing; empty: there is none */
	bool has_futile;	/* the file has a FutileWakeup */
	size_t events;		/* in the file */
	size_t ordered;		/* that have a place: the others follow what a cut lost */
	size_t count;		/* and keep the rules */
	size_t futile_cut;	/* before 1.11: that are left out of them */
	int64_t first, end;	/* ticks of the first event, ns of the last one */
	struct strset *texts;
	const char *empty;	/* the text of id 0 */
	struct map64 strings;	/* id -> const char * */
	struct map64 stacks;	/* id -> index in stack_list */
	struct vec stack_list;	/* struct v1_stack */
	struct vec frames;	/* struct v1_stored_frame */
	struct map64 starts;	/* formats with bare PCs: start PC -> id of a stack of it */
	struct map64 timer_gs;	/* goroutines that run timers */
	struct map64 before;	/* goroutine -> V1_DECLARED, V1_IN_ASSIST */
	bool has_gomaxprocs;
	uint64_t frequency;	/* ticks per second */
	struct symbolizer *symbolizer;
	bool symbolized;
	size_t goroutines, procs;
};

/* Stands for the goroutine of a P after damage: it is unknown until the next GoStart of the P. */
#define V1_UNKNOWN_G (UINT64_MAX - 2)

int v1_load(struct v1_trace *t, struct error *err);

/* The stream that CPU samples go to, whatever batch they lie in. */
#define V1_SAMPLE_STREAM INT64_MIN

/*
 * Decodes the next event of @piece, with its time in ticks and its goroutine.
 * @r is a reader of the trace's file. False at the end.
 */
bool v1_piece_next(const struct v1_trace *t, struct v1_reader *r, struct v1_piece *piece,
		   struct v1_event *ev);
/* Decodes the event at @offset without what its batch says of it. */
bool v1_event_at(const struct v1_trace *t, struct v1_reader *r, uint64_t offset,
		 struct v1_event *ev);
/* Local variants only save the sequence number on the wire. */
void v1_make_plain(struct v1_event *ev);

/* Which goroutine @ev belongs to, and in @g the one that runs on the P, before and after it. */
void v1_assign_goroutine(uint64_t *g, struct v1_event *ev);

/*
 * Goes through all events in order to see that there is one, and to note what
 * must be known of an event before those in front of it are used.
 */
int v1_clock(struct v1_trace *t, struct error *err);

/* The events with their final times, in order. */
struct v1_sequence;

/* @whole: with futile wake-ups. */
struct v1_sequence *v1_sequence_new(const struct v1_trace *t, bool whole);
/* 1 and the next event, 0 at the end, else -errno. */
int v1_sequence_next(struct v1_sequence *s, struct v1_event *ev, struct error *err);
/* Accepts NULL. */
void v1_sequence_free(struct v1_sequence *s);

/* The rules. */
struct check;

struct check *v1_check_new(const struct v1_trace *t);
int v1_check_event(struct check *c, struct v1_event *ev, struct error *err);
/* Where to put the links from then on: by number of the event, from 1, zeroed. */
void v1_check_links(struct check *c, uint32_t *links);
/* The number of the event that was checked last. */
uint32_t v1_check_number(const struct check *c);
void v1_check_count(const struct check *c, size_t *goroutines, size_t *procs);
/* Accepts NULL. */
void v1_check_free(struct check *c);

/* Ids that no file with bare PCs has, since stack ids there are 32 bits. */
#define V1_START_STACK (1ULL << 62)

/* Adds a stack with its frames uninitialized; NULL if @id is 0 or @n is. */
struct v1_stored_frame *v1_stack_add(struct v1_trace *t, uint64_t id, size_t n);

#endif
