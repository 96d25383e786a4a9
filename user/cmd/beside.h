/* SPDX-License-Identifier: Apache-2.0 */
/*
 * beside: a Perfetto trace that is written while a Go trace is, for `gotap record` and `gotap assemble`
 * --perfetto. It is made from the Go trace, generation by generation as that is written, by a thread of its own: events
 * come in the order of internal/trace only when their generation is whole. So the Perfetto trace of a recording that is
 * killed lacks what its Go trace lacks, and the generation before.
 */
#ifndef GOTAP_CMD_BESIDE_H
#define GOTAP_CMD_BESIDE_H

#include <string.h>

#include "cmd/output.h"
#include "perfetto/perfetto.h"
#include "stream/spool.h"
#include "threads/cpus.h"
#include "threads/threads.h"

struct beside;

/* Where the Go trace goes that is made for the Perfetto trace alone. */
#define BESIDE_NOWHERE "/dev/null"

static inline bool beside_alone(const char *output, const char *perfetto)
{
	return perfetto && !strcmp(output, BESIDE_NOWHERE);
}

/* Begins to write to @out. @out and @info stay the caller's. */
int beside_start(struct beside **ret, const struct output *out, const struct capture_info *info,
		 struct error *err);
/* A tracefile_tee_fn: waits if the Perfetto trace is written far more slowly than the Go trace. */
void beside_take(void *ctx, const void *data, size_t n);
/* What Linux's scheduler says of threads (group linux) comes into the Perfetto trace, too: before the first record. */
void beside_threads(struct beside *b, struct threads *t);
/*
 * No more comes: waits until all is written, and frees @b (NULL is accepted). What kept it from being
 * written is the error; *@bytes, which may be NULL, is its size.
 */
int beside_finish(struct beside *b, uint64_t *bytes, struct error *err);

/* --- beside_threads.c --- */

/* A stay as perfetto.h has it. */
struct beside_span {
	struct perfetto_thread_span span;	/* comm and by point nowhere: they are */
	char comm[17], by[32];
};

typedef void beside_span_fn(void *ctx, const struct beside_span *s);

struct beside_feed;

/* Shows @fn the stays of all threads in @t, those of other programs, too: before the first record. @t must live as long. */
struct beside_feed *beside_feed_new(struct threads *t, beside_span_fn *fn, void *ctx);
/* Accepts NULL. */
void beside_feed_free(struct beside_feed *f);
void beside_put(struct perfetto *p, const struct beside_span *s);

#endif
