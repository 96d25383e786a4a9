// SPDX-License-Identifier: Apache-2.0
/* procfs: see procfs.h. */
#define _GNU_SOURCE
#include "proc/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/cleanup.h"

enum {
	PROC_MAGIC = 0x9fa0,			/* PROC_SUPER_MAGIC */
	STATUS_MAX = 8192,
};

/* The initial PID namespace always has this inode (PROC_PID_INIT_INO of the kernel). */
static const uint64_t FIRST_PID_NS = 0xeffffffcu;

void procfs_path(const struct procfs *fs, pid_t pid, const char *what, char ret[PROCFS_PATH])
{
	if (pid)
		snprintf(ret, PROCFS_PATH, "%s/%d/%s", fs->dir, pid, what);
	else
		snprintf(ret, PROCFS_PATH, "%s/%s", fs->dir, what);
}

int procfs_file_id(const struct procfs *fs, pid_t pid, const char *what,
		   struct procfs_file_id *ret)
{
	char path[PROCFS_PATH];
	struct stat st;

	procfs_path(fs, pid, what, path);
	if (stat(path, &st))
		return -errno;
	*ret = (struct procfs_file_id){ st.st_dev, st.st_ino };
	return 0;
}

int procfs_read(const struct procfs *fs, pid_t pid, const char *what, size_t max,
		struct buf *out)
{
	_cleanup_close_ int fd = -1;
	char path[PROCFS_PATH];
	size_t end = out->len + max;
	ssize_t n = 1;

	procfs_path(fs, pid, what, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (n > 0 && out->len < end) {
		size_t want = end - out->len < 4096 ? end - out->len : 4096;

		buf_reserve(out, want + 1);
		n = read(fd, out->data + out->len, want);
		if (n < 0)
			return -errno;
		out->len += (size_t)n;
	}
	buf_reserve(out, 1);
	out->data[out->len] = 0;
	return 0;
}

/* --- lists --- */

static int by_pid(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return x < y ? -1 : x > y;
}

static void list_numbers(const char *path, struct vec *ret)
{
	DIR *d = opendir(path);
	struct dirent *e;

	if (!d)
		return;
	while ((e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]))
			*(pid_t *)vec_push(ret, sizeof(pid_t)) = atoi(e->d_name);
	closedir(d);
	vec_sort(ret, sizeof(pid_t), by_pid);
}

void procfs_pids(const struct procfs *fs, struct vec *ret)
{
	list_numbers(fs->dir, ret);
}

void procfs_tids(const struct procfs *fs, pid_t pid, struct vec *ret)
{
	char path[PROCFS_PATH];

	procfs_path(fs, pid, "task", path);
	list_numbers(path, ret);
}

/* --- status --- */

static void take_ids(struct procfs_status *st, const char *s)
{
	char *end;

	for (st->levels = 0; st->levels < PROCFS_LEVELS; s = end) {
		long id = strtol(s, &end, 10);

		if (end == s)
			return;
		st->ids[st->levels++] = (pid_t)id;
	}
}

/* The kernel prints these sizes in units of 1024 bytes. */
static uint64_t status_bytes(const char *s)
{
	return strtoull(s, NULL, 10) << 10;
}

static void take_status_line(struct procfs_status *st, const char *line)
{
	unsigned int uid;

	if (!strncmp(line, "Name:\t", 6))
		snprintf(st->name, sizeof(st->name), "%.*s", (int)strcspn(line + 6, "\n"),
			 line + 6);
	else if (!strncmp(line, "State:\t", 7))
		st->state = line[7];
	else if (!strncmp(line, "Tgid:", 5))
		st->tgid = atoi(line + 5);
	else if (!strncmp(line, "TracerPid:", 10))
		st->tracer = atoi(line + 10);
	else if (!strncmp(line, "Uid:", 4) && sscanf(line + 4, "%*u %u", &uid) == 1)
		st->uid = uid;
	else if (!strncmp(line, "NSpid:", 6))
		take_ids(st, line + 6);
	else if (!strncmp(line, "RssAnon:", 8))
		st->anonymous += status_bytes(line + 8);
	else if (!strncmp(line, "VmSwap:", 7))
		st->anonymous += status_bytes(line + 7);
}

int procfs_status(const struct procfs *fs, pid_t pid, const char *what,
		  struct procfs_status *ret)
{
	struct buf text = {0};
	const char *line;
	int r = procfs_read(fs, pid, what, STATUS_MAX, &text);

