/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reread: a trace that a command reads twice: a file is read from its begin again, and of a pipe a
 * copy is kept in a file without a name (base/temp_file.h). `gotap why` and `gotap report` use it.
 */
#ifndef GOTAP_FILES_REREAD_H
#define GOTAP_FILES_REREAD_H

#include "base/error.h"
#include "read/raw_source.h"

struct reread {
	const char *path;
	int fd;			/* can be read again from its begin; -1: once, from @source */
	struct raw_source source;
	/* of reread_open_tee() for a pipe: */
	bool tee, began;		/* the first reading has begun */
	struct raw_source pipe;
	int copy;			/* -1: the copy could not be made */
	long long copied;
	struct error failed;		/* why not */
};

/* One that is not open, for reread_close(). */
#define REREAD_CLOSED ((struct reread){ .fd = -1, .copy = -1 })

/*
 * Opens @path, "-" for standard input. @twice: of a pipe a copy is made, since the command must
 * read it twice. Without it only a regular file that is not standard input can be read again.
 * Returns 0 or -errno and @err.
 */
int reread_open(struct reread *in, const char *path, bool twice, struct error *err);
/*
 * As reread_open() with @twice, but the copy of a pipe is made while it is read for the first time.
 * If there is no room for the copy, only the second reread_rewind() fails.
 */
int reread_open_tee(struct reread *in, const char *path, struct error *err);
/* Makes @in->source the trace from its begin. To be called before each reading. */
int reread_rewind(struct reread *in, struct error *err);
void reread_close(struct reread *in);

#endif
