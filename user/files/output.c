// SPDX-License-Identifier: Apache-2.0
/* output: see output.h. */
#define _GNU_SOURCE
#include "files/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/rename_new.h"
#include "base/vec.h"
#include "files/claims.h"
#include "files/output_place.h"
#include "proc/privilege.h"

static const char SUFFIX[] = ".partial";

enum {
	TRIES = 20,		/* tries, since others may make and remove the same names */
	LEFTOVERS = 1000,
	EMPTY = 16,		/* bytes of a header: a file with no more is not kept */
	READER_MS = 5000,	/* ms that a pipe may be without a reader */
};

static int output_fail(const struct output *o, int e, struct error *err)
{
	return error_set(err, -e, "cannot write '%s': %s", o->path, strerror(e));
}

static bool is_at(int fd, int dir, const char *name)
{
	struct stat here, there;

	return !fstat(fd, &here) && !fstatat(dir, name, &there, AT_SYMLINK_NOFOLLOW) &&
	       here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

/*
 * Locks the file; returns whether another process has locked it. The lock belongs to the open file
 * and ends when the last process that has the file open ends. If a file system has no locks, two
 * writers of one name are not noticed.
 */
static bool is_locked_by_another(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_SETLK, &lock) && (errno == EAGAIN || errno == EACCES);
}

static int busy(const struct output *o, struct error *err)
{
	return error_set(err, -EBUSY, "cannot write '%s': another gotap is writing it; wait for "
			 "that, or name another file", o->path);
}

/* --- names --- */

/* Returns @name with @end after it, cut if that would be too long. */
static char *with_end(const char *name, const char *end)
{
	return xasprintf("%.*s%s", NAME_MAX - (int)strlen(end), name, end);
}

/* Returns the path of @name in the folder of @path. */
static char *beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return xasprintf("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name);
}

char *output_partial(const char *path)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *name = with_end(slash ? slash + 1 : path, SUFFIX);

	return beside(path, name);
}

/* --- what was left by a gotap that was killed --- */

static int move_aside(struct output *o)
{
	int n, e = EEXIST;

	for (n = 1; n <= LEFTOVERS && e == EEXIST; n++) {
		_cleanup_free_ char *end = xasprintf("%s.%d", SUFFIX, n),
				    *to = with_end(o->name, end);

		e = rename_new(o->dir, o->partial, to);
		if (!e) {
			free(o->leftover);
			o->leftover = beside(o->path, to);
		}
	}
	return e;
}

static int in_the_way(const struct output *o, struct error *err)
{
	return error_set(err, -EEXIST,
			 "cannot write '%s': '%s' beside it, which it would be written to until it "
			 "is whole, is in the way",
			 o->path, o->partial);
}

/* Moves aside or removes the file that has the name o->partial. */
static int clear_leftover(struct output *o, const struct place *p, struct error *err)
{
	_cleanup_close_ int fd = openat(o->dir, o->partial,
					O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	int e;

	if (fd < 0)
		return errno == ENOENT ? 0 : in_the_way(o, err);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || place_is_foreign(p, &st))
		return in_the_way(o, err);
	if (is_locked_by_another(fd))
		return busy(o, err);
	if (!is_at(fd, o->dir, o->partial))
		return 0;
	if (st.st_size <= EMPTY)
		e = unlinkat(o->dir, o->partial, 0) ? errno : 0;
	else
		e = move_aside(o);
	return e && e != ENOENT ? output_fail(o, e, err) : 0;
}

/* --- a regular file: beside its name, then by its name --- */

/*
 * Reserves the capabilities for the rename, without effect until then, if the rights of the user
 * alone do not suffice. The capture gives up all others.
 */
static void reserve_rights(const struct place *p)
{
	mode_t mode = p->dir_st.st_mode;
	bool own = p->dir_st.st_uid == geteuid();
	bool may = own                           ? mode & S_IWUSR :
		   p->dir_st.st_gid == getegid() ? mode & S_IWGRP :
						   mode & S_IWOTH;

	if (!may || place_is_kept(p))
		privilege_reserve_files();
}

