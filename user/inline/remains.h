/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remains: the parts that the target still has of a memory that gotap has put there, as /proc shows
 * them. The inode of the memfd identifies them, and no notes of gotap do, since a prober may have
 * been killed between two of its steps.
 */
#ifndef GOTAP_INLINE_REMAINS_H
#define GOTAP_INLINE_REMAINS_H

#include "inline/calls.h"

enum { REMAINS_MAX = 24 };	/* mappings, and descriptors: more of them are not gotap's doing */

struct remains {
	uint64_t code, code_size;	/* with the control page; 0: none */
	struct remains_range {
		uint64_t start, size;
	} shared[REMAINS_MAX];
	size_t n_shared;
	int fds[REMAINS_MAX];		/* numbers in the target */
	size_t n_fds;
	uint64_t ino;
};

/*
 * Finds the remains of the memfd with inode @ino. @code, @code_size: where the code is if there is
 * any, without the control page after it. -errno if they cannot be known.
 */
int remains_find(const struct process *p, uint64_t ino, uint64_t code, uint64_t code_size,
		 struct remains *ret);
/* The system calls that take it out of the target, at most CALLS_MAX; how many. */
size_t remains_calls(const struct remains *r, struct call *calls);
/* Effects of calls (calls.h), seen in the target's maps, smaps and descriptors: see inject.c. */
bool effect_memfd(const struct process *p, struct call *c);	/* result: its number */
bool effect_shared(const struct process *p, struct call *c);	/* of c->ino; result: the address */
bool effect_code(const struct process *p, struct call *c);
bool effect_control(const struct process *p, struct call *c);
bool effect_wiped(const struct process *p, struct call *c);
bool effect_closed(const struct process *p, struct call *c);
bool effect_code_gone(const struct process *p, struct call *c);
bool effect_shared_gone(const struct process *p, struct call *c);

/*
 * Finds a memfd that the target has open and that no living gotap works with: opened and locked.
 * -ENOENT: there is none.
 */
int remains_open_descriptor(const struct process *p);
/*
 * Opens the file behind @path (/proc/PID/fd/N, or map_files) to read and write if it is a memfd
 * with gotap's name, which nothing else can be, and locks it: the lock says that a prober lives
 * which works with this memory. The kernel drops it with the last descriptor of this open file.
 * -EBUSY: it is locked; -errno.
 */
int remains_open(const char *path);

#endif
