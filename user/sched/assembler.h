/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assembler: chunks in, a trace out. The pipeline behind the capture:
 *
 *	merge (one order) -> goid (ids) -> stacks, model (who ran) -> v2_sink or v1_sink (the file)
 *
 * It needs neither privileges nor the process: `gotap record` feeds it from
 * the rings, `gotap assemble` from a spool file.
 */
#ifndef GOTAP_SCHED_ASSEMBLER_H
#define GOTAP_SCHED_ASSEMBLER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "sched/model.h"
#include "stream/chunk.h"
#include "stream/spool.h"
#include "symbol/symbol.h"
#include "trace/v2_sink.h"
#include "v1write/sink.h"

struct assembler;

struct assembler_opts {
	int version;			/* header: 8, 11, 19, 21; 22, 23, 25, 26 */
	bool no_notes;			/* no log events of gotap's own */
	const struct capture_info *info;
	struct symbolizer *symbols;	/* may be NULL; not owned */
	const char *output;		/* its name, for errors */
};

struct assembler_result {
	int version;			/* header; below 22 v1 has the counts */
	struct tracefile_counts trace;	/* of v1 the generations and bytes */
	struct v1_sink_counts v1;
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

/* Begins a trace on @fd (the caller's). */
int assembler_new(struct assembler **ret, int fd, const struct assembler_opts *opts,
		  struct error *err);
int assembler_chunk(struct assembler *a, const struct chunk *c, struct error *err);
/* Ends the trace; the file is complete. */
int assembler_finish(struct assembler *a, struct error *err);
/*
 * The same where no more chunks will be taken though the capture goes on: ends the trace
 * at the last watermark. Behind that the records of other CPUs are not complete.
 */
int assembler_cut(struct assembler *a, struct error *err);
/* Whole generations that were written. */
uint64_t assembler_generations(const struct assembler *a);
/* Can the file be read as it is, up to here? A v1 trace cannot before its end. */
bool assembler_has_trace(const struct assembler *a);
/* Goroutines that the model knows. */
uint64_t assembler_goroutines(const struct assembler *a);
void assembler_result(const struct assembler *a, struct assembler_result *ret);
/* Accepts NULL. */
void assembler_free(struct assembler *a);

#endif
