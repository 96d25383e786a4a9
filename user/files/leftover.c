// SPDX-License-Identifier: Apache-2.0
/* leftover: see leftover.h. */
#define _GNU_SOURCE
#include "files/leftover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "base/show.h"
#include "files/claims.h"
#include "threads/file.h"

/* The format of an unfinished file, and the command that reads it. */
enum form { FORM_NONE, FORM_BUSY, FORM_TRACE, FORM_SPOOL, FORM_OTHER };

static enum form form_of(const char *path)
{
	_cleanup_close_ int fd =
		open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char head[8] = "";
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return FORM_NONE;
	if (!fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK)
		return FORM_BUSY;
	if (pread(fd, head, sizeof(head), 0) != sizeof(head))
		return FORM_NONE;
	if (!memcmp(head, "go 1.", 5))
		return FORM_TRACE;
	return memcmp(head, "gotapspl", 8) ? FORM_OTHER : FORM_SPOOL;
}

/*
 * Returns the name of the trace that the unfinished file of threads at @path belongs to; NULL: it
 * is no such file.
 */
static char *trace_of(const char *path)
{
	static const char end[] = ".threads.partial";
	const char *at = strstr(path, end), *next;
	_cleanup_free_ char *trace = NULL, *its = NULL;

	while (at && (next = strstr(at + 1, end)))
		at = next;
	if (!at)
		return NULL;
	trace = xasprintf("%.*s%s", (int)(at - path), path, at + strlen(".threads"));
	its = threads_file_name(trace);
	return !strcmp(its, path) && threads_file_is(path) ? take_ptr(trace) : NULL;
}

/* Returns the end of a sentence that begins with the file's name. The caller frees it. */
static char *how_to_read(const char *path, enum form form)
{
	const char *command = form == FORM_TRACE ? "convert" : "assemble";
	_cleanup_free_ char *trace = NULL;

	if (form == FORM_BUSY)
		return xstrdup("is being written by another gotap");
	if (form == FORM_OTHER)
		return xstrdup("is what a gotap wrote that was killed");
	trace = form == FORM_SPOOL ? trace_of(path) : NULL;
	if (trace)
		return xasprintf("is an unfinished file of threads, of a gotap that was killed: "
				 "`gotap report %s` reads it with its trace",
				 trace);
	return xasprintf(
		"is what a gotap wrote that was killed: `gotap %s %s -o FILE` makes a trace of it",
		command, path);
}

void leftover_tell(const char *path)
{
	enum form form = form_of(path);
	_cleanup_free_ char *how = form == FORM_NONE ? NULL : how_to_read(path, form);

	if (how)
		show_printf(stderr, "gotap: '%s' %s\n", path, how);
}

int output_start(struct output *o, const char *path, enum output_form form, struct error *err)
{
	int r = output_open(o, path, form, err);

	if (r)
		return r;
	if (o->leftover)
		leftover_tell(o->leftover);
	r = output_begin(o, err);
	if (r)
		output_close(o, false, NULL);
	return r;
}

/*
 * Looks for an unfinished file beside @path. @r: 0 if the file at @path could be opened, else the
 * error.
 */
static int tell_of_partial(const char *path, int r, struct error *err)
{
	_cleanup_free_ char *partial = output_partial(path), *how = NULL;
	enum form form = strcmp(path, "-") ? form_of(partial) : FORM_NONE;

	if (!r && form != FORM_NONE && form != FORM_BUSY)
		leftover_tell(partial);
	if (r != -ENOENT || form == FORM_NONE)
		return r;
	how = how_to_read(partial, form);
	return error_set(err, r, "cannot open '%s': %s; but '%s' %s", path, strerror(-r), partial,
			 how);
}

/* Claims a trace, and the file of threads beside it, as inputs. */
static int claim_trace(int fd, const char *path, struct error *err)
{
	_cleanup_free_ char *threads = threads_file_name(path);
	int r = claims_input(fd, path, err);

	return r || !strcmp(path, "-") ? r : claims_input_file(threads, err);
}

int leftover_source_open(struct raw_source *s, const char *path, struct error *err)
{
	int r = tell_of_partial(path, source_open(s, path, err), err);

	if (r)
		return r;
	r = claim_trace(s->fd, path, err);
	if (r)
		source_close(s);
	return r;
}

int leftover_spool_open(struct spool_reader **ret, const char *path, struct capture_info *info,
			struct error *err)
{
	int r = strcmp(path, "-") ? claims_input_file(path, err) :
				    claims_input(STDIN_FILENO, path, err);

	return r ? r : tell_of_partial(path, spool_open(ret, path, info, err), err);
}
