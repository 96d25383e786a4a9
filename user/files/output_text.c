// SPDX-License-Identifier: Apache-2.0
/* output_text: writes a text into an output, as a whole. See leftover.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "files/leftover.h"

/* Writes what is buffered and closes @f. Returns 0 or an errno. */
static int output_text_finish(FILE *f)
{
	int failed;

	errno = 0;
	failed = fflush(f) || ferror(f) ? (errno ? errno : EIO) : 0;
	if (fclose(f) && !failed)
		failed = errno;
	return failed;
}

/*
 * Writes through a duplicate of the descriptor, since fclose() closes it, and output_close()
 * needs the output's own one.
 */
int output_put(const struct output *o, output_put_fn *put, const void *ctx, struct error *err)
{
	int fd = fcntl(o->fd, F_DUPFD_CLOEXEC, 3), failed;
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (f) {
		put(f, ctx);
		failed = output_text_finish(f);
	} else {
		failed = errno;
		if (fd >= 0)
			close(fd);
	}
	return failed ? error_set(err, -failed, "cannot write to '%s': %s", o->path,
				  strerror(failed)) :
			0;
}

int output_end(struct output *o, int ret, struct error *err)
{
	struct error late;

	if (!output_close(o, !ret, &late) || ret)
		return ret;
	*err = late;
	return late.code;
}

int output_text(const char *path, output_put_fn *put, const void *ctx, struct error *err)
{
	struct output o;
	int ret = output_start(&o, path, OUTPUT_TEXT, err);

	if (ret)
		return ret;
	ret = output_put(&o, put, ctx, err);
	return output_end(&o, ret, err);
}
