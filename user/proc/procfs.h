/* SPDX-License-Identifier: Apache-2.0 */
/*
 * procfs: processes as /proc shows them. In: a mount of proc, by default "/proc"; in a container it
 * may be the host's, mounted elsewhere. Out: lists, status lines, whole files. Other processes
 * change these files, which may vanish between two reads: no function assumes that a second read
 * finds the same.
 *
 * Process and thread ids in this room are those that the mount shows. They are ids for gotap's own
 * system calls only if the mount is of gotap's PID namespace, and ids for BPF programs only if it
 * is of the initial one.
 */
#ifndef GOTAP_PROC_PROCFS_H
#define GOTAP_PROC_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/map64.h"
#include "base/vec.h"

struct procfs {
	char dir[200];		/* no slash at the end */
	bool own;		/* of gotap's own PID namespace */
	bool initial;		/* of the initial PID namespace */
};

/*
 * Opens a mount of proc; @dir NULL: "/proc". -ENOENT if @dir is no mount of proc; -EACCES if it
 * belongs to another PID namespace and gotap may not read there.
 */
int procfs_open(struct procfs *fs, const char *dir, struct error *err);

enum { PROCFS_PATH = 280 };

/*
 * Stores the path of a file in @ret: the mount's folder, @pid and @what with slashes between them.
 * @pid 0: a file of the mount itself, such as "uptime".
 */
void procfs_path(const struct procfs *fs, pid_t pid, const char *what, char ret[PROCFS_PATH]);

/*
 * Appends the file's bytes, at most @max, to @out and a NUL after them, which does not count.
 * -errno; for a process that is gone -ENOENT or -ESRCH.
 */
int procfs_read(const struct procfs *fs, pid_t pid, const char *what, size_t max,
		struct buf *out);

/* Appends all process ids (pid_t), ascending. */
void procfs_pids(const struct procfs *fs, struct vec *ret);
/* Appends all thread ids of a process (pid_t), ascending. */
void procfs_tids(const struct procfs *fs, pid_t pid, struct vec *ret);

enum { PROCFS_LEVELS = 33 };	/* the kernel nests PID namespaces 32 deep */

/* The fields of a status file that are used. */
struct procfs_status {
	char name[64];
	pid_t tgid;
	char state;			/* 'R', 'S', 'Z', ... */
	uid_t uid;			/* effective */
	uint64_t anonymous;		/* bytes of anonymous memory, resident or in swap */
	pid_t tracer;			/* the thread that traces this one; 0: none */
	/* ids from the mount's namespace inwards to the process's own */
	pid_t ids[PROCFS_LEVELS];
	/* number of ids; 1: the process has no namespace of its own */
	int levels;
};

/* Reads a status file. @what: "status" or "task/TID/status". */
int procfs_status(const struct procfs *fs, pid_t pid, const char *what,
		  struct procfs_status *ret);

/* Returns the id of the process or thread in its own PID namespace. */
static inline pid_t procfs_inner_id(const struct procfs_status *st)
{
	return st->levels ? st->ids[st->levels - 1] : 0;
}

/*
 * Adds the threads of a process to @ret: from the thread id in the process's own namespace to the
 * one that the mount shows.
 */
void procfs_map_tids(const struct procfs *fs, pid_t pid, struct map64 *ret);

/* Device and inode of a namespace file ("ns/pid", "ns/user") or of another ("exe"). */
struct procfs_file_id {
	uint64_t dev, ino;
};

int procfs_file_id(const struct procfs *fs, pid_t pid, const char *what,
		   struct procfs_file_id *ret);

static inline bool procfs_same_file(struct procfs_file_id a, struct procfs_file_id b)
{
	return a.dev == b.dev && a.ino == b.ino;
}

/* CPU time and related facts, from the stat file; times in clock ticks (sysconf(_SC_CLK_TCK)). */
struct procfs_usage {
	pid_t parent;
	uint64_t cpu;			/* of all its threads, also those that have ended */
	uint64_t start;			/* since boot */
};

int procfs_usage(const struct procfs *fs, pid_t pid, struct procfs_usage *ret);
/*
 * Returns the seconds since boot in the mount's time namespace, comparable with @start; 0 if
 * unreadable.
 */
double procfs_uptime(const struct procfs *fs);

/* Returns field @n (from 1, at least 4) of the process's stat file as a number, 0 if unreadable. */
uint64_t procfs_stat_field(const struct procfs *fs, pid_t pid, int n);

#endif
