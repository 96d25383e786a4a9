/* SPDX-License-Identifier: Apache-2.0 */
/*
 * beside: a Perfetto trace that is written while a Go trace is, for `gotap record` and `gotap
 * assemble` --perfetto. It is made from the Go trace, generation by generation as that is
 * written, by a thread of its own: events come in the order of internal/trace only when their
 * generation is whole. So the Perfetto trace of a recording that is killed lacks what its Go
 * trace lacks, and the generation before.
 */
#ifndef GOTAP_FILES_BESIDE_H
#define GOTAP_FILES_BESIDE_H

#include <string.h>

#include "files/output.h"
#include "perfetto/perfetto.h"
#include "stream/spool.h"
#include "threads/cpus.h"
#include "threads/threads.h"
#include "trace/observer.h"

struct beside;

/*
 * The output of the Go trace if the user wants the Perfetto trace alone: it is made from a Go
 * trace, which then goes nowhere.
 */
#define BESIDE_NOWHERE "/dev/null"

static inline bool beside_alone(const char *output, const char *perfetto)
{
	return perfetto && !strcmp(output, BESIDE_NOWHERE);
}

/*
 * Starts the thread, which writes to @out. @out and @info stay the caller's, and must live until
 * beside_finish().
 */
int beside_start(struct beside **ret, const struct output *out, const struct capture_info *info,
		 struct error *err);
/* Adds an observer to @to that gives the Go trace to the thread. */
void beside_observe(struct beside *b, struct observers *to);
/*
 * Adds the states of threads in Linux (group linux) to the Perfetto trace. To be called before
 * the first record; @t must live on.
 */
void beside_threads(struct beside *b, struct threads *t);
/*
 * To be called after the last byte of the Go trace. Waits until all of the Perfetto trace is
 * written, and frees @b (NULL is accepted). Returns the first error of reading the Go trace or of
 * writing. *@bytes, which may be NULL, becomes the size of the Perfetto trace.
 */
int beside_finish(struct beside *b, uint64_t *bytes, struct error *err);

/* --- beside_threads.c --- */

/*
 * A stay as perfetto.h has it, with its texts. beside_put() sets the pointers comm and by of
 * @span to them.
 */
struct beside_span {
	struct perfetto_thread_span span;
	char comm[17], by[32];
};

typedef void beside_span_fn(void *ctx, const struct beside_span *s);

struct beside_feed;

/*
 * Calls @fn with the stays of all threads in @t, also those of other programs. To be called
 * before the first record; @t must live as long.
 */
struct beside_feed *beside_feed_new(struct threads *t, beside_span_fn *fn, void *ctx);
/* Accepts NULL. */
void beside_feed_free(struct beside_feed *f);
/* Writes the stay to @p. */
void beside_put(struct perfetto *p, const struct beside_span *s);

#endif
