/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm: the target's memory, as the files of this room read and change it: without live/memory's
 * readers, which are gotap's and not the prober's, and with the right to write where the target may
 * not.
 */
#ifndef GOTAP_INLINE_VM_H
#define GOTAP_INLINE_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"
#include "live/process.h"

/* Reads at most @n bytes; how many it could. Needs no stopped thread. */
size_t vm_read(const struct process *p, uint64_t addr, void *to, size_t n);
/*
 * The process's mem file, open to read and to write; -errno. The file is of the program that the
 * process runs now (mem_open() in fs/proc/base.c takes the mm): after an exec it reads and writes
 * nothing, as after the end.
 */
int vm_open(const struct process *p);
/* Reads all of @n bytes through that file. */
bool vm_read_open(int mem, uint64_t addr, void *to, size_t n);
/*
 * Through that file, also into pages that the process itself may not write. 0 or -errno; -EIO: the
 * memory is gone.
 */
int vm_write(int mem, uint64_t addr, const void *data, size_t n);
/*
 * Does the kernel let such writes through (proc_mem.force_override, Linux 6.12)? Tried on a page of
 * our own.
 */
bool vm_may_force(void);

/* One line of /proc/PID/maps. */
struct area {
	uint64_t start, end;
	char perms[5];		/* "r-xp" */
	uint64_t offset;	/* of @start in the file */
	uint64_t ino;		/* 0: of no file */
	const char *name;	/* "" if none; lives as long as the areas */
};

struct areas {
	struct buf text;
	struct vec list;	/* struct area, ascending */
};

/* -errno. Release it in any case. */
int areas_read(struct areas *a, const struct process *p);
void areas_free(struct areas *a);
/* The one that has @addr in it; NULL: none. */
const struct area *areas_at(const struct areas *a, uint64_t addr);
/* "/proc/self/fd/N"-like files of deleted memfds and their mappings have this name. */
bool is_our_name(const char *name);

#endif
