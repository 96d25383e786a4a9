/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process: the traced process from outside: its executable, load bias, memory and life. Descriptors
 * hold the process, its executable and its root folder. Each is looked up once, so that gotap
 * parses, probes and names the same file, whatever the process execs or mounts meanwhile.
 *
 * Nothing here changes the process. Only a launched program is stopped: gotap holds it until just
 * before the first instruction of Go's runtime, to attach the probes first. That is just after an
 * exec or, if Go is in a library of the program, just after the library was mapped.
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

struct corefile;

/* A word of the process's memory that changes when an event has happened. */
struct watched {
	uint64_t addr;		/* 0: nothing to watch */
	uint64_t value;		/* its value before the event, */
	uint64_t unlinked;	/* or this or 0, until the loader has run */
};

struct process {
	struct procfs fs;	/* the /proc that shows pid */
	pid_t pid;
	/*
	 * Readable once the process has ended. If fs is not of gotap's own PID namespace: the
	 * folder of the process in fs.
	 */
	int pidfd;
	/* its mem file if fs is not of gotap's own PID namespace, if not -1 */
	int memory;
	/*
	 * its mem file, open for writing, in the process that changes the program; -1: not opened
	 * yet. It takes CAP_DAC_OVERRIDE to open that of another user's program.
	 */
	int writable;
	struct readers *readers;	/* live/memory.h; NULL: none */
	/*
	 * a core file in the place of a process (live/corefile.h), whose memory is read: there is
	 * no pid then that lives, and no descriptor; NULL: a process
	 */
	const struct corefile *core;
	int exe_file;		/* the executable; also a deleted one, and one in a container */
	char exe[PROCFS_PATH];	/* the path of that descriptor: /proc/self/fd/N */
	int root;		/* its root folder (O_PATH); -1: gotap may not see it */
	/*
	 * The process id that BPF programs compare with, and the PID namespace that it and all
	 * thread ids belong to: 0 for the initial one.
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
	/* changes when the process opens a plugin (live/module.h) */
	struct watched last_module;
	uint64_t exe_id[3];	/* device, inode, stack start: changes when the process execs */
	/*
	 * traced from its first instruction on: a child of gotap, or held for gotap by another
	 * process
	 */
	bool launched;
	/* launched, and stopped at its first instruction until process_release() */
	bool held;
	/*
	 * socket to the process that holds it for gotap; -1: none, so that a launched one is
	 * gotap's child
	 */
	int holder;
	/* the holder ended before gotap continued the process, which may have run meanwhile */
	bool hold_lost;
	/*
	 * not 0: gotap stops waiting for the process; NULL: gotap waits until the process stops or
	 * ends
	 */
	const volatile sig_atomic_t *stop;
	int status;		/* wait status, once ended and launched */
	bool reaped;
	/* once reaped: its CPU time and that of children it has waited for (wait4(2)), ns */
	uint64_t reaped_ns;
};

#define PROCESS_CLOSED \
	{                                                                                      \
		.pidfd = -1, .memory = -1, .writable = -1, .exe_file = -1, .root = -1,         \
		.library_file = -1, .holder = -1,                                              \
	}

/* Do the files of the process in /proc belong to the user that gotap runs as? */
bool process_is_of_user(const struct process *p);
/*
 * Opens @p->writable, for a child that will change the program, as long as gotap has the right to.
 * Without that right -1 remains, and the child's own attempt says why. process_leave_memory()
 * closes it in the process that does not need it.
 */
void process_hold_memory(struct process *p);
void process_leave_memory(struct process *p);

/* Stores "/proc/self/fd/N": a path to the very file that is open as @fd. */
void process_file_path(int fd, char ret[PROCFS_PATH]);
/* Returns the descriptor in such a path; -1 if @path is another one, or NULL. */
int process_file_of_path(const char *path);

/*
 * Opens the process @pid, an id in @fs. Attaches nothing yet. process_close() releases @p. -ESRCH:
 * no such process, -EACCES: not allowed to read it.
 */
