/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leftover: messages about files that a gotap could not finish because it was killed
 * (output.h), on stderr, for all commands that read or write traces.
 */
#ifndef GOTAP_FILES_LEFTOVER_H
#define GOTAP_FILES_LEFTOVER_H

#include <stdio.h>

#include "files/output.h"
#include "read/raw_source.h"
#include "stream/spool.h"

/* Opens an output for writing now, and reports an unfinished file that was in its way. */
int output_start(struct output *o, const char *path, enum output_form form, struct error *err);

/* --- output_text.c --- */

typedef void output_put_fn(FILE *f, const void *ctx);

/* Writes the text that @put prints to @o, which is open and stays so. */
int output_put(const struct output *o, output_put_fn *put, const void *ctx, struct error *err);
/* Closes @o, and keeps it if @ret is 0. Returns @ret, or the error of closing. */
int output_end(struct output *o, int ret, struct error *err);
/* output_start(), output_put() and output_end(). */
int output_text(const char *path, output_put_fn *put, const void *ctx, struct error *err);

/* --- leftover.c --- */

/* Says how the unfinished file at @path is read. */
void leftover_tell(const char *path);
/*
 * source_open() of a trace and spool_open(): say if there is an unfinished file of that name,
 * beside the one that is opened, or in its place. The file, and the file of threads beside a
 * trace, are inputs from then on (claims.h).
 */
int leftover_source_open(struct raw_source *s, const char *path, struct error *err);
int leftover_spool_open(struct spool_reader **ret, const char *path, struct capture_info *info,
			struct error *err);

#endif
