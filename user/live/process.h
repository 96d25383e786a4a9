/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process: the traced process from outside: its executable, load bias, memory
 * and life. Descriptors hold the process, its executable and its root folder. Each is
 * looked up once, so that gotap parses, probes and names the same file, whatever the
 * process execs or mounts meanwhile.
 * Nothing here stops or changes it; a launched program is held only
 * until the first instruction of Go's runtime, so that probes are in place: just
 * after an exec, or, if Go is in a library of it, just after that was mapped.
 */
#ifndef GOTAP_LIVE_PROCESS_H
#define GOTAP_LIVE_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/map64.h"
#include "proc/procfs.h"

/* A word of the process's memory that changes when something has happened. */
struct watched {
	uint64_t addr;		/* 0: nothing to watch */
	uint64_t value;		/* it holds this, */
	uint64_t unlinked;	/* or this or 0 until the loader has run */
};

struct process {
	struct procfs fs;	/* where pid is meant */
	pid_t pid;
	/*
	 * Readable once the process has ended; if fs is not of our own PID
	 * namespace, the process's folder in fs instead.
	 */
	int pidfd;
	int memory;		/* its mem file in the latter case, else -1 */
	struct readers *readers;	/* live/memory.h; NULL: none */
	int exe_file;		/* the executable; works for deleted and container files */
	char exe[PROCFS_PATH];	/* the path of that descriptor: /proc/self/fd/N */
	int root;		/* its root folder (O_PATH), -1: may not be seen */
	/*
	 * The process id that BPF programs compare with and the namespace in
	 * which it and all thread ids are meant: 0 for the machine's first.
	 */
	pid_t bpf_tgid;
	struct procfs_file_id bpf_ns;
	/*
	 * The file with the Go program: the executable, or a library that the process has loaded
	 * (live/module).
	 */
	int library_file;	/* the library; -1: the executable */
	char module[PROCFS_PATH];	/* path of the library's descriptor */
	uint64_t bias;		/* address in memory minus link-time address of that file */
	struct watched last_module;	/* changes when it opens a plugin (live/module) */
	uint64_t exe_id[3];	/* device, inode, stack start: changes when it execs */
	/* from its first instruction on: our child, or held for us by another process */
	bool launched;
	/* launched, and stopped at its first instruction until process_release() */
	bool held;
	/* socket to the process that holds it for us; -1: it is our child, if launched */
	int holder;
	/* the holder ended before gotap continued the process: it may have run meanwhile */
	bool hold_lost;
	/* not 0: gotap stops waiting for the process; NULL: it never does */
	const volatile sig_atomic_t *stop;
	int status;		/* wait status, once ended and launched */
	bool reaped;
};

#define PROCESS_CLOSED \
	{ .pidfd = -1, .memory = -1, .exe_file = -1, .root = -1, .library_file = -1, .holder = -1 }

/* "/proc/self/fd/N": a path to the very file that is open as @fd. */
void process_file_path(int fd, char ret[PROCFS_PATH]);
/* The descriptor of such a path; -1: of another one, or NULL. */
int process_file_of_path(const char *path);

/*
 * @pid is one that @fs shows. Attaches nothing yet. -ESRCH no such process,
 * -EACCES not allowed to read it.
 */
int process_open(struct process *p, const struct procfs *fs, pid_t pid, struct error *err);
/*
 * Forks and execs @argv with descriptor @out as its standard output, stopped right
 * after exec. Then it is held: process_release() lets it run. @in_child runs between
 * fork and exec. If exec fails the process is reaped with status 127 (there is no such
 * file) or 126.
 *
 * Here and below, -EINTR: *@stop, which signal handlers set, is not 0 any more. The process
 * goes on and is not held; gotap must end now, with which the kernel ends the tracing.
 */
int process_launch(struct process *p, const struct procfs *fs, char **argv, int out,
		   void (*in_child)(void), const volatile sig_atomic_t *stop, struct error *err);
/*
 * process_open() for one that the process at the other end of socket @holder has stopped right
 * after its exec, until process_release() writes a byte to it.
 */
int process_open_held(struct process *p, const struct procfs *fs, pid_t pid, int holder,
		      struct error *err);
/* Is it our child, which only we can wait for and stop? */
static inline bool process_is_child(const struct process *p)
{
	return p->launched && p->holder < 0;
}
/*
 * Lets a held process run until it execs another program, by whichever of its
 * threads, and holds it right after that. -ECHILD: it has ended and is reaped.
 */
int process_next_exec(struct process *p, struct error *err);
/*
 * From now on thread ids are as the process itself sees them. It is always so
 * where gotap cannot know the ids of the machine's first PID namespace, because
 * fs is of another one.
 */
int process_use_inner_ids(struct process *p, struct error *err);
/*
 * Do the ids in the process's memory (m.procid) differ from the records' thread ids?
 * Then process_map_tids() adds the former -> the latter for all its threads.
 */
bool process_needs_tid_map(const struct process *p);
void process_map_tids(const struct process *p, struct map64 *ret);
/* Where the executable's first instruction is in memory. */
int process_entry(struct process *p, uint64_t *ret, struct error *err);
/* Finds the load bias; @entry is the ELF file's e_entry. */
int process_find_bias(struct process *p, uint64_t entry, struct error *err);
/*
 * Lets the loader of a launched program map the libraries that it is linked
 * with, and asks @is_it after each whether it is the one. 0: it is, and not one
 * instruction of it has run; -ENOEXEC: it was none of them, and the program itself
 * runs; -EAGAIN: it has exec'ed another program, and is held before the first instruction
 * of that; -ECHILD: it has ended.
 */
int process_load(struct process *p, bool (*is_it)(void *ctx), void *ctx, struct error *err);
void process_release(struct process *p);

/*
 * CLOCK_MONOTONIC as the process itself has it now: the runtime's nanotime(), which differs from
 * now_ns() in a time namespace. 0: not known.
 */
uint64_t process_nanotime(const struct process *p);

/* Has it ended (for good)? Reaps a launched child. */
bool process_ended(struct process *p);
/* Is it running another program than at the start? */
bool process_execed(const struct process *p);
/*
 * Has it ended, or is it on its way out? Then its memory goes, and with it the link
 * to the file, before the kernel says that it has ended.
 */
bool process_leaves(struct process *p);
enum process_fate {
	PROCESS_SAME,		/* it runs the program that it ran at the start */
	PROCESS_ENDED,
	PROCESS_EXECED,
};
/*
 * Something of it could not be read: why? While one of its threads execs, a process has no
 * program for a moment; waits for the end of that, at most half a second.
 */
enum process_fate process_fate(struct process *p);
/*
 * Has the process ended, lost its memory while it ends, or exec'ed? Also for a child of gotap, and
 * without reaping it.
 */
bool process_is_gone(const struct process *p);
/*
 * The status as wait(2) has it, once it has ended: of a launched program, and from
 * Linux 6.15 on of any other that its parent has reaped.
 */
bool process_wait_status(const struct process *p, int *ret);
/* Exit status of a launched program as a shell reports it (128 + signal). */
int process_exit_status(const struct process *p);
void process_close(struct process *p);

#endif
