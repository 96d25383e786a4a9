// SPDX-License-Identifier: Apache-2.0
/* socket_folder: see socket_folder.h. */
#define _GNU_SOURCE
#include "flight/socket_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "flight/socket_file.h"
#include "proc/procfs.h"

/* --- names --- */

/* Stores folder number @i of this user, without a slash at the end. False: there is none. */
static bool folder_name(int i, char ret[static SOCKET_PATH])
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	unsigned int uid = geteuid();
	int n = -1;

	if (i == 0 && !uid)
		n = snprintf(ret, SOCKET_PATH, "/run/gotap");
	else if (i == 0 && runtime && *runtime == '/')
		n = snprintf(ret, SOCKET_PATH, "%s/gotap", runtime);
	else if (i <= 1)
		n = snprintf(ret, SOCKET_PATH, "/run/user/%u/gotap", uid);
	else if (i == 2)
		n = snprintf(ret, SOCKET_PATH, "/tmp/gotap-%u", uid);
	if (n >= SOCKET_PATH)
		ret[0] = 0;
	return n >= 0;
}

/* Returns when process @pid began, in ticks since boot; 0: there is no such process. */
static uint64_t start_of(unsigned int pid)
{
	struct procfs_usage usage;
	struct procfs fs;
	struct error err;

	if (procfs_open(&fs, NULL, &err) || procfs_usage(&fs, (pid_t)pid, &usage))
		return 0;
	return usage.start;
}

bool socket_folder_path(int i, unsigned int pid, char ret[static SOCKET_PATH])
{
	char folder[SOCKET_PATH];

	if (!folder_name(i, folder))
		return false;
	if (snprintf(ret, SOCKET_PATH, "%s/flight-%u-%" PRIu64, folder, pid, start_of(pid)) >=
	    SOCKET_PATH)
		ret[0] = 0;
	return true;
}

/* --- the owner of a folder --- */

/*
 * Returns whether folder @fd is safe from other users, so that they cannot replace its entries: it
 * belongs to root or to this user, and others may write to it at most as to /tmp (sticky).
 */
static bool holds_names(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && (!st.st_uid || st.st_uid == geteuid()) &&
	       (!(st.st_mode & 022) || st.st_mode & S_ISVTX);
}

/* Opens the folder itself, and follows no link: a link in /tmp may belong to another user. */
static int socket_folder_open_own(const char *folder)
{
	char parent[SOCKET_PATH];
	_cleanup_close_ int above = -1, fd = -1;
	char *slash;
	struct stat st;

	snprintf(parent, sizeof(parent), "%s", folder);
	slash = strrchr(parent, '/');
	if (!slash)
		return -ENOENT;
	*slash = 0;
	above = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = above < 0 ? -1 :
			 openat(above, slash + 1, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ENOENT : -EPERM;
	if (!holds_names(above) || fstat(fd, &st) || st.st_uid != geteuid() || st.st_mode & 077)
		return -EPERM;
	return take_fd(&fd);
}

int socket_folder_check(const char *path)
{
	char folder[SOCKET_PATH];
	char *slash;
	int fd;

	snprintf(folder, sizeof(folder), "%s", path);
	slash = strrchr(folder, '/');
	if (!slash)
		return -ENOENT;
	*slash = 0;
	fd = socket_folder_open_own(folder);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

/* --- what killed recordings have left --- */

/*
 * Returns whether @name is the socket of a process that this PID namespace no longer has. A gotap
 * of another PID namespace may still listen at it: socket_file_sweep() checks that.
 */
static bool is_of_the_past(const char *name)
{
	unsigned int pid;
	uint64_t start;
	int end = 0;

	return sscanf(name, "flight-%u-%" SCNu64 "%n", &pid, &start, &end) == 2 && !name[end] &&
	       start_of(pid) != start;
}

static void sweep_folder(const char *folder, int fd)
{
	char path[SOCKET_PATH];
	struct dirent *e;
	DIR *d = fdopendir(fd);

	if (!d) {
		close(fd);
		return;
	}
	while ((e = readdir(d)))
		if (is_of_the_past(e->d_name) &&
		    snprintf(path, sizeof(path), "%s/%s", folder, e->d_name) < SOCKET_PATH)
			socket_file_sweep(path);
	closedir(d);
}

static void list_folder(const char *folder, int fd, struct vec *ret)
{
	struct dirent *e;
	DIR *d = fdopendir(fd);

	if (!d) {
		close(fd);
		return;
	}
	while ((e = readdir(d)))
		if (!strncmp(e->d_name, "flight-", 7))
			*(char **)vec_push(ret, sizeof(char *)) =
				xasprintf("%s/%s", folder, e->d_name);
	closedir(d);
}

void socket_folder_list(struct vec *ret)
{
	char folder[SOCKET_PATH];
	int i, fd;

	for (i = 0; folder_name(i, folder); i++) {
		fd = *folder ? socket_folder_open_own(folder) : -1;
		if (fd >= 0)
			list_folder(folder, fd, ret);
	}
}

/*
 * Makes the folder. mkdir(2) does not follow a link as the last part of the path;
 * socket_folder_open_own() checks the folder that is there.
 */
static int make_one(const char *folder)
{
	int fd;

	if (!*folder)
		return -ENAMETOOLONG;
	mkdir(folder, 0700);
	fd = socket_folder_open_own(folder);
	if (fd < 0)
		return fd;
	sweep_folder(folder, fd);
	return 0;
}

int socket_folder_make(unsigned int pid, char ret[static SOCKET_PATH], struct error *err)
{
	char folder[SOCKET_PATH];
	int i, r = -ENOENT;

	for (i = 0; folder_name(i, folder); i++) {
		r = make_one(folder);
		if (!r && socket_folder_path(i, pid, ret) && *ret)
			return 0;
	}
	return error_set(err, r ? r : -ENAMETOOLONG,
			 "no folder is there, or can be made, that only user %u can open (such as "
			 "'%s'): name a socket with --socket PATH",
			 geteuid(), folder);
}
