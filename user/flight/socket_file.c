// SPDX-License-Identifier: Apache-2.0
/* socket_file: see socket_file.h. */
#define _GNU_SOURCE
#include "flight/socket_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/folder_lock.h"
#include "base/vec.h"
#include "flight/socket_address.h"
#include "proc/privilege.h"

/*
 * Opens the folder of @path; *@name is the name in it. The owner of a folder on the path can
 * replace that folder meanwhile: a removal by the descriptor removes no file outside of the opened
 * folder.
 */
static int open_folder(const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *folder = slash ? xstrndup(path, (size_t)(slash - path) + 1) :
					      xstrdup(".");

	*name = slash ? slash + 1 : path;
	return open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/*
 * Returns whether it is a socket at which no process listens, as one that a killed gotap has left.
 */
static bool is_left(int dir, const char *name, const struct sockaddr_un *a, socklen_t n)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct stat st;

	return !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISSOCK(st.st_mode) &&
	       st.st_uid == geteuid() && connect(fd, (const struct sockaddr *)a, n) &&
	       errno == ECONNREFUSED;
}

/*
 * Removes a socket at which no process listens. @lock is the lock of the folder: without it another
 * gotap may begin to listen there between the check and the removal.
 */
static int remove_left(const struct sockaddr_un *a, socklen_t n, int lock)
{
	const char *name;
	_cleanup_close_ int dir = open_folder(a->sun_path, &name);

	if (dir < 0 || !is_left(dir, name, a, n))
		return -EADDRINUSE;
	if (lock < 0)
		return lock;
	return unlinkat(dir, name, 0) && errno != ENOENT ? -errno : 0;
}

static int bind_only(int fd, const struct sockaddr_un *a, socklen_t n, struct error *err)
{
	if (!bind(fd, (const struct sockaddr *)a, n))
		return 0;
	if (errno == EADDRINUSE)
		return error_set(err, -errno,
				 "another program listens at %s: name a socket with --socket PATH",
				 a->sun_path);
	return error_set(err, -errno, "cannot listen at '%s': %s", a->sun_path, strerror(errno));
}

static int bind_at(int fd, const struct sockaddr_un *a, socklen_t n, int lock, struct error *err)
{
	int r;

	fchmod(fd, 0600);	/* the mode of the file that bind() makes */
	if (!bind(fd, (const struct sockaddr *)a, n))
		return 0;
	r = errno == EADDRINUSE ? remove_left(a, n, lock) : 0;
	if (r && r != -EADDRINUSE)
		return error_set(err, r,
				 "cannot listen at '%s', a socket at which no process listens: it "
				 "cannot be replaced: "
				 "%s",
				 a->sun_path, strerror(-r));
	return bind_only(fd, a, n, err);
}

static int listen_at(struct socket_file *f, int fd, const struct sockaddr_un *a, socklen_t n,
		     int backlog, struct error *err)
{
	_cleanup_close_ int lock = folder_lock(a->sun_path);
	struct stat st;
	int r = bind_at(fd, a, n, lock, err);

	if (r)
		return r;
	if (!lstat(a->sun_path, &st))
		*f = (struct socket_file){ xstrdup(a->sun_path), st.st_dev, st.st_ino };
	return listen(fd, backlog) ? error_set(err, -errno, "cannot listen: %s", strerror(errno)) :
				     0;
}

int socket_file_listen(struct socket_file *f, int fd, const struct sockaddr_un *a, socklen_t n,
		       int backlog, struct error *err)
{
	int r;

	*f = (struct socket_file){0};
	privilege_raise_files();
	r = listen_at(f, fd, a, n, backlog, err);
	privilege_lower_files();
	return r;
}

void socket_file_sweep(const char *path)
{
	_cleanup_close_ int lock = folder_lock(path);
	struct sockaddr_un a;
	socklen_t n = socket_address(&a, path);

	if (n && lock >= 0)
		remove_left(&a, n, lock);
}

static void remove_own(const struct socket_file *f)
{
	const char *name;
	_cleanup_close_ int dir = open_folder(f->path, &name);
	struct stat st;

	if (dir >= 0 && !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && st.st_dev == f->dev &&
	    st.st_ino == f->ino)
		unlinkat(dir, name, 0);
}

void socket_file_remove(struct socket_file *f)
{
	if (!f->path)
		return;
	privilege_raise_files();
	remove_own(f);
	privilege_lower_files();
	free(f->path);
	f->path = NULL;
}
