// SPDX-License-Identifier: Apache-2.0
/* output: see output.h. */
#define _GNU_SOURCE
#include "cmd/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int output_open(struct output *o, const char *path, struct error *err)
{
	*o = (struct output){ .fd = -1, .path = path };
	if (!strcmp(path, "-")) {
		if (isatty(STDOUT_FILENO))
			return error_set(err, -EINVAL, "a trace is not for a terminal: "
					 "redirect stdout or name a file with -o");
		o->fd = STDOUT_FILENO;
		o->path = "stdout";
		return 0;
	}
	o->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	o->created = o->fd >= 0;
	if (o->fd < 0 && errno == EEXIST)
		o->fd = open(path, O_WRONLY | O_CLOEXEC);
	if (o->fd < 0)
		return error_set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
	return 0;
}

/* Two ways to write to a device, as /dev/null, harm neither. */
static bool is_same(const struct output *o, const struct stat *other)
{
	struct stat st;

	return o->fd >= 0 && !fstat(o->fd, &st) && !S_ISCHR(st.st_mode) &&
	       st.st_dev == other->st_dev && st.st_ino == other->st_ino;
}

bool output_is(const struct output *o, int fd)
{
	struct stat st;

	return !fstat(fd, &st) && is_same(o, &st);
}

bool output_is_file(const struct output *o, const char *path)
{
	struct stat st;

	return !stat(path, &st) && is_same(o, &st);
}

int output_begin(struct output *o, struct error *err)
{
	struct stat st;

	if (fstat(o->fd, &st) || !S_ISREG(st.st_mode) || o->fd == STDOUT_FILENO)
		return 0;
	if (ftruncate(o->fd, 0))
		return error_set(err, -errno, "cannot write '%s': %s", o->path, strerror(errno));
	return 0;
}

int output_close(struct output *o, bool keep, struct error *err)
{
	int fd = o->fd;

	o->fd = -1;
	if (fd < 0 || fd == STDOUT_FILENO)
		return 0;
	if (!keep && o->created)
		unlink(o->path);
	if (close(fd) && keep)
		return error_set(err, -errno, "cannot write '%s': %s", o->path, strerror(errno));
	return 0;
}
