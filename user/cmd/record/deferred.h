/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deferred: `gotap record --defer`. While the program is recorded gotap only keeps the raw records,
 * as a spool file in memory or in the file of --spool; session.c makes the trace of them when the
 * recording is over. Owns how many bytes are kept at most, and what is done when there are more:
 * the recording ends early, with a whole trace up to there.
 */
#ifndef GOTAP_CMD_RECORD_DEFERRED_H
#define GOTAP_CMD_RECORD_DEFERRED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cmd/record/options.h"
#include "files/output.h"
#include "stream/spool.h"

enum deferred_end {
	DEFERRED_GOES_ON,
	DEFERRED_FULL,		/* --defer-max */
	DEFERRED_NO_MEMORY,	/* the machine or the cgroup has too little left */
	DEFERRED_FAILED,	/* a write: the disk is full */
};

/* Zeroed: the trace is made at once. */
struct deferred {
	bool on;
	const char *path;	/* of --spool; NULL: in memory */
	int fd, reader;		/* of the file, to write and to read; d->fd is owned if in memory */
	uint64_t bytes, max;	/* that are kept, in whole chunks; and at most */
	uint64_t looked;	/* bytes at which the free memory was looked up */
	enum deferred_end end;
	struct error failure;	/* of DEFERRED_FAILED */
	bool begun;		/* a record says that a goroutine runs */
	uint64_t done;		/* bytes that are in the trace */
	uint64_t began;		/* ns: when the first of them was read */
	uint64_t ns;		/* that it took */
};

/*
 * Returns how many bytes each of @recorders that run at a time (--follow) keeps in memory if the
 * user gives no number: 1 MiB or more.
 */
uint64_t deferred_recorder_max(unsigned long recorders);
/* Before capture_start(), which gives up rights. @spool: the file of --spool, if there is one. */
int deferred_open(struct deferred *d, const struct record_options *o, const struct output *spool,
		  struct error *err);
/* Keeps @c, or sets d->end. @w writes to d->fd. */
void deferred_keep(struct deferred *d, struct spool_writer *w, const struct chunk *c);
/*
 * Passes all chunks that were kept to @take, in their order, until it returns another value than 0,
 * which is returned then.
 */
typedef int deferred_take_fn(void *ctx, const struct chunk *c, struct error *err);
int deferred_replay(struct deferred *d, deferred_take_fn *take, void *ctx, struct error *err);
/* Why the recording ended early; NULL: it did not. Valid until the next call. */
const char *deferred_end_text(const struct deferred *d);
void deferred_close(struct deferred *d);

#endif
