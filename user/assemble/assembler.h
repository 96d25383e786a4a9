/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assembler: chunks in, a trace out. It pulls the records of each chunk, one after the other:
 *
 * 	chunk <- merge (one order) <- goid (ids) <- the loop
 * 	                                            -> model (who ran) -> v2_sink
 * 	                                            -> stacks, threads (group linux)
 *
 * v2_sink writes the file, and has observers.
 *
 * It needs neither privileges nor the process: `gotap record` feeds it from
 * the rings, `gotap assemble` from a spool file.
 */
#ifndef GOTAP_ASSEMBLE_ASSEMBLER_H
#define GOTAP_ASSEMBLE_ASSEMBLER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "rings.h"
#include "sched/model.h"
#include "stream/chunk.h"
#include "stream/spool.h"
#include "symbol/symbol.h"
#include "threads/sums.h"
#include "trace/observer.h"
#include "trace/v2_sink.h"

struct assembler;

/*
 * Goroutines of a live program that need no proof that it has memory for them: 15 MB of
 * gotap's memory, and as much again at the end of a gap. So many keys are the most that a table
 * (base/map64.h) has room for before it doubles to 2^18.
 */
enum { ASSEMBLER_GOROUTINES = 3 << 15 };

struct assembler_opts {
	int version;			/* header: 22, 23, 25, 26 */
	bool no_notes;			/* no log events of gotap's own */
	/* Each record has its goid, as those of code in the program do (stream/goid.h). */
	bool has_goids;
	/*
	 * The bound of goroutines (model.h); 0: any number. A live program can forge as many as it
	 * likes: in the rings of inline code by writing, for uprobes by calls of the runtime's
	 * functions with a g of its own making.
	 */
	size_t most_goroutines;
	size_t (*goroutines_fit)(void *fit_ctx);
	void *fit_ctx;
	const struct capture_info *info;
	struct symbolizer *symbols;	/* may be NULL; not owned */
	/*
	 * Puts the name of the type that was allocated at the stack with the addresses @pcs, leaf
	 * first, into @name and returns its length, 0: not known. NULL: no type is known.
	 */
	size_t (*alloc_type)(const void *types, const uint64_t *pcs, size_t n, char *name,
			     size_t room);
	const void *types;
	const char *output;		/* its name, for errors */
	/* They look on; copied. */
	struct observers observers;
	size_t gen_bytes;		/* the largest generation; 0: 16 MB */
	/* each generation can be the first of a part of the trace (model.h) */
	bool restate;
};

struct assembler_result {
	int version;			/* header */
	struct tracefile_counts trace;
	struct model_counts model;
	uint64_t records;		/* taken in */
	uint64_t stacks;		/* distinct */
	uint64_t stacks_missing;	/* used, but their record was lost */
	uint64_t stacks_cut;		/* that end where memory could not be read */
	uint64_t unreadable;		/* other reads of probes that failed */
	uint64_t unsettled;		/* threads whose state at a snapshot is not sure */
	uint64_t addresses_unnamed;	/* that have no name as reading the names failed */
	char why_unnamed[120];		/* and why it did */
	uint64_t unnamed;		/* creations whose goid never became known */
	uint64_t lost_by_cpu[RING_CPUS + 1];	/* the last: of all CPUs from RING_CPUS on */
	uint32_t cpus;			/* entries used in lost_by_cpu */
	bool began;			/* the snapshot was complete: there is a trace */
};

/* Begins a trace on @fd (the caller's); -1: it is not written, but observers get its bytes. */
int assembler_new(struct assembler **ret, int fd, const struct assembler_opts *opts,
		  struct error *err);
int assembler_chunk(struct assembler *a, const struct chunk *c, struct error *err);
/* A note in the trace, about now: a log event of category "gotap". */
void assembler_note(struct assembler *a, const char *text);
/*
 * Ends the generation that is open, of a v2 trace: all records up to assembler_seen() are in it,
 * and all notes. -EAGAIN: the world is stopped; try it again with the next chunk.
 */
int assembler_turn(struct assembler *a, struct error *err);
/*
 * All records up to this time (ns) are in the trace, but for those that wait for a goid for half a
 * second; 0: no chunk came yet.
 */
uint64_t assembler_seen(const struct assembler *a);
/* Ends the trace; the file is complete. */
int assembler_finish(struct assembler *a, struct error *err);
/*
 * Likewise if no more chunks will be taken though the capture goes on: ends the trace at the last
 * watermark. After that time the records of other CPUs are not complete.
 */
int assembler_cut(struct assembler *a, struct error *err);
/* Whole generations that were written: with one, the file can be read up to its end. */
uint64_t assembler_generations(const struct assembler *a);
/* Goroutines that the model knows. */
uint64_t assembler_goroutines(const struct assembler *a);
/* Is the trace in a gap now (budget, losses)? It goes on when all states have been read anew. */
bool assembler_in_gap(const struct assembler *a);
/* Counts since the begin of the recording. They change with the next chunk. */
const struct model_counts *assembler_counts(const struct assembler *a);
/* Records that were taken in. */
uint64_t assembler_records(const struct assembler *a);
void assembler_result(const struct assembler *a, struct assembler_result *ret);
/*
 * The threads of group linux, which may get more visitors before the first chunk; and their sums,
 * whole once it is finished.
 */
struct threads *assembler_threads(struct assembler *a);
const struct thread_sums *assembler_thread_sums(const struct assembler *a);
/* Accepts NULL. */
void assembler_free(struct assembler *a);

#endif
