/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer_internal: what writer.c (buffers of events, the file) and writer_tables.c (names, stacks)
 * share. All state is of one struct v1_writer.
 */
#ifndef GOTAP_V1WRITE_WRITER_INTERNAL_H
#define GOTAP_V1WRITE_WRITER_INTERNAL_H

#include "base/map64.h"
#include "base/strset.h"
#include "trace/varint.h"
#include "v1write/writer.h"

enum {
	/* traceBuf is 64 KiB with a header of three words and a stack of 128. */
	V1W_BUFFER = (64 << 10) - (3 + 128) * 8,
	/* type, length, delta, up to four arguments, stack */
	V1W_RECORD_MAX = 2 + 6 * VARINT_MAX,
};

/* A stack whose frames are not known yet. */
struct new_stack {
	uint64_t id, key;
	bool start;
};

/*
 * All goroutines that begin with one function have the same start: viewers tell them apart by its
 * pc.
 */
struct start_frame {
	uint64_t id, pc, func, file, line;
	/* true: pc is the function's own, the same for all of its goroutines */
	bool own;
};

struct v1_writer {
	int fd;
	struct v1_writer_opts opts;
	struct v1_format format;
	struct v1_writer_counts counts;
	struct vec outs;		/* struct v1_out *, by P + OUTS_BASE */
	struct buf full;		/* batches on their way to the file */
	struct strset *texts;
	struct map64 strings;		/* address of the set's own copy -> id */
	struct map64 stacks, starts;	/* key -> id */
	uint64_t next_stack, unknown_start;
	struct map64 later;		/* ids of starts that are not known yet */
	struct vec new_stacks;		/* struct new_stack */
	struct map64 start_frames;	/* function -> index in frames */
	struct vec frames;		/* struct start_frame */
	struct vec timers;		/* uint64_t */
	struct buf tables;		/* Strings and Stacks of the open generation */
	size_t table_batch;		/* where the open batch of them begins */
	bool has_frequency;		/* the frequency is in the file, or in full */
	uint64_t last;			/* ticks of the latest event */
	/* the first write that failed: bytes are missing from then on */
	struct error failed;
};

/* A Batch record: what follows is of P @p, and its first delta counts from @ticks. */
static inline void v1w_put_batch(struct buf *b, int32_t p, uint64_t ticks)
{
	buf_add_byte(b, V1_BATCH | 1 << V1_COUNT_SHIFT);
	varint_add(b, (uint64_t)(int64_t)p);
	varint_add(b, ticks);
}

/* Returns the id of a text; @new_text is the text if its record has to be written, else NULL. */
uint64_t v1_tables_intern(struct v1_writer *w, const char *s, size_t n, const char **new_text);
void v1_tables_put_string(struct buf *b, uint64_t id, const char *text);
/* Asks for the frames of all new stacks and writes their records. */
void v1_tables_take_frames(struct v1_writer *w);
/* Writes the starts that had to wait for the end of the trace, after v1_tables_take_frames(). */
void v1_tables_end(struct v1_writer *w);

#endif
