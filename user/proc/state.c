// SPDX-License-Identifier: Apache-2.0
/* state: shared by the readers; see state.h. */
#define _GNU_SOURCE
#include "proc/state.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/open_under.h"
#include "proc/json.h"

void state_glob(struct containers *cs, const char *pattern,
		void (*take)(struct containers *cs, const char *path))
{
	_cleanup_free_ char *all = xasprintf("%s%s", cs->root, pattern);
	size_t i, above = strlen(cs->root);
	glob_t found;

	if (glob(all, 0, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc && cs->list.len < STATE_CONTAINERS; i++)
		take(cs, found.gl_pathv[i] + above);
	globfree(&found);
}

char *state_component(const char *path, int i)
{
	const char *end = path + strlen(path), *s = end;

	for (;; i--, end = --s) {
		while (s > path && s[-1] != '/')
			s--;
		if (!i || s == path)
			return i ? xstrdup("") : xstrndup(s, (size_t)(end - s));
	}
}

/*
 * Subtracts @size bytes of a file of user @uid from the bytes that may still be read; false: too
 * many.
 */
static bool may_read(struct containers *cs, uid_t uid, off_t size)
{
	/* cost of an empty file, so that the number of files is bounded, too */
	enum { LOOK = 4096 };
	size_t cost = (size_t)size + LOOK;

	if (size > STATE_FILE)
		return false;
	if (!uid)
		return true;
	if (cost > cs->foreign_left)
		return false;
	cs->foreign_left -= cost;
	return true;
}

/* Appends the file and a NUL, which does not count; false if there is no such file. */
static bool state_read_file(struct containers *cs, const char *path, struct buf *text)
{
	_cleanup_close_ int fd = open_under(cs->root, path);
	struct stat st;
	ssize_t n = 1;

	if (fd < 0 || fstat(fd, &st) || !may_read(cs, st.st_uid, st.st_size))
		return false;
	buf_reserve(text, (size_t)st.st_size + 1);
	while (n > 0 && text->len < (size_t)st.st_size) {
		n = read(fd, text->data + text->len, (size_t)st.st_size - text->len);
		text->len += n > 0 ? (size_t)n : 0;
	}
	text->data[text->len] = 0;
	return n >= 0;
}

struct json_object *state_json(struct containers *cs, const char *path)
{
	struct json_object *obj = NULL;
	struct buf text = {0};

	if (state_read_file(cs, path, &text))
		obj = json_parse((char *)text.data, text.len);
	buf_free(&text);
	return obj;
}

pid_t state_pid_file(struct containers *cs, const char *path)
{
	struct buf text = {0};
	long pid = 0;

	if (state_read_file(cs, path, &text))
		pid = strtol((char *)text.data, NULL, 10);
	buf_free(&text);
	return pid > 0 && pid <= INT_MAX ? (pid_t)pid : 0;
}
