/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inject: memory for gotap inside the target, and its removal, by system calls that one of the
 * target's threads is made to do. Everything here runs in the prober (attach/prober.h).
 *
 * The thread is one that sleeps in runtime.futex or runtime.usleep. It is held for a moment
 * (hold.h), makes one call at that very system call instruction, and comes back from there with a
 * result that the runtime ignores (futexsleep and usleep may return early). So it does, too, if the
 * prober is killed at any instant.
 */
#ifndef GOTAP_INLINE_INJECT_H
#define GOTAP_INLINE_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "inline/hold.h"
#include "live/process.h"

/* Where the two functions of the runtime are in the target: [start, end). */
struct inject_hosts {
	uint64_t futex[2], usleep[2];
};

struct injected {
	/* address; r-x, @code_size bytes, then the control page (rw-, wiped on fork) */
	uint64_t code;
	size_t code_size;
	uint64_t shared;	/* address of struct inline_shared in the target */
	size_t shared_size;
	/* of the shared memory; the caller's, to close by injected_close() */
	int memfd;
	/* vm_open(), from before the first byte was put in: of no program that is exec'ed later */
	int mem;
	struct holds held;	/* of threads */
};

#define INJECTED_NONE (struct injected){ .memfd = -1, .mem = -1 }

/*
 * Gives back the pages of such memory, but the first one, by which a later gotap knows it. Nobody
 * may read it any more. Processes that the target has forked without an exec keep the mapping, and
 * would keep the pages for as long as they live. They never touch it, as their control page is
 * wiped; whoever does so gets zeros, and no fault.
 */
void inject_free_pages(int memfd);

/* Closes both descriptors. */
void injected_close(struct injected *in);

/*
 * Can memory be put into @p at all? 0, or -ENOTSUP and one line that says why not: another tracer,
 * a seccomp filter that cannot be suspended, no membarrier, a TSC that is not the clock, another
 * PID namespace. Changes nothing.
 */
int inject_possible(const struct process *p, struct error *err);
/*
 * Makes code and control page within 2 GiB of all of [@near_lo, @near_hi), and shared memory of
 * @shared_size bytes. Tries for at most @timeout_ms to find a thread that sleeps in @hosts. All or
 * nothing. -EAGAIN: no such thread; -ESRCH: it has ended; -ENOTSUP, -ENOMEM: the target refuses;
 * -EBUSY: it failed in any of these ways, and something stayed there: *@ret, for
 * inject_remove_left().
 */
int inject_memory(const struct process *p, const struct inject_hosts *hosts, uint64_t near_lo,
		  uint64_t near_hi, size_t code_size, size_t shared_size, int timeout_ms,
		  struct injected *ret, struct error *err);
/*
 * Writes into the code (which the target may not), by its mem file. -EIO: the program that has @in
 * is gone.
 */
int inject_write(const struct process *p, const struct injected *in, uint64_t addr,
		 const void *data, size_t size, struct error *err);
/*
 * Takes out what inject_memory() (-EBUSY) or inject_remove() has left: *@in as they have left it.
 * Between the attempts other gotaps may do so. -EBUSY: not now, perhaps later; -ESRCH: it went with
 * the program.
 */
int inject_remove_left(const struct process *p, const struct inject_hosts *hosts,
		       struct injected *in, int timeout_ms, struct error *err);
/*
 * Takes the memory out again once no thread of the target can be inside of the code: no pc in it,
 * and no frame of a signal that came there (inside.h). Nothing may lead there any more (patch.h).
 * -EBUSY: after @timeout_ms a thread was still inside, or may have been; then the memory stays,
 * inert.
 */
int inject_remove(const struct process *p, const struct inject_hosts *hosts, struct injected *in,
		  int timeout_ms, struct error *err);

#endif
