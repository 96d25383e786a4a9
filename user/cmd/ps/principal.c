// SPDX-License-Identifier: Apache-2.0
/* principal: see principal.h. */
#define _GNU_SOURCE
#include "cmd/ps/principal.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/open_under.h"

/* --- subordinate ids --- */

enum { SUBORDINATE_NAME = 64, SUBORDINATE_BYTES = 1 << 20 };

struct subordinate {
	char name[SUBORDINATE_NAME];	/* of the user, or its number */
	unsigned long first, n;
	uid_t user;			/* the first id of the first range of that name */
};

static const struct subordinate *subordinate_named(const struct subordinates *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->ranges.len; i++)
		if (!strcmp(vec_at(&s->ranges, struct subordinate, i)->name, name))
			return vec_at(&s->ranges, struct subordinate, i);
	return NULL;
}

static void subordinate_add(struct subordinates *s, const char *line)
{
	const struct subordinate *same;
	struct subordinate new;

	if (sscanf(line, "%63[^:]:%lu:%lu", new.name, &new.first, &new.n) != 3)
		return;
	same = subordinate_named(s, new.name);
	new.user = same ? same->user : (uid_t)new.first;
	*(struct subordinate *)vec_push(&s->ranges, sizeof(new)) = new;
}

void subordinates_read(struct subordinates *s, const char *text, size_t n)
{
	_cleanup_free_ char *copy = xstrndup(text, n);
	char *line, *save = NULL;

	for (line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		subordinate_add(s, line);
}

void subordinates_load(struct subordinates *s, const struct procfs *fs)
{
	char root[PROCFS_PATH];
	_cleanup_free_ char *text = xcalloc(1, SUBORDINATE_BYTES);
	_cleanup_close_ int fd = -1;
	ssize_t n;

	procfs_path(fs, 1, "root", root);
	fd = open_under(fs->own ? NULL : root, "/etc/subuid");
	n = fd < 0 ? -1 : read(fd, text, SUBORDINATE_BYTES);
	if (n > 0)
		subordinates_read(s, text, (size_t)n);
}

void subordinates_free(struct subordinates *s)
{
	vec_free(&s->ranges);
}

uid_t subordinates_user(const struct subordinates *s, uid_t uid)
{
	const struct subordinate *r;
	size_t i;

	for (i = 0; i < s->ranges.len; i++) {
		r = vec_at(&s->ranges, struct subordinate, i);
		if (uid >= r->first && uid - r->first < r->n)
			return r->user;
	}
	return uid;
}

/* --- user namespaces --- */

static bool ps_principal_is_own(int ns)
{
	struct stat own, other;

	return !stat("/proc/self/ns/user", &own) && !fstat(ns, &other) &&
	       own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

/*
 * The user who made the user namespace of process @pid; of nested namespaces the outermost one
 * below gotap's counts. False: the process is in gotap's user namespace, or the user is not known.
 */
static bool namespace_owner(const struct procfs *fs, pid_t pid, uid_t *ret)
{
	char path[PROCFS_PATH];
	_cleanup_close_ int ns = -1, above = -1;
	bool found = false;

	procfs_path(fs, pid, "ns/user", path);
	ns = open(path, O_RDONLY | O_CLOEXEC);
	if (ns < 0 || ps_principal_is_own(ns))
		return false;
	while (!found && (above = ioctl(ns, NS_GET_PARENT)) >= 0) {
		found = ps_principal_is_own(above) && !ioctl(ns, NS_GET_OWNER_UID, ret);
		cleanup_close(&ns);
		ns = take_fd(&above);
	}
	return found;
}

/* Root's user namespaces are those of containers, which count one by one. */
struct principal principal_of(const struct procfs *fs, pid_t pid, const struct procfs_status *st,
			      const struct container *in, const struct subordinates *s)
{
	uid_t uid = st->uid;

	if (namespace_owner(fs, pid, &uid) && uid)
		in = NULL;
	return in ? (struct principal){ 0, in } :
		    (struct principal){ subordinates_user(s, uid), NULL };
}