	*ret = (struct procfs_status){0};
	if (!r && !text.len)
		r = -ESRCH;
	for (line = r ? NULL : (char *)text.data; line && *line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		take_status_line(ret, line);
	buf_free(&text);
	return r;
}

void procfs_map_tids(const struct procfs *fs, pid_t pid, struct map64 *ret)
{
	struct procfs_status st;
	struct vec tids = {0};
	char what[64];
	size_t i;

	procfs_tids(fs, pid, &tids);
	for (i = 0; i < tids.len; i++) {
		pid_t tid = *vec_at(&tids, pid_t, i);

		snprintf(what, sizeof(what), "task/%d/status", tid);
		if (!procfs_status(fs, pid, what, &st) && st.levels)
			*map64_put(ret, (uint64_t)procfs_inner_id(&st), NULL) = (uint64_t)tid;
	}
	vec_free(&tids);
}

/*
 * The name in field 2 may have any characters, so that fields are counted from its last parenthesis
 * on.
 */
uint64_t procfs_stat_field(const struct procfs *fs, pid_t pid, int n)
{
	struct buf text = {0};
	uint64_t v = 0;
	char *s;
	int i;

	if (!procfs_read(fs, pid, "stat", 4096, &text)) {
		s = strrchr((char *)text.data, ')');
		for (i = 2; s && i < n; i++)
			s = strchr(s + 1, ' ');
		v = s ? strtoull(s, NULL, 10) : 0;
	}
	buf_free(&text);
	return v;
}

int procfs_usage(const struct procfs *fs, pid_t pid, struct procfs_usage *ret)
{
	unsigned long long user, system, start;
	struct buf text = {0};
	int r = procfs_read(fs, pid, "stat", 4096, &text);
	char *s = r ? NULL : strrchr((char *)text.data, ')');

	*ret = (struct procfs_usage){0};
	if (!r &&
	    (!s || sscanf(s,
			  ") %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d "
			  "%*d %*d %llu",
			  &ret->parent, &user, &system, &start) != 4))
		r = -ESRCH;
	if (!r) {
		ret->cpu = user + system;
		ret->start = start;
	}
	buf_free(&text);
	return r;
}

double procfs_uptime(const struct procfs *fs)
{
	struct buf text = {0};
	double seconds = 0;

	if (!procfs_read(fs, 0, "uptime", 128, &text))
		seconds = strtod((char *)text.data, NULL);
	buf_free(&text);
	return seconds;
}

/* --- the mount --- */

/*
 * The mount's PID namespace is that of the processes that have exactly one id in it. The first of
 * these processes may be closed to gotap, even as root.
 */
static int procfs_namespace_of(const struct procfs *fs, struct procfs_file_id *ret)
{
	struct procfs_status st;
	struct vec pids = {0};
	int r = -ESRCH;
	size_t i;

	procfs_pids(fs, &pids);
	for (i = 0; i < pids.len && r; i++) {
		pid_t pid = *vec_at(&pids, pid_t, i);

		if (!procfs_status(fs, pid, "status", &st) && st.levels == 1)
			r = procfs_file_id(fs, pid, "ns/pid", ret);
	}
	vec_free(&pids);
	return r;
}

static int find_namespace(struct procfs *fs, bool given, struct error *err)
{
	struct procfs_file_id ours, its;
	struct stat st;
	int r;

	if (stat("/proc/self/ns/pid", &st))
		return error_set(err, -errno,
				 "cannot read '/proc/self/ns/pid': %s: is proc mounted?",
				 strerror(errno));
	ours = its = (struct procfs_file_id){ st.st_dev, st.st_ino };
	r = given ? procfs_namespace_of(fs, &its) : 0;
	if (r)
		return error_set(err, r, "cannot look into '%s': %s; run gotap as root or with "
				 "CAP_SYS_PTRACE", fs->dir, strerror(-r));
	fs->own = procfs_same_file(ours, its);
	fs->initial = its.ino == FIRST_PID_NS;
	return 0;
}

int procfs_open(struct procfs *fs, const char *dir, struct error *err)
{
	bool given = dir && strcmp(dir, "/proc");
	struct statfs st;
	size_t n;

	*fs = (struct procfs){0};
	dir = dir ? dir : "/proc";
	n = strlen(dir);
	while (n > 1 && dir[n - 1] == '/')
		n--;
	if (n >= sizeof(fs->dir))
		return error_set(err, -ENAMETOOLONG, "'%s' is too long for a mount of proc", dir);
	memcpy(fs->dir, dir, n);
	if (statfs(fs->dir, &st))
		return error_set(err, -errno, "cannot use '%s': %s", fs->dir, strerror(errno));
	if (st.f_type != PROC_MAGIC)
		return error_set(err, -ENOENT, "'%s' is not a mount of proc", fs->dir);
	return find_namespace(fs, given, err);
}
