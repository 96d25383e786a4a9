// SPDX-License-Identifier: Apache-2.0
/* keep: see keep.h. */
#define _GNU_SOURCE
#include "flight/keep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "proc/privilege.h"

/*
 * A younger unfinished file may not be locked yet by the recording that has just created it: it is
 * left alone.
 */
enum { NEW_SECONDS = 2 };

struct kept {
	char *name;
	uint64_t bytes;		/* with the files beside it */
	struct timespec time;
};

struct keep {
	const struct naming *names;
	unsigned int most;
	uint64_t most_bytes, bytes;
	struct vec files;	/* struct kept, the oldest first */
	/*
	 * Files that could not be deleted: traces, counted anew with each reading of the folder,
	 * and files beside them, which no reading finds again.
	 */
	unsigned int stuck, stuck_beside;
};

struct keep *keep_new(const struct naming *names, unsigned int most, uint64_t bytes)
{
	struct keep *k = xcalloc(1, sizeof(*k));

	k->names = names;
	k->most = most;
	k->most_bytes = bytes;
	return k;
}

static struct kept *keep_at(const struct keep *k, size_t i)
{
	return vec_at(&k->files, struct kept, i);
}

/* --- what earlier recordings left --- */

static bool keep_is_regular(int dir, const char *name, struct stat *st)
{
	return !fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st->st_mode) &&
	       st->st_uid == geteuid();
}

/* Bytes of the files beside a trace. */
static uint64_t keep_beside(int dir, const char *trace)
{
	enum naming_beside i;
	uint64_t ret = 0;
	struct stat st;

	for (i = 0; i < BESIDES; i++) {
		_cleanup_free_ char *name = naming_beside(trace, i);

		if (keep_is_regular(dir, name, &st))
			ret += (uint64_t)st.st_size;
	}
	return ret;
}

static void adopt_one(struct keep *k, int dir, const char *name)
{
	_cleanup_free_ char *json = naming_beside(name, BESIDE_JSON);
	struct stat st, json_st;
	struct kept *f;

	if (!keep_is_regular(dir, name, &st) || !keep_is_regular(dir, json, &json_st))
		return;
	f = vec_push(&k->files, sizeof(*f));
	*f = (struct kept){ xstrdup(name), (uint64_t)st.st_size + keep_beside(dir, name),
			    st.st_mtim };
	k->bytes += f->bytes;
}

/* Returns @name without @end, which the caller frees; NULL: it has another end. */
static char *without_end(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && !strcmp(name + n - m, end) ? xstrndup(name, n - m) : NULL;
}

static bool is_unfinished(const struct keep *k, const char *name)
{
	_cleanup_free_ char *whole = without_end(name, NAMING_PARTIAL);
	enum naming_beside i;

	for (i = 0; whole && i < BESIDES; i++) {
		_cleanup_free_ char *trace = without_end(whole, naming_ends[i]);

		if (trace && naming_match(k->names, trace))
			return true;
	}
	return whole && naming_match(k->names, whole);
}

/*
 * Removes the files beside a trace that did not get its name: they got theirs before it, from the
 * same recording, as none has a name that was taken.
 */
static void remove_beside(const struct keep *k, int dir, const char *partial)
{
	_cleanup_free_ char *trace = without_end(partial, NAMING_PARTIAL);
	enum naming_beside i;
	struct stat st;

	if (!naming_match(k->names, trace) || !fstatat(dir, trace, &st, AT_SYMLINK_NOFOLLOW))
		return;
	for (i = 0; i < BESIDES; i++) {
		_cleanup_free_ char *beside = naming_beside(trace, i);

		if (keep_is_regular(dir, beside, &st))
			unlinkat(dir, beside, 0);
	}
}

/*
 * Removes an unfinished file, and what belongs to it, unless a recording that still writes it has
 * locked it.
 */
static void remove_stale(const struct keep *k, int dir, const char *name)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (!keep_is_regular(dir, name, &st) || st.st_mtime + NEW_SECONDS > time(NULL))
		return;
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB))
		return;
	remove_beside(k, dir, name);
	unlinkat(dir, name, 0);
}

