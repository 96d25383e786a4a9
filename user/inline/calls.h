/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls: makes threads of the target do system calls, each in a hold of its own (hold.h). The
 * thread does not return a result to gotap, so that gotap looks in /proc for the effect of the
 * call.
 */
#ifndef GOTAP_INLINE_CALLS_H
#define GOTAP_INLINE_CALLS_H

#include "inline/inject.h"

enum { CALLS_MAX = 64 };

struct call {
	const char *name;	/* for messages */
	long nr;
	uint64_t args[6];
	/* the first argument is the address of INLINE_NAME, put below the stack */
	bool with_name;
	/*
	 * Returns whether the call has had its effect. NULL: the effect cannot be seen. A call that
	 * has already had its effect is not made.
	 */
	bool (*done)(const struct process *p, struct call *c);
	uint64_t ino;		/* inode of the memfd that the call is about */
	uint64_t result;	/* set by done() */
};

#define CALL(call, ...) .name = #call, .nr = SYS_##call, .args = { __VA_ARGS__ }

/*
 * Makes the first @n calls, one after the other, if the seccomp filters of the threads allow all
 * @n_all. Returns 0 if the calls have had their effects. -EAGAIN: no thread was found for the next
 * call, or the thread that was to make it ended. -EINPROGRESS: a thread has the call to make, and
 * has not made it yet. -ESRCH: the process has ended or exec'ed. -ENOTSUP: it may not be traced, a
 * filter may forbid one of the calls, or one had no effect. *@made: the number of calls that have
 * succeeded. Counts holds in @held.
 */
int calls_make(const struct process *p, const struct inject_hosts *hosts, struct call *calls,
	       size_t n, size_t n_all, int timeout_ms, size_t *made, struct holds *held,
	       struct error *err);

#endif
