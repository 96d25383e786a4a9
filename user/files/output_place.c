// SPDX-License-Identifier: Apache-2.0
/* output_place: see output_place.h. */
#define _GNU_SOURCE
#include "files/output_place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/vec.h"

enum { MAX_LINKS = 40 };	/* as the kernel has it */

/* Linux 5.8; older headers lack it. */
#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000
#endif

static int not_there(const char *path, int e, struct error *err)
{
	return error_set(err, -e, "cannot write '%s': %s", path, strerror(e));
}

/* Follows @target to its folder; it is relative to p->dir (AT_FDCWD at first). */
static int place_go_into(struct place *p, const char *target)
{
	_cleanup_free_ char *folder = xstrdup(target);
	char *slash = strrchr(folder, '/');
	const char *name = slash ? target + (slash - folder) + 1 : target;
	int dir;

	if (!*target)
		return ENOENT;
	if (!*name)
		return EISDIR;
	if (strlen(name) > NAME_MAX)
		return ENAMETOOLONG;
	strcpy(p->name, name);
	if (slash)
		slash[slash == folder] = 0;	/* "/x" is in "/" */
	dir = openat(p->dir, slash ? folder : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return errno;
	place_release(p);
	p->dir = dir;
	return fstat(dir, &p->dir_st) ? errno : 0;
}

/*
 * Returns whether @link is a link of /proc such as /proc/self/fd/1: it leads to an open file, and
 * its text may be no path.
 */
static bool is_magic(int link)
{
	struct statfs fs;

	return !fstatfs(link, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* 0: p->name is no link; > 0: an errno; -1: it was one, and @target is its text. */
static int place_look(struct place *p, char target[PATH_MAX])
{
	_cleanup_close_ int fd = openat(p->dir, p->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	ssize_t n;

	p->exists = fd >= 0;
	if (fd < 0)
		return errno == ENOENT ? 0 : errno;
	if (fstat(fd, &p->st))
		return errno;
	if (!S_ISLNK(p->st.st_mode) || place_is_foreign(p, &p->st))
		return 0;
	if (is_magic(fd)) {
		p->magic = true;
		return fstatat(p->dir, p->name, &p->st, 0) ? errno : 0;
	}
	n = readlinkat(fd, "", target, PATH_MAX - 1);
	if (n < 0)
		return errno;
	target[n] = 0;
	return -1;
}

int place_find(struct place *p, const char *path, struct error *err)
{
	char target[PATH_MAX];
	int links, e = 0;

	*p = (struct place){ .dir = AT_FDCWD };
	if (strlen(path) >= sizeof(target))
		return not_there(path, ENAMETOOLONG, err);
	strcpy(target, path);
	for (links = 0; links <= MAX_LINKS; links++) {
		e = place_go_into(p, target);
		if (!e)
			e = place_look(p, target);
		if (e >= 0)
			break;
	}
	if (e)
		return not_there(path, e < 0 ? ELOOP : e, err);
	if (p->exists && place_is_foreign(p, &p->st))
		return error_set(err, -EACCES,
				 "cannot write '%s': it belongs to another user (uid %u), in a "
				 "folder where others may put files: name a file elsewhere",
				 path, p->st.st_uid);
	return 0;
}

bool place_is_foreign(const struct place *p, const struct stat *st)
{
	return p->dir_st.st_mode & S_ISVTX && p->dir_st.st_mode & (S_IWOTH | S_IWGRP) &&
	       st->st_uid != geteuid() && st->st_uid != p->dir_st.st_uid;
}

bool place_is_kept(const struct place *p)
{
	return p->exists && p->dir_st.st_mode & S_ISVTX && p->dir_st.st_uid != geteuid() &&
	       p->st.st_uid != geteuid();
}

bool place_is_mount(const struct place *p)
{
	struct statx stx;

	return !statx(p->dir, p->name, AT_SYMLINK_NOFOLLOW, STATX_INO, &stx) &&
	       stx.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

int place_own_fd(const struct place *p)
{
	struct stat own;
	char *end;
	long fd = strtol(p->name, &end, 10);

	if (!p->magic || *end || end == p->name || stat("/proc/self/fd", &own) ||
	    own.st_dev != p->dir_st.st_dev || own.st_ino != p->dir_st.st_ino)
		return -1;
	return (int)fd;
}

void place_release(struct place *p)
{
	if (p->dir >= 0)
		close(p->dir);
	p->dir = -1;
}