static int keep_by_time(const void *a, const void *b)
{
	const struct timespec *x = &((const struct kept *)a)->time,
			      *y = &((const struct kept *)b)->time;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static void forget_all(struct keep *k)
{
	while (k->files.len)
		free(keep_at(k, --k->files.len)->name);
	k->bytes = 0;
	k->stuck = 0;
}

/* Makes the list anew from the folder. If the folder cannot be read, the list does not change. */
static void flight_adopt(struct keep *k, struct error *err)
{
	DIR *d = opendir(k->names->folder);
	struct dirent *e;

	if (!d) {
		error_set(err, -errno,
			  "cannot read the folder '%s': %s: the limits of --keep and --keep-bytes "
			  "hold "
			  "for the snapshots of this recording alone",
			  k->names->folder, strerror(errno));
		return;
	}
	forget_all(k);
	while ((e = readdir(d)))
		if (naming_match(k->names, e->d_name))
			adopt_one(k, dirfd(d), e->d_name);
		else if (is_unfinished(k, e->d_name))
			remove_stale(k, dirfd(d), e->d_name);
	closedir(d);
	vec_sort(&k->files, sizeof(struct kept), keep_by_time);
}

void keep_adopt(struct keep *k)
{
	privilege_raise_files();
	flight_adopt(k, NULL);	/* the first snapshot looks again */
	privilege_lower_files();
}

/* --- old ones are dropped --- */

/* Returns whether the newest @n files, of @bytes together, are beyond the limits. */
static bool keep_is_too_much(const struct keep *k, size_t n, uint64_t bytes)
{
	return n > 1 && ((k->most && n > k->most) || (k->most_bytes && bytes > k->most_bytes));
}

static unsigned int count_excess(const struct keep *k)
{
	uint64_t bytes = k->bytes;
	unsigned int n = 0;

	while (keep_is_too_much(k, k->files.len - n, bytes))
		bytes -= keep_at(k, n++)->bytes;
	return n;
}

static void forget_first(struct keep *k)
{
	struct kept *f = keep_at(k, 0);

	k->bytes -= f->bytes;
	free(f->name);
	k->files.len--;
	memmove(f, f + 1, k->files.len * sizeof(*f));
}

/* Deletes a file. 0: it is deleted. -ENOENT: it was gone already. Other errors: it still exists. */
static int delete_file(const struct keep *k, int dir, const char *name, struct error *err)
{
	int r = unlinkat(dir, name, 0) ? -errno : 0;

	if (r && r != -ENOENT && !err->code)
		error_set(err, r,
			  "cannot delete '%s/%s', which is beyond the limits of --keep and "
			  "--keep-bytes: "
			  "%s",
			  k->names->folder, name, strerror(-r));
	return r;
}

/* Deletes a file beside the first snapshot, if there is one. */
static void delete_beside(struct keep *k, int dir, enum naming_beside which,
			  struct keep_outcome *ret)
{
	_cleanup_free_ char *name = naming_beside(keep_at(k, 0)->name, which);
	int r = delete_file(k, dir, name, &ret->err);

	k->stuck_beside += r && r != -ENOENT;
}

/*
 * A snapshot that cannot be deleted leaves the list, too: if it counted for the limits, newer ones
 * would be deleted in its place.
 */
static void delete_first(struct keep *k, int dir, struct keep_outcome *ret)
{
	const char *name = keep_at(k, 0)->name;
	int r = delete_file(k, dir, name, &ret->err);
	enum naming_beside i;

	if (r && r != -ENOENT) {
		k->stuck++;
	} else {
		for (i = 0; i < BESIDES; i++)
			delete_beside(k, dir, i, ret);
		ret->deleted += !r;
	}
	forget_first(k);
}

static void delete_old(struct keep *k, struct keep_outcome *ret)
{
	unsigned int i, n = count_excess(k);
	_cleanup_close_ int dir = n ? open(k->names->folder, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	ret->undeleted = 0;
	if (n && dir < 0) {	/* they remain in the list, and are tried again */
		if (!ret->err.code)
			error_set(&ret->err, -errno,
				  "cannot delete snapshots in '%s' that are beyond the limits of "
				  "--keep and --keep-bytes: %s",
				  k->names->folder, strerror(errno));
		ret->undeleted = n;
	}
	for (i = 0; dir >= 0 && i < n; i++)
		delete_first(k, dir, ret);
	ret->undeleted += k->stuck + k->stuck_beside;
}

/*
 * Puts the snapshot that was just written at the end of the list, even if another file has the same
 * time.
 */
static void put_last(struct keep *k, const char *name, uint64_t bytes)
{
	struct kept new = { .bytes = bytes };
	size_t i;

	for (i = 0; i < k->files.len && strcmp(keep_at(k, i)->name, name); i++)
		;
	if (i < k->files.len) {
		new = *keep_at(k, i);
		k->files.len--;
		memmove(keep_at(k, i), keep_at(k, i + 1), (k->files.len - i) * sizeof(new));
	} else {
		new.name = xstrdup(name);
		k->bytes += bytes;
	}
	*(struct kept *)vec_push(&k->files, sizeof(new)) = new;
}

void keep_add(struct keep *k, const char *name, uint64_t bytes, struct keep_outcome *ret)
{
	*ret = (struct keep_outcome){0};
	privilege_raise_files();
	if ((k->most || k->most_bytes) && naming_match(k->names, name))
		flight_adopt(k, &ret->err);	/* other recordings write there, too */
	put_last(k, name, bytes);
	delete_old(k, ret);
	privilege_lower_files();
}

void keep_free(struct keep *k)
{
	size_t i;

	if (!k)
		return;
	for (i = 0; i < k->files.len; i++)
		free(keep_at(k, i)->name);
	vec_free(&k->files);
	free(k);
}
