// SPDX-License-Identifier: Apache-2.0
/* store: see store.h. */
#define _GNU_SOURCE
#include "mcp/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/show.h"
#include "mcp/tools.h"
#include "threads/file.h"

/* All files that a server writes begin so, those of an earlier one, too. */
static const char store_prefix[] = "gotap-mcp-";

struct store_known {
	char *name;
	struct timespec modified; /* of the file that the rest is about */
	off_t size;
	struct json_object *losses;
	bool recorded;
};

int store_open(struct store *s, const char *path, uint64_t most_bytes, struct error *err)
{
	*s = (struct store){ .fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
			     .most_bytes = most_bytes };
	if (s->fd < 0)
		return error_set(err, -errno, "cannot open the folder '%s' of --dir: %s", path,
				 strerror(errno));
	s->path = realpath(path, NULL);
	return s->path ? 0 :
			 error_set(err, -errno, "cannot find the folder '%s' of --dir: %s", path,
				   strerror(errno));
}

static struct store_known *store_known_at(const struct store *s, size_t i)
{
	return vec_at(&s->known, struct store_known, i);
}

void store_close(struct store *s)
{
	size_t i;

	for (i = 0; i < s->known.len; i++) {
		free(store_known_at(s, i)->name);
		json_object_put(store_known_at(s, i)->losses);
	}
	vec_free(&s->known);
	if (s->fd >= 0)
		close(s->fd);
	free(s->path);
}

/* A symbolic link in the folder could lead out of it. */
static bool store_stat(const struct store *s, const char *name, struct stat *st)
{
	return !fstatat(s->fd, name, st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st->st_mode);
}

int store_check(const struct store *s, const char *name, struct error *err)
{
	_cleanup_free_ char *threads = threads_file_name(name);
	struct stat st;

	if (!fstatat(s->fd, threads, &st, AT_SYMLINK_NOFOLLOW) && !S_ISREG(st.st_mode))
		return error_set(err, -EINVAL,
				 "'%s' beside the trace is no regular file: it could lead out of "
				 "the folder of the server",
				 threads);
	if (store_stat(s, name, &st))
		return 0;
	return error_set(err, -ENOENT,
			 "there is no trace '%s' in the folder of the server: call "
			 "`traces` for their names, or `record`",
			 name);
}

/* --- files --- */

/* Calls @take for each regular file. The folder may be read by several calls at the same time. */
static void store_each(const struct store *s,
		       void (*take)(void *ctx, const char *name, const struct stat *st), void *ctx)
{
	int fd = openat(s->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	struct stat st;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(dir)))
		if (tool_is_file_name(e->d_name) && store_stat(s, e->d_name, &st))
			take(ctx, e->d_name, &st);
	closedir(dir);
}

static void store_add_bytes(void *ctx, const char *name, const struct stat *st)
{
	/* by blocks: a file that is being written may have holes */
	if (!strncmp(name, store_prefix, sizeof(store_prefix) - 1))
		*(uint64_t *)ctx += (uint64_t)st->st_blocks * 512;
}

uint64_t store_used(const struct store *s)
{
	uint64_t bytes = 0;

	store_each(s, store_add_bytes, &bytes);
	return bytes;
}

char *store_new_name(struct store *s, pid_t pid)
{
	time_t now = time(NULL);
	struct stat st;
	struct tm tm;
	char day[32], *name;

	gmtime_r(&now, &tm);
	strftime(day, sizeof(day), "%Y%m%dT%H%M%SZ", &tm);
	for (;;) {
		name = xasprintf("%s%s-%d-%u.trace", store_prefix, day, (int)pid, ++s->number);
		if (fstatat(s->fd, name, &st, AT_SYMLINK_NOFOLLOW))
			return name;
		free(name);
	}
}

/* --- what is known --- */

/* NULL: nothing, or the file is another one now. */
static const struct store_known *store_find(const struct store *s, const char *name)
{
	struct stat st;
	size_t i;

	if (!store_stat(s, name, &st))
		return NULL;
	for (i = 0; i < s->known.len; i++) {
		const struct store_known *k = store_known_at(s, i);

		if (!strcmp(k->name, name) && k->size == st.st_size &&
		    k->modified.tv_sec == st.st_mtim.tv_sec &&
		    k->modified.tv_nsec == st.st_mtim.tv_nsec)
			return k;
	}
	return NULL;
}

/* A record of the file as it was before is replaced: there is one for each name. */
static struct store_known *store_place(struct store *s, const char *name)
{
	struct store_known *k;
	size_t i;

