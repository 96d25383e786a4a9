/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm: reads and writes the target's memory for the files of this room. Unlike live/memory.h it
 * needs no readers, which belong to gotap's main process and not to the prober, and it can write
 * memory that the target itself may not.
 */
#ifndef GOTAP_INLINE_VM_H
#define GOTAP_INLINE_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"
#include "live/process.h"

/* Reads at most @n bytes; returns how many were readable. The threads need not be stopped. */
size_t vm_read(const struct process *p, uint64_t addr, void *to, size_t n);
/*
 * Returns the process's mem file, open to read and to write, which the caller closes; -errno. The
 * file belongs to the program that the process runs now (mem_open() in fs/proc/base.c takes the
 * mm): after an exec it reads and writes nothing, as after the end of the process.
 */
int vm_open(const struct process *p);
/* Reads all of @n bytes through that file. */
bool vm_read_open(int mem, uint64_t addr, void *to, size_t n);
/*
 * Writes through that file, also into pages that the process itself may not write. 0 or -errno;
 * -EIO: the memory is gone.
 */
int vm_write(int mem, uint64_t addr, const void *data, size_t n);
/*
 * Returns whether the kernel permits such writes (proc_mem.force_override, Linux 6.12). Tries one
 * on a page of gotap's own.
 */
bool vm_may_force(void);

/* One line of /proc/PID/maps. */
struct area {
	uint64_t start, end;
	char perms[5];		/* "r-xp" */
	uint64_t offset;	/* of @start in the file */
	uint64_t ino;		/* 0: no file */
	const char *name;	/* "" if none; lives as long as the areas */
};

struct areas {
	struct buf text;
	struct vec list;	/* struct area, ascending */
};

/* Reads the areas. -errno. The caller frees @a by areas_free(), also after an error. */
int areas_read(struct areas *a, const struct process *p);
void areas_free(struct areas *a);
/* Returns the area that holds @addr; NULL: none. */
const struct area *areas_at(const struct areas *a, uint64_t addr);
/*
 * Returns whether @name is the name that links of gotap's memfds and lines of their mappings have.
 */
bool is_our_name(const char *name);

#endif
