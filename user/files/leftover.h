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
/* Opens one so, writes what @put does as its text, and closes it (output_text.c). */
int output_text(const char *path, void (*put)(FILE *f, const void *ctx), const void *ctx, struct error *err);
/* Says how the unfinished file at @path is read. */
void leftover_tell(const char *path);
/*
 * source_open() of a trace and spool_open(): say if there is an unfinished file of that name, beside the one that is
 * opened, or in its place.
 */
int leftover_source_open(struct raw_source *s, const char *path, struct error *err);
int leftover_spool_open(struct spool_reader **ret, const char *path, struct capture_info *info,
			struct error *err);

#endif