/* The rights that the file may have at most. */
static mode_t most_rights(const struct output *o)
{
	return o->form == OUTPUT_SECRET ? 0600 : 0777;
}

/* Gives the new file the owner and the mode of the file that it replaces. */
static void inherit(const struct output *o, const struct stat *st)
{
	mode_t mode = st->st_mode & most_rights(o);

	if (fchown(o->fd, st->st_uid, st->st_gid) && fchown(o->fd, (uid_t)-1, st->st_gid))
		mode &= 0707;	/* its group is another one */
	fchmod(o->fd, mode);
}

/* 1: done; 0: try again. */
static int make_partial(struct output *o, const struct place *p, struct error *err)
{
	o->fd = openat(o->dir, o->partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		       (o->replaces ? 0600 : 0644) & most_rights(o));
	if (o->fd < 0 && errno == EEXIST)
		return clear_leftover(o, p, err);
	if (o->fd < 0)
		return output_fail(o, errno, err);
	if (is_locked_by_another(o->fd))
		return busy(o, err);
	if (is_at(o->fd, o->dir, o->partial)) {
		if (o->replaces)
			inherit(o, &p->st);
		return 1;
	}
	close(o->fd);
	o->fd = -1;
	return 0;
}

static int open_beside(struct output *o, const struct place *p, struct error *err)
{
	int i, r = 0;

	o->partial = with_end(p->name, SUFFIX);
	for (i = 0; i < TRIES && !r; i++)
		r = make_partial(o, p, err);
	if (!r)
		return output_fail(o, EBUSY, err);
	if (r < 0)
		return r;
	reserve_rights(p);
	return 0;
}

/* --- any other file --- */

static int refuse_terminal(const struct output *o, struct error *err)
{
	return o->form != OUTPUT_TEXT && isatty(o->fd) ?
		       error_set(err, -EINVAL,
				 "a trace is not for a terminal: redirect stdout or name a file "
				 "with -o") :
		       0;
}

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

/*
 * Opens a pipe, a device or a file in place. Without O_NONBLOCK open(2) of a pipe would wait for a
 * reader, forever.
 */
static int open_quickly(const struct place *p)
{
	int flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (p->magic ? 0 : O_NOFOLLOW);
	int fd = openat(p->dir, p->name, flags), waited;

	for (waited = 0; fd < 0 && errno == ENXIO && S_ISFIFO(p->st.st_mode) && waited < READER_MS;
	     waited += 50) {
		sleep_ms(50);
		fd = openat(p->dir, p->name, flags);
	}
	return fd;
}

/* A file that is written in place has the mode @st until output_begin(), if gotap may change it. */
static int refuse_readers(const struct output *o, const struct stat *st, struct error *err)
{
	mode_t mode = st->st_mode & 07777;

	if (!S_ISREG(st->st_mode) || !(mode & 0777 & ~most_rights(o)) || !fchmod(o->fd, mode))
		return 0;
	return error_set(err, -EPERM,
			 "cannot write '%s': other users have rights to this file, and gotap may "
			 "not take them: %s; name another file",
			 o->path, strerror(errno));
}

static int open_stream(struct output *o, const struct place *p, struct error *err)
{
	struct stat st;

	if (S_ISDIR(p->st.st_mode))
		return output_fail(o, EISDIR, err);
	if (S_ISBLK(p->st.st_mode))
		return error_set(err, -EINVAL, "cannot write '%s': it is a disk", o->path);
	o->fd = open_quickly(p);
	if (o->fd < 0 && errno == ENXIO && S_ISFIFO(p->st.st_mode))
		return error_set(err, -ENXIO,
				 "cannot write '%s': no process reads from this pipe; start the "
				 "reader first",
				 o->path);
	if (o->fd < 0)
		return output_fail(o, errno, err);
	if (fstat(o->fd, &st) || st.st_dev != p->st.st_dev || st.st_ino != p->st.st_ino)
		return output_fail(o, ESTALE, err);
	fcntl(o->fd, F_SETFL, fcntl(o->fd, F_GETFL) & ~O_NONBLOCK);
	o->truncates = S_ISREG(st.st_mode);
	if (o->truncates && is_locked_by_another(o->fd))
		return busy(o, err);
	return refuse_readers(o, &st, err) ?: refuse_terminal(o, err);
}

