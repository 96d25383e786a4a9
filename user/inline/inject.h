/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inject: memory for gotap inside the target, and its removal, by system calls that one of the
 * target's threads is made to do. All of this runs in the prober (attach/prober.h).
 *
 * The thread is one that sleeps in runtime.futex or runtime.usleep. It is held for a moment
 * (hold.h), makes one call at that very system call instruction, and returns from there with a
 * result that the runtime ignores (futexsleep and usleep may return early). The thread does the
 * same if the prober is killed at any instant.
 */
#ifndef GOTAP_INLINE_INJECT_H
#define GOTAP_INLINE_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "inline/hold.h"
#include "live/process.h"

/* Addresses of the two functions of the runtime in the target: [start, end). */
struct inject_hosts {
	uint64_t futex[2], usleep[2];
};

struct injected {
	/* address of the code; r-x, @code_size bytes, then the control page (rw-, wiped on fork) */
	uint64_t code;
	size_t code_size;
	uint64_t shared;	/* address of struct inline_shared in the target */
	size_t shared_size;
	/* of the shared memory; the caller closes it by injected_close() */
	int memfd;
	/*
	 * vm_open() from before the first byte was put in: it does not lead to a program that is
	 * exec'ed later
	 */
	int mem;
	struct holds held;	/* of threads of the target */
};

#define INJECTED_NONE (struct injected){ .memfd = -1, .mem = -1 }

/*
 * Frees the pages of the shared memory, but the first one, by which a later gotap identifies the
 * memory. No reader of it may be left. Processes that the target has forked without an exec keep
 * the mapping, and would keep the pages as long as they live. They never touch the memory, because
 * their control page is wiped; an access would read zeros, and not fault.
 */
void inject_free_pages(int memfd);

/* Closes both descriptors. */
void injected_close(struct injected *in);

/*
 * Returns whether memory can be put into @p: 0, or -ENOTSUP with one line that says why not:
 * another tracer, a seccomp filter that cannot be read, no membarrier, another PID namespace.
 * Changes nothing. Code that reads the time stamp counter needs tsc_check(), too.
 */
int inject_possible(const struct process *p, struct error *err);
/*
 * Makes code and control page within 2 GiB of all of [@near_lo, @near_hi), and shared memory of
 * @shared_size bytes. Tries for at most @timeout_ms to find a thread that sleeps in @hosts. It
 * makes all of the memory or none. -EAGAIN: no such thread; -ESRCH: the process has ended;
 * -ENOTSUP, -ENOMEM: the target refuses; -EBUSY: one of these failures, and a part could not be
 * removed: *@ret has it, for inject_remove_left().
 */
int inject_memory(const struct process *p, const struct inject_hosts *hosts, uint64_t near_lo,
		  uint64_t near_hi, size_t code_size, size_t shared_size, int timeout_ms,
		  struct injected *ret, struct error *err);
/*
 * Writes into the code, which the target itself may not write, by in->mem. -EIO: the program that
 * has @in is gone.
 */
int inject_write(const struct process *p, const struct injected *in, uint64_t addr,
		 const void *data, size_t size, struct error *err);
/*
 * Removes the memory that inject_memory() (-EBUSY) or inject_remove() has left. *@in is as they
 * have left it. Between the attempts other gotaps may remove it. -EBUSY: not now, perhaps later;
 * -ESRCH: the memory is gone with the program.
 */
int inject_remove_left(const struct process *p, const struct inject_hosts *hosts,
		       struct injected *in, int timeout_ms, struct error *err);
/*
 * Removes the memory once no thread of the target can be inside the code: no pc is in it, and no
 * frame of a signal that came there (inside.h). No call may lead to the code any more (patch.h).
 * -EBUSY: after @timeout_ms a thread was still inside, or may have been; the memory then remains,
 * unused.
 */
int inject_remove(const struct process *p, const struct inject_hosts *hosts, struct injected *in,
		  int timeout_ms, struct error *err);

#endif
