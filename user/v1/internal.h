/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal: types and functions that the stages of the v1 reader share.
 *
 * Events are kept as the bytes of the file. load reads the file once and notes where each batch
 * begins, with the state that its records need for decoding, and the tables. order makes one
 * sequence of decoded events of these, as often as requested; clock sets their times and moves the
 * exits of system calls to the places where they happened; check applies the rules.
 */
#ifndef GOTAP_V1_INTERNAL_H
#define GOTAP_V1_INTERNAL_H

#include "base/map64.h"
#include "base/strset.h"
#include "base/vec.h"
#include "v1/record.h"
#include "v1/trace.h"

struct v1_stack {
	size_t first, n;	/* indices in v1_trace.frames */
};

/* Names are string ids, after v1_trace_symbolize() pointers. */
struct v1_stored_frame {
	uint64_t pc, func, file, line;
};

/*
 * Events of one P that are consecutive in the file and in order: those of a batch. The members are
 * the state before the record at @offset.
 */
struct v1_piece {
	uint64_t offset;
	int64_t ticks, seq;	/* seq: only in format 1.5 */
	uint64_t g;
	int64_t p;
	uint32_t n;		/* number of events that are left */
	uint32_t next;		/* next piece of the stream + 1 */
	/* a single GoSysExit of 1.5, which is not in the order of the file */
	bool exit;
	bool begun;		/* its first event was returned */
	bool damaged;		/* the bytes after its last event cannot be read */
	int64_t limit;		/* for a damaged one: all its events are earlier than these ticks */
};

/* All pieces of one P, from 1.7 on. */
struct v1_stream {
	int64_t p;
	uint32_t first, last;	/* indices of pieces + 1 */
};

struct v1_sample {
	int64_t ticks;
	uint64_t offset;
};

/* A GoSysExit that happened before the time at which it was written. */
struct v1_exit {
	int64_t time;
	uint64_t offset;
	int64_t p;
	uint32_t ordinal;	/* its place in the order of writing */
};

enum { V1_DECLARED = 1, V1_ASSIST_SEEN = 2, V1_IN_ASSIST = 4 };

struct v1_trace {
	struct v1_format format;
	const uint8_t *data;
	size_t size;		/* bytes of data that can be read */
	/* NULL: the file must be undamaged; set by v1_trace_open_cut() only */
	struct v1_cut *cut;
	bool is_cut, resumed;
	struct vec pieces;	/* struct v1_piece, in file order */
	struct vec streams;	/* struct v1_stream, from 1.7 on */
	struct map64 stream_of;	/* P -> index in streams */
	struct vec samples;	/* struct v1_sample, by ticks */
	struct vec exits;	/* struct v1_exit, by time */
	/* a bit per event in the order of writing: a GoSysCall that blocks */
	struct buf blocking;
	struct buf futile;	/* a bit per event: it is one of a futile wake-up; empty: none */
	bool has_futile;	/* the file has a FutileWakeup */
	size_t events;		/* in the file */
	size_t ordered;		/* events that have a place; the others follow lost ones */
	size_t count;		/* events that have a place and keep the rules */
	size_t futile_cut;	/* before 1.11: events of futile wake-ups, not part of count */
	int64_t first, end;	/* ticks of the first event; ns of the last one */
	struct strset *texts;
	const char *empty;	/* the text of string id 0 */
	struct map64 strings;	/* id -> const char * */
	struct map64 stacks;	/* id -> index in stack_list */
	struct vec stack_list;	/* struct v1_stack */
	struct vec frames;	/* struct v1_stored_frame */
	struct map64 starts;	/* formats with bare PCs: start PC -> id of a stack with this PC */
	struct map64 timer_gs;	/* goroutines that run timers */
	struct map64 before;	/* goroutine -> V1_DECLARED, V1_IN_ASSIST */
	bool has_gomaxprocs;
	uint64_t frequency;	/* ticks per second */
	struct symbolizer *symbolizer;
	bool symbolized;
	size_t goroutines, procs;
};

/* The goroutine of a P after damage. It is not known until the next GoStart of the P. */
#define V1_UNKNOWN_G (UINT64_MAX - 2)

int v1_load(struct v1_trace *t, struct error *err);

/* The stream of all CPU samples, in any batch. */
#define V1_SAMPLE_STREAM INT64_MIN

/*
 * Decodes the next event of @piece, with its time in ticks and its goroutine. @r is a reader of the
 * trace's file. False at the end of the piece.
 */
bool v1_piece_next(const struct v1_trace *t, struct v1_reader *r, struct v1_piece *piece,
		   struct v1_event *ev);
/* Decodes the event at @offset without the facts of its batch. */
bool v1_event_at(const struct v1_trace *t, struct v1_reader *r, uint64_t offset,
		 struct v1_event *ev);
/*
 * Turns a Local variant into the plain event. Local variants only omit the sequence number in the
 * file.
 */
void v1_make_plain(struct v1_event *ev);

/*
 * Sets the goroutine of @ev. *@g is the goroutine that runs on the P: before @ev, and on return
 * after it.
 */
void v1_assign_goroutine(uint64_t *g, struct v1_event *ev);

/*
 * The first pass over all events in order: fails if there is none, and notes facts that must be
 * known before the events to which they apply.
 */
int v1_clock(struct v1_trace *t, struct error *err);

/* The iterator over the events, with their final times, in order. */
struct v1_sequence;

/* @whole: with the events of futile wake-ups. */
struct v1_sequence *v1_sequence_new(const struct v1_trace *t, bool whole);
/* Returns 1 with the next event, 0 at the end, or -errno. */
int v1_sequence_next(struct v1_sequence *s, struct v1_event *ev, struct error *err);
/* Accepts NULL. */
void v1_sequence_free(struct v1_sequence *s);

/* The rules (check.h). */
struct check;

struct check *v1_check_new(const struct v1_trace *t);
int v1_check_event(struct check *c, struct v1_event *ev, struct error *err);
/* Stores links in @links from now on: by number of the event, from 1; the caller has zeroed it. */
void v1_check_links(struct check *c, uint32_t *links);
/* The number of the event that was checked last. */
uint32_t v1_check_number(const struct check *c);
void v1_check_count(const struct check *c, size_t *goroutines, size_t *procs);
/* Accepts NULL. */
void v1_check_free(struct check *c);

/*
 * The first id of stacks of start PCs. Stack ids in files with bare PCs have 32 bits, so none is as
 * large.
 */
#define V1_START_STACK (1ULL << 62)

#endif