static int open_own_fd(struct output *o, const struct place *p, struct error *err)
{
	o->fd = fcntl(place_own_fd(p), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (o->fd < 0)
		return output_fail(o, errno, err);
	return refuse_readers(o, &p->st, err) ?: refuse_terminal(o, err);
}

/* Checks that the file may be written. One that may not be written must not be replaced, either. */
static int check_writable(const struct output *o, const struct place *p, struct error *err)
{
	int fd = openat(p->dir, p->name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return output_fail(o, errno, err);
	close(fd);
	return 0;
}

/* Returns whether the error means that the folder cannot be written; a file in it may still be. */
static bool only_in_place(int r)
{
	return r == -EACCES || r == -EPERM || r == -EROFS;
}

static int open_file(struct output *o, const struct place *p, struct error *err)
{
	int r = p->exists ? check_writable(o, p, err) : 0;

	if (r)
		return r;
	if (p->exists && (place_is_mount(p) || (place_is_kept(p) && !privilege_owns_files())))
		return open_stream(o, p, err);
	r = open_beside(o, p, err);
	if (p->exists && only_in_place(r)) {
		free(take_ptr(o->partial));
		return open_stream(o, p, err);
	}
	return r;
}

static int open_at(struct output *o, const struct place *p, struct error *err)
{
	if (p->exists) {
		o->replaces = true;
		o->dev = p->st.st_dev;
		o->ino = p->st.st_ino;
	}
	o->dir = fcntl(p->dir, F_DUPFD_CLOEXEC, 0);
	if (o->dir < 0)
		return output_fail(o, errno, err);
	o->name = xstrdup(p->name);
	if (place_own_fd(p) >= 0)
		return open_own_fd(o, p, err);
	if (p->magic || (p->exists && !S_ISREG(p->st.st_mode)))
		return open_stream(o, p, err);
	return open_file(o, p, err);
}

static int output_open_stdout(struct output *o, struct error *err)
{
	struct stat st;
	struct claims_output c = { .path = "stdout",
				   .before = fstat(STDOUT_FILENO, &st) ? NULL : &st };
	int r = claims_check_output(&c, err);

	o->fd = STDOUT_FILENO;
	o->path = c.path;
	if (!r)
		r = refuse_terminal(o, err);
	if (!r && c.before)
		r = refuse_readers(o, c.before, err);
	if (!r)
		o->claim = claims_add_output(&c, o->fd);
	return r;
}

/* Opens the output, unless an input or another output is the same file. */
static int output_open_claimed(struct output *o, const struct place *p, struct error *err)
{
	_cleanup_free_ char *partial = with_end(p->name, SUFFIX);
	struct claims_output c = {
		.path = o->path, .dir = &p->dir_st, .name = p->name, .partial = partial,
		.before = p->exists ? &p->st : NULL,
	};
	int r = claims_check_output(&c, err);

	if (!r)
		r = open_at(o, p, err);
	if (r)
		return r;
	c.partial = o->partial;
	o->claim = claims_add_output(&c, o->fd);
	return 0;
}

int output_open(struct output *o, const char *path, enum output_form form, struct error *err)
{
	struct place place;
	int r;

	*o = (struct output)OUTPUT_CLOSED;
	o->form = form;
	o->path = path;
	if (!strcmp(path, "-"))
		return output_open_stdout(o, err);
	r = place_find(&place, path, err);
	if (!r)
		r = output_open_claimed(o, &place, err);
	place_release(&place);
	if (r) {
		free(take_ptr(o->partial));	/* not ours */
		output_close(o, false, NULL);
	}
	return r;
}

/* --- which file is it? --- */

/* Two outputs may write to one device, such as /dev/null: neither harms the other. */
static bool output_is_same(const struct output *o, const struct stat *other)
{
	struct stat st;

	if (o->fd < 0 || S_ISCHR(other->st_mode))
		return false;
	return (!fstat(o->fd, &st) && st.st_dev == other->st_dev && st.st_ino == other->st_ino) ||
	       (o->replaces && o->dev == other->st_dev && o->ino == other->st_ino);
}

bool output_is(const struct output *o, int fd)
{
	struct stat st;

	return !fstat(fd, &st) && output_is_same(o, &st);
}

bool output_is_regular(const struct output *o)
{
	struct stat st;

	return !stat(o->path, &st) && S_ISREG(st.st_mode);
}

/* --- begin and end --- */

static int output_check_claim(const struct output *o, struct error *err)
{
	return claims_conflict(o->claim) ?
		       error_set(err, -EINVAL,
				 "'%s' is input and output: it is not written; name another file "
				 "for the output",
				 o->path) :
		       0;
}

int output_begin(const struct output *o, struct error *err)
{
	int r = output_check_claim(o, err);
	struct stat st;

	if (r)
		return r;
	if (o->form == OUTPUT_SECRET && !o->partial && !fstat(o->fd, &st) &&
	    S_ISREG(st.st_mode) && fchmod(o->fd, st.st_mode & most_rights(o)))
		return output_fail(o, errno, err);
	if (o->truncates && ftruncate(o->fd, 0))
		return output_fail(o, errno, err);
	return 0;
}

/* Returns whether the name still has the file that it had at the start. */
static bool is_as_before(const struct output *o)
{
	struct stat st;

	if (fstatat(o->dir, o->name, &st, AT_SYMLINK_NOFOLLOW))
		return true;
	return o->replaces && st.st_dev == o->dev && st.st_ino == o->ino;
}

static int give_name(const struct output *o, struct error *err)
{
	int e;

	if (!is_at(o->fd, o->dir, o->partial))
		return error_set(err, -ESTALE,
				 "cannot write '%s': another program moved or replaced '%s' in the "
				 "same folder meanwhile, which is left alone",
				 o->path, o->partial);
	if (!is_as_before(o))
		e = EEXIST;
	else if (o->replaces)
		e = renameat(o->dir, o->partial, o->dir, o->name) ? errno : 0;
	else
		e = rename_new(o->dir, o->partial, o->name);
	if (e == EEXIST)
		return error_set(err, -e,
				 "'%s' was made by another program meanwhile, and is left alone: "
				 "see '%s' in the same folder",
				 o->path, o->partial);
	if (e)
		return error_set(err, -e, "cannot rename '%s' to '%s': %s", o->partial, o->path,
				 strerror(e));
	return 0;
}

static int output_settle(const struct output *o, bool keep, struct error *err)
{
	int r = 0;

	if (!o->partial)
		return 0;
	privilege_raise_files();
	if (keep)
		r = give_name(o, err);
	else if (is_at(o->fd, o->dir, o->partial))
		unlinkat(o->dir, o->partial, 0);
	privilege_lower_files();
	return r;
}

/*
 * Closes a duplicate: some file systems report a failed write only at a close. The output's own
 * descriptor stays open, and with it the lock.
 */
static int flush(const struct output *o, struct error *err)
{
	int copy = fcntl(o->fd, F_DUPFD_CLOEXEC, 0);

	return copy >= 0 && close(copy) ? output_fail(o, errno, err) : 0;
}

int output_close(struct output *o, bool keep, struct error *err)
{
	int r = keep ? output_check_claim(o, err) : 0;
	bool conflict = r != 0;

	keep = keep && !conflict;
	if (o->fd >= 0 && o->fd != STDOUT_FILENO) {
		if (keep)
			r = flush(o, err);
		if (!r || conflict)
			r |= output_settle(o, keep, err);
		close(o->fd);
	}
	claims_close_output(o->claim, keep && !r);
	if (o->dir >= 0)
		close(o->dir);
	free(o->name);
	free(o->partial);
	free(o->leftover);
	*o = (struct output){ .fd = -1, .dir = -1, .path = o->path };
	return r;
}
