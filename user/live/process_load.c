// SPDX-License-Identifier: Apache-2.0
/*
 * process_load: runs a launched program up to its own first instruction. In: a process stopped at
 * its exec. Out: the process, stopped where a library has just been mapped. gotap follows the
 * loader by its system calls, which come from the loader's own code: a system call from other code
 * means that the loader is done. Nothing in the program is changed, so that it runs on unharmed if
 * gotap dies meanwhile. The loader of musl is its libc: there all system calls are followed.
 */
#define _GNU_SOURCE
#include "live/process.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "live/process_internal.h"
#include "live/registers.h"
#include "proc/maps.h"

/* The mapped code of a file. */
struct code {
	uint64_t start, end;
};

static bool load_is_in(const struct code *c, uint64_t addr)
{
	return addr >= c->start && addr < c->end;
}

static bool load_find_code(const struct process *p, uint64_t addr, struct code *ret)
{
	struct maps maps;
	size_t i;

	*ret = (struct code){0};
	if (!maps_read(&maps, &p->fs, p->pid))
		for (i = 0; i < maps.code.len; i++) {
			const struct mapping *m = vec_at(&maps.code, struct mapping, i);

			if (addr >= m->start && addr < m->end)
				*ret = (struct code){ m->start, m->end };
		}
	maps_free(&maps);
	return ret->end;
}

/*
 * Returns whether the executable is the loader, as in `ld.so PROGRAM`: the program is then a
 * library of the loader.
 */
static bool is_loader(const struct process *p)
{
	char path[PATH_MAX], *name;
	ssize_t n = readlink(p->exe, path, sizeof(path) - 1);

	path[n < 0 ? 0 : n] = 0;
	name = basename(path);
	return !strncmp(name, "ld", 2) && strstr(name, ".so");
}

/* Finds the loader if it runs first. A static program begins at its own entry, without a loader. */
static bool find_loader(struct process *p, struct code *ret)
{
	struct user_regs_struct regs;
	uint64_t entry;

	return registers_read(p->pid, &regs) && !process_entry(p, &entry, NULL) &&
	       (regs.REGISTERS_PC != entry || is_loader(p)) &&
	       load_find_code(p, regs.REGISTERS_PC, ret);
}

/* Returns whether the system call has mapped code of a file. */
static bool mapped_code(const struct user_regs_struct *regs)
{
	return regs->REGISTERS_CALL == SYS_mmap && REGISTERS_HAS_RESULT(regs) &&
	       (long)regs->REGISTERS_RESULT > 0 && regs->REGISTERS_MMAP_PROT & PROT_EXEC &&
	       (int)regs->REGISTERS_MMAP_FD >= 0;
}

static int no_library(struct error *err)
{
	return error_set(err, -ENOEXEC, "no such library");
}

int process_load(struct process *p, bool (*is_it)(void *ctx), void *ctx, struct error *err)
{
	struct user_regs_struct regs;
	struct code loader;

	if (!find_loader(p, &loader))
		return no_library(err);
	for (;;) {
		switch (process_run(p, PTRACE_SYSCALL)) {
		case STOP_ENDED:
			return error_set(err, -ECHILD, "the program ended before it began");
		case STOP_REQUESTED:
			return process_stop_requested(p, err);
		case STOP_EXEC:	/* a constructor of a library has exec'ed */
			return process_open_exe(p, err) ? err->code :
			       error_set(err, -EAGAIN, "another program was run");
		case STOP_SYSCALL:
			if (!registers_read(p->pid, &regs))
				break;	/* the process is being killed */
			if (!load_is_in(&loader, regs.REGISTERS_PC))
				return no_library(err);
			if (mapped_code(&regs) && is_it(ctx))
				return 0;
		}
	}
}
