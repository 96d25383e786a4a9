/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory: reads the memory of the traced process. All of gotap's reads of it go
 * through here.
 *
 * A page of it may depend on a process that never answers: the owner of a userfaultfd, a FUSE or
 * NFS server that hangs. A thread that touches such a page sleeps until it is killed. So from
 * memory_begin() on the reads are made by children of gotap ("readers"), one request at
 * a time through memory that both share. A reader that gets nowhere for
 * MEMORY_PATIENCE_NS is killed; from then on the memory counts as silent and every read
 * fails at once. Without readers the caller itself reads: only of a launched program
 * that is still held, whose stack the kernel has just written.
 */
#ifndef GOTAP_LIVE_MEMORY_H
#define GOTAP_LIVE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "live/process.h"
#include "live/stop_request.h"

#define MEMORY_PATIENCE_NS 2000000000ULL

/* One range to read: @len bytes at @addr to @to; @ok: all of them were readable. */
struct memory_range {
	uint64_t addr;
	void *to;
	size_t len;
	bool ok;
};

/* Reads @n bytes at @addr; false if not all of them are readable. */
bool memory_read(const struct process *p, uint64_t addr, void *to, size_t n);
/* Reads many ranges in few system calls. One that is not readable does not concern the others. */
void memory_read_each(const struct process *p, struct memory_range *ranges, size_t n);

/*
 * Starts the readers of @p, with no privilege but the one to read. From a process of
 * one thread. Two threads can then read at a time, so that the thread that empties the
 * rings does not wait for a snapshot. When @stop (may be NULL) asks for it, a read that
 * takes long fails. Where there are readers, only @stop changes.
 */
int memory_begin(struct process *p, const struct stop_request *stop, struct error *err);
/*
 * Lets a reader touch the page at @addr, which brings it into memory (from swap, say),
 * so that probes can read it the next time. Waits for nothing and promises nothing.
 */
void memory_touch(const struct process *p, uint64_t addr);
/* Has a read got no answer? */
bool memory_is_silent(const struct process *p);
/*
 * Why a read of @what failed, as an error: -ETIMEDOUT the memory is silent, -EINTR @stop (may be
 * NULL) asks to stop, else -ESRCH with errno's text.
 */
int memory_error(const struct process *p, const struct stop_request *stop, const char *what,
		 struct error *err);
/* Ends the readers. Accepts a process without. */
void memory_end(struct process *p);

/* Bytes that the process has in memory and in swap: no list in it can be longer. 0: not known. */
uint64_t memory_size(const struct process *p);

#endif
