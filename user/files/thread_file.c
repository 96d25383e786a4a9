// SPDX-License-Identifier: Apache-2.0
/* thread_file: see thread_file.h. */
#include "files/thread_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/show.h"
#include "files/claims.h"
#include "files/leftover.h"
#include "proc/privilege.h"

/* --- writing --- */

static bool thread_file_is_regular(const struct output *o)
{
	struct stat st;

	return o->fd >= 0 && !fstat(o->fd, &st) && S_ISREG(st.st_mode);
}

/*
 * Returns whether there can be a file beside the trace: the trace must be a regular file with a
 * known name. Standard output has no name.
 */
static bool has_place(const struct output *trace)
{
	return trace->name && thread_file_is_regular(trace);
}

int thread_file_place(struct thread_file *f, const struct output *trace, struct error *err)
{
	*f = (struct thread_file)THREAD_FILE_CLOSED;
	if (!has_place(trace))
		return 0;
	f->path = threads_file_name(trace->path);
	return output_open(&f->out, f->path, OUTPUT_BINARY, err);
}

int thread_file_check_place(const struct output *trace, struct error *err)
{
	_cleanup_free_ char *path = has_place(trace) ? threads_file_name(trace->path) : NULL;

	return path && claims_is_input(path) ?
		       error_set(err, -EINVAL,
				 "'%s' is input, and the file of threads beside the output: name "
				 "another file for the output",
				 path) :
		       0;
}

int thread_file_start(struct thread_file *f, struct threads *t, const struct capture_info *info,
		      struct error *err)
{
	int r = 0;

	f->threads = t;
	if (f->out.fd < 0)
		return 0;
	r = output_begin(&f->out, err);
	return r ? r : threads_writer_new(&f->writer, t, f->out.fd, f->path, info, err);
}

void thread_file_try(struct thread_file *f, const struct output *trace, struct threads *t,
		     const struct capture_info *info)
{
	struct error err;
	int r = thread_file_place(f, trace, &err);

	if (!r && f->out.leftover)
		leftover_tell(f->out.leftover);
	f->threads = t;
	if (!r)
		r = thread_file_start(f, t, info, &err);
	if (r) {
		f->failed = xcalloc(1, sizeof(err));
		*f->failed = err;
	}
}

void thread_file_clock(struct thread_file *f, const struct chunk *c)
{
	if (f->writer)
		threads_writer_clock(f->writer, c->mono_ns, c->wall_ns);
}

int thread_file_finish(struct thread_file *f, bool keep, struct error *err)
{
	int r = f->writer ? threads_writer_finish(f->writer, err) : 0;
	struct error late;

	keep = keep && f->threads && threads_any(f->threads);
	if (keep && f->failed) {
		*err = *f->failed;
		r = err->code;
	}
	keep = keep && !r && f->writer;
	if (output_close(&f->out, keep, r ? &late : err) && !r)
		r = err->code;
	threads_writer_free(f->writer);
	free(f->path);
	free(f->failed);
	*f = (struct thread_file){ .out = OUTPUT_CLOSED, .kept = keep && !r };
	return r;
}

/*
 * Returns the path of a file of threads beside @trace, of the same owner; NULL: there is none. The
 * caller frees it.
 */
static char *file_before(const struct output *trace)
{
	_cleanup_free_ char *path = has_place(trace) ? threads_file_name(trace->path) : NULL;
	struct stat st, its;

	if (!path || fstat(trace->fd, &st) || lstat(path, &its))
		return NULL;
	return S_ISREG(its.st_mode) && its.st_uid == st.st_uid && threads_file_is(path) ?
		       take_ptr(path) :
		       NULL;
}

int thread_file_close_trace(const struct thread_file *f, struct output *trace, bool keep,
			    struct error *err)
{
	_cleanup_free_ char *before = keep && !f->kept ? file_before(trace) : NULL;
	int r = output_close(trace, keep, err);

	if (r || !before)
		return r;
	privilege_raise_files();
	if (unlink(before) && errno != ENOENT)
		show_printf(stderr,
			    "gotap: '%s' belongs to an older trace '%s' and cannot be removed: %s; "
			    "remove it\n",
			    before, trace->path, strerror(errno));
	privilege_lower_files();
	return 0;
}

/* --- reading --- */

int thread_file_open(struct oncpu **ret, struct spans *s, const char *trace, struct error *err)
{
	_cleanup_free_ char *path = threads_file_name(trace);
	struct stat st;

	*ret = NULL;
	if (!strcmp(trace, "-"))
		return 0;
	if (stat(path, &st))
		return errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG ? 0 :
		       error_set(err, -errno, "cannot open '%s': %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return error_set(err, -EINVAL, "'%s' is no regular file", path);
	return oncpu_open(ret, s, path, err);
}

bool thread_file_check(struct oncpu *o, const struct spans *s, const char *trace, bool *failed)
{
	_cleanup_free_ char *path = threads_file_name(trace);
	struct error err;

	if (!o)
		return false;
	oncpu_begins(o, spans_first(s));
	if (oncpu_finish(o, &err)) {
		error_prefix(&err, "%s", path);
		show_printf(stderr, "gotap: %s%s\n", err.text, limits_explain(err.code).text);
		*failed = true;
	}
	if (oncpu_dropped(o))
		show_printf(stderr,
			    "gotap: '%s': %" PRIu64 " states of threads found no room in memory: "
			    "they count as not recorded\n",
			    path, oncpu_dropped(o));
	if (oncpu_matches(o))
		return true;
	show_printf(stderr, "gotap: '%s' is not of the same recording as '%s': it is left out\n",
		    path, trace);
	return false;
}
