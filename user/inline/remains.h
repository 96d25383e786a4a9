/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remains: the parts of gotap's memory that are left in the target, as /proc shows them. The inode
 * of the memfd identifies them. gotap keeps no notes of them, because a prober may have been killed
 * between two of its steps.
 */
#ifndef GOTAP_INLINE_REMAINS_H
#define GOTAP_INLINE_REMAINS_H

#include "inline/calls.h"

enum { REMAINS_MAX = 24 };	/* most mappings, and most descriptors: gotap never makes so many */

struct remains {
	uint64_t code, code_size;	/* address and size, with the control page; 0: none */
	struct remains_range {
		uint64_t start, size;
	} shared[REMAINS_MAX];
	size_t n_shared;
	int fds[REMAINS_MAX];		/* descriptor numbers in the target */
	size_t n_fds;
	uint64_t ino;
};

/*
 * Finds the remains of the memfd with inode @ino. @code, @code_size: the place that the code has if
 * it is there, without the control page after it. -errno if the remains cannot be read.
 */
int remains_find(const struct process *p, uint64_t ino, uint64_t code, uint64_t code_size,
		 struct remains *ret);
/*
 * Stores the system calls that remove the remains from the target, at most CALLS_MAX; returns their
 * number.
 */
size_t remains_calls(const struct remains *r, struct call *calls);
/* Effects of calls (calls.h), seen in the target's maps, smaps and descriptors: see inject.c. */
/* result: the descriptor's number */
bool effect_memfd(const struct process *p, struct call *c);
/* mapping of c->ino; result: its address */
bool effect_shared(const struct process *p, struct call *c);
bool effect_code(const struct process *p, struct call *c);
bool effect_control(const struct process *p, struct call *c);
bool effect_wiped(const struct process *p, struct call *c);
bool effect_closed(const struct process *p, struct call *c);
bool effect_code_gone(const struct process *p, struct call *c);
bool effect_shared_gone(const struct process *p, struct call *c);

/*
 * Finds a memfd that the target has open and that no living gotap uses. Returns a descriptor,
 * locked, which the caller closes; -ENOENT: there is none.
 */
int remains_open_descriptor(const struct process *p);
/*
 * Opens the file behind @path (/proc/PID/fd/N, or map_files) to read and write, if it is a memfd
 * with gotap's name, and locks it: the lock shows that a prober lives which uses this memory. No
 * other kind of file can have that name. The kernel drops the lock with the last descriptor of this
 * open file. Returns a descriptor, which the caller closes; -EBUSY: it is locked; or another
 * -errno.
 */
int remains_open(const char *path);

#endif
