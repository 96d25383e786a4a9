/* SPDX-License-Identifier: Apache-2.0 */
/*
 * corefile: an ELF core file of a Go program, in the place of a running process: its memory, its
 * threads with their registers, and which program it was. In: a file of the kernel, gcore(1) or
 * systemd-coredump, which may be cut or hostile. memory_read() reads it where a struct process has
 * one (process.core), so that whatever reads a process through memory.h also reads a core file.
 *
 * The kernel leaves out pages of files that the program did not write (coredump_filter): code,
 * types and names. These come from the program's file (corefile_set_program()).
 */
#ifndef GOTAP_LIVE_COREFILE_H
#define GOTAP_LIVE_COREFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/vec.h"
#include "symbol/elf_file.h"

struct corefile;

enum { COREFILE_REGISTERS = 40 };

/* A thread as it was, from its NT_PRSTATUS. */
struct corefile_thread {
	uint32_t tid;
	uint64_t pc, sp;
	uint64_t link;		/* the link register; 0 where the architecture has none */
	uint64_t registers[COREFILE_REGISTERS];	/* all, in the order of the kernel */
	unsigned int n;
};

/*
 * Opens the core file at @path; corefile_free() frees *@ret. -ENOEXEC with a text: it is none, or
 * of a machine that gotap does not know. Those of all architectures of goarch.h are read.
 */
int corefile_open(struct corefile **ret, const char *path, struct error *err);
/* Accepts NULL. */
void corefile_free(struct corefile *c);
const char *corefile_path(const struct corefile *c);
/* Reads @n bytes at @addr; false if not all of them are in the file or the program. */
bool corefile_read(const struct corefile *c, uint64_t addr, void *to, size_t n);
/*
 * Returns the bytes of memory that the file has, without holes of a sparse file: no list in the
 * program can be longer.
 */
uint64_t corefile_size(const struct corefile *c);
/*
 * Returns the bytes of memory that the file should have by its headers, and has not: it was cut
 * (a full disk, ulimit -c).
 */
uint64_t corefile_cut(const struct corefile *c);
pid_t corefile_pid(const struct corefile *c);
/* Returns the path of the program as the process had it; "" if the file does not say. */
const char *corefile_program(const struct corefile *c);
/* Returns the address of the program's first instruction (AT_ENTRY); 0 if the file has none. */
uint64_t corefile_entry(const struct corefile *c);
/* Returns the threads (struct corefile_thread). */
const struct vec *corefile_threads(const struct corefile *c);
/* Returns the thread with the id @tid; NULL: there is none. */
const struct corefile_thread *corefile_thread(const struct corefile *c, uint32_t tid);
/*
 * Makes the file of the program, loaded at @bias, the source of bytes that the core file lacks.
 * Borrows @elf. -EINVAL with a text that names @path: it is another program, as its first page in
 * the core file differs.
 */
int corefile_set_program(struct corefile *c, const struct elf_file *elf, uint64_t bias,
			 const char *path, struct error *err);

#endif