	for (i = 0; i < s->known.len; i++)
		if (!strcmp(store_known_at(s, i)->name, name))
			return store_known_at(s, i);
	k = vec_push(&s->known, sizeof(*k));
	k->name = xstrdup(name);
	return k;
}

void store_learn(struct store *s, const char *name, struct json_object *losses, bool recorded)
{
	const struct store_known *before = store_find(s, name);
	struct store_known *k;
	struct stat st;

	/* the report of the recorder has more than what the trace says */
	if ((before && before->recorded && !recorded) || !store_stat(s, name, &st)) {
		json_object_put(losses);
		return;
	}
	k = store_place(s, name);
	json_object_put(k->losses);
	k->losses = losses;
	k->recorded = recorded;
	k->size = st.st_size;
	k->modified = st.st_mtim;
}

struct json_object *store_losses(const struct store *s, const char *name)
{
	static const char *const numbers[] = { "lost_records",   "lost_stacks",
					       "repairs",        "unrecorded_seconds",
					       "probes_percent", "gotap_percent" };
	const struct store_known *k = store_find(s, name);
	struct json_object *ret;
	size_t i;

	if (k)
		return json_object_get(k->losses);
	ret = json_object_new_object();
	json_object_object_add(ret, "trace", json_object_new_string(name));
	json_object_object_add(ret, "known", json_object_new_boolean(false));
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		json_object_object_add(ret, numbers[i], NULL);
	return ret;
}

/* --- the list --- */

enum { STORE_LISTED = 1000 };

struct store_file {
	char *name;
	struct stat st;
};

/* Files beside traces, and what is no trace by its name, are left out. */
static bool store_is_beside(const char *name)
{
	static const char *const ends[] = { ".threads", ".partial", ".json", ".spool", ".txt" };
	size_t i, n = strlen(name), m;

	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		m = strlen(ends[i]);
		if (n > m && !strcmp(name + n - m, ends[i]))
			return true;
	}
	return false;
}

static void store_add_file(void *ctx, const char *name, const struct stat *st)
{
	struct vec *files = ctx;

	if (!store_is_beside(name) && st->st_size)
		*(struct store_file *)vec_push(files, sizeof(struct store_file)) =
			(struct store_file){ xstrdup(name), *st };
}

static int store_newest_first(const void *a, const void *b)
{
	const struct stat *x = &((const struct store_file *)a)->st;
	const struct stat *y = &((const struct store_file *)b)->st;

	if (x->st_mtim.tv_sec != y->st_mtim.tv_sec)
		return x->st_mtim.tv_sec < y->st_mtim.tv_sec ? 1 : -1;
	return x->st_mtim.tv_nsec < y->st_mtim.tv_nsec ? 1 :
	       x->st_mtim.tv_nsec > y->st_mtim.tv_nsec ? -1 :
							 0;
}

static struct json_object *store_describe(const struct store *s, const struct store_file *f)
{
	const struct store_known *k = store_find(s, f->name);
	struct json_object *ret = json_object_new_object();
	struct tm tm;
	char time[32];

	gmtime_r(&f->st.st_mtim.tv_sec, &tm);
	strftime(time, sizeof(time), "%Y-%m-%dT%H:%M:%SZ", &tm);
	json_object_object_add(ret, "name", json_object_new_string(f->name));
	json_object_object_add(ret, "bytes", json_object_new_int64(f->st.st_size));
	json_object_object_add(ret, "modified", json_object_new_string(time));
	json_object_object_add(ret, "recorded_here", json_object_new_boolean(k && k->recorded));
	json_object_object_add(ret, "losses", store_losses(s, f->name));
	return ret;
}

struct json_object *store_list(const struct store *s)
{
	struct json_object *ret = json_object_new_object(), *list = json_object_new_array();
	_cleanup_free_ char *folder = show_dup(s->path);	/* it may be no UTF-8 */
	struct vec files = {0};
	size_t i;

	store_each(s, store_add_file, &files);
	vec_sort(&files, sizeof(struct store_file), store_newest_first);
	for (i = 0; i < files.len; i++) {
		if (i < STORE_LISTED)
			json_object_array_add(
				list, store_describe(s, vec_at(&files, struct store_file, i)));
		free(vec_at(&files, struct store_file, i)->name);
	}
	vec_free(&files);
	json_object_object_add(ret, "folder", json_object_new_string(folder));
	json_object_object_add(ret, "bytes", json_object_new_int64((int64_t)store_used(s)));
	json_object_object_add(ret, "bytes_most", json_object_new_int64((int64_t)s->most_bytes));
	json_object_object_add(ret, "traces", list);
	return ret;
}
