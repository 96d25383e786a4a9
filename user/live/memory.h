/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory: reads the memory of the traced process. All of gotap's reads of that memory go through
 * here.
 *
 * A page may depend on a process that never answers: the owner of a userfaultfd, or a FUSE or NFS
 * server that hangs. A thread that touches such a page sleeps until it is killed. From
 * memory_begin() on children of gotap ("readers") therefore make the reads, one request at a time
 * each, through memory that gotap shares with them. gotap kills a reader that makes no progress for
 * MEMORY_PATIENCE_NS; the memory then counts as silent, and every later read fails at once. Without
 * readers the caller itself reads. It may do so only for a launched program that is still held: the
 * kernel has just written the stack of that program.
 *
 * A process with a core file (process.core) has its memory in that file.
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

/* One range to read: @len bytes at @addr to @to. @ok: all of them were readable. */
struct memory_range {
	uint64_t addr;
	void *to;
	size_t len;
	bool ok;
};

/* Reads @n bytes at @addr; false if not all of them are readable. */
bool memory_read(const struct process *p, uint64_t addr, void *to, size_t n);
/*
 * Reads those of the @n bytes at @addr that are readable; the others become zeros. Segments of a
 * program for arm64 begin at multiples of 64 KiB, so that pages between them are not mapped.
 * Returns the number of readable bytes.
 */
size_t memory_read_parts(const struct process *p, uint64_t addr, void *to, size_t n);
/* Reads many ranges in few system calls. A range that cannot be read does not affect the others. */
void memory_read_each(const struct process *p, struct memory_range *ranges, size_t n);

/*
 * Starts the readers of @p, with no privilege but that to read. The caller's process must have one
 * thread. Two threads can then read at a time, so that the thread that empties the rings does not
 * wait for a snapshot. A read that takes long fails when @stop (may be NULL) asks to stop. If there
 * are readers already, only @stop changes. memory_end() ends the readers. Errors: a negative errno,
 * with a text.
 */
int memory_begin(struct process *p, const struct stop_request *stop, struct error *err);
/*
 * Has a reader touch the page at @addr, which brings the page into memory (from swap, for
 * instance), so that probes can read it the next time. It does not wait, and the page may not come.
 */
void memory_touch(const struct process *p, uint64_t addr);
/* Returns the CPU time of the readers so far, ns; 0 without readers. */
uint64_t memory_cpu_ns(const struct process *p);
/* Returns whether a read got no answer. */
bool memory_is_silent(const struct process *p);
/*
 * Returns the reason why a read of memory failed, and words it in @err; @what names the memory.
 * -ETIMEDOUT: the process's memory does not answer; -EINTR: @stop (may be NULL) asks to stop; else
 * -ESRCH with the text of errno.
 */
int memory_error(const struct process *p, const struct stop_request *stop, const char *what,
		 struct error *err);
/* Ends the readers. Accepts a process without readers. */
void memory_end(struct process *p);

/*
 * Returns the bytes that the process has in memory and in swap, 0 if not known: no list in the
 * process can be longer.
 */
uint64_t memory_size(const struct process *p);

#endif