int process_open(struct process *p, const struct procfs *fs, pid_t pid, struct error *err);
/*
 * Forks and execs @argv with descriptor @out as its standard output. The process is stopped right
 * after exec and held: process_release() lets it run. @in_child runs between fork and exec. If exec
 * fails, the process is reaped with status 127 (there is no such file) or 126.
 *
 * Here and below, -EINTR: *@stop, which signal handlers set, is not 0. The process then runs on and
 * is not held; gotap must end now, and with its end the kernel ends the tracing.
 */
int process_launch(struct process *p, const struct procfs *fs, char **argv, int out,
		   void (*in_child)(void), const volatile sig_atomic_t *stop, struct error *err);
/*
 * As process_open(), for a process that the one at the other end of socket @holder has stopped
 * right after its exec. The holder continues it when process_release() writes a byte to the socket.
 */
int process_open_held(struct process *p, const struct procfs *fs, pid_t pid, int holder,
		      struct error *err);
/* Returns whether it is a child of gotap, which only gotap can wait for and stop. */
static inline bool process_is_child(const struct process *p)
{
	return p->launched && p->holder < 0;
}
/*
 * Lets a held process run until one of its threads execs another program, and holds it right after
 * that exec. -ECHILD: it has ended and is reaped.
 */
int process_next_exec(struct process *p, struct error *err);
/*
 * Makes gotap use thread ids as the process itself sees them. process_open() does so already if
 * gotap cannot know the ids in the initial PID namespace, because fs is of another one.
 */
int process_use_inner_ids(struct process *p, struct error *err);
/*
 * process_needs_tid_map(): do the ids in the process's memory (m.procid) differ from the thread ids
 * of records? process_map_tids() then adds procid -> thread id for all threads of the process to
 * @ret.
 */
bool process_needs_tid_map(const struct process *p);
void process_map_tids(const struct process *p, struct map64 *ret);
/* Stores the address of the executable's first instruction in memory. */
int process_entry(struct process *p, uint64_t *ret, struct error *err);
/* Finds the load bias; @entry is the ELF file's e_entry. */
int process_find_bias(struct process *p, uint64_t entry, struct error *err);
/*
 * Lets the loader of a launched program map the libraries that it is linked with, and asks @is_it
 * after each whether the library is the wanted one. 0: it is, and no instruction of it has run;
 * -ENOEXEC: none was, and the program itself runs; -EAGAIN: the process has exec'ed another
 * program, and is held before the first instruction of that; -ECHILD: it has ended.
 */
int process_load(struct process *p, bool (*is_it)(void *ctx), void *ctx, struct error *err);
void process_release(struct process *p);

/*
 * Returns CLOCK_MONOTONIC as the process itself has it now: the runtime's nanotime(), which differs
 * from now_ns() in a time namespace. 0: not known.
 */
uint64_t process_nanotime(const struct process *p);

/* Returns whether the process has ended. Reaps a launched child. */
bool process_ended(struct process *p);
/* Returns whether the process runs another program than when it was opened. */
bool process_execed(const struct process *p);
/*
 * Returns whether the process has ended, or is about to. A process that ends loses its memory, and
 * with it the link to its file, before the kernel reports its end.
 */
bool process_leaves(struct process *p);
enum process_fate {
	PROCESS_SAME,		/* it runs the program that it ran when it was opened */
	PROCESS_ENDED,
	PROCESS_EXECED,
};
/*
 * Returns why a part of the process could not be read. While one of its threads execs, a process
 * has no program for a moment: waits for the end of the exec, at most half a second.
 */
enum process_fate process_fate(struct process *p);
/*
 * Returns whether the process has ended, lost its memory on its way to the end, or exec'ed. Also
 * for a child of gotap, and without reaping it.
 */
bool process_is_gone(const struct process *p);
/*
 * Stores the wait status, as wait(2) has it, of a process that has ended: of a launched program,
 * and since Linux 6.15 of any other one that its parent has reaped. False if it is not known.
 */
bool process_wait_status(const struct process *p, int *ret);
/* Returns the exit status of a launched program as a shell reports it (128 + signal). */
int process_exit_status(const struct process *p);
void process_close(struct process *p);

#endif
