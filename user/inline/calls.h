/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls: makes threads of the target do system calls, each in a hold of its own (hold.h). The
 * thread does not come back with the result, so the effect is looked for in /proc.
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
	 * Has the call had its effect? NULL: that cannot be seen. A call that has had it already is
	 * not made.
	 */
	bool (*done)(const struct process *p, struct call *c);
	uint64_t ino;		/* of the memfd that it is about */
	uint64_t result;	/* set by done() */
};

#define CALL(call, ...) .name = #call, .nr = SYS_##call, .args = { __VA_ARGS__ }

/*
 * Makes the first @n, one after the other, if the seccomp filters of the threads allow all @n_all.
 * 0: they have had their effects. -EAGAIN: no thread was found for the next one, or the one that
 * was to make it ended; -EINPROGRESS: a thread was found, and has not made the call by now; -ESRCH:
 * the process has ended or exec'ed; -ENOTSUP: it may not be traced, a filter may forbid one of the
 * calls, or one had no effect. *@made: how many have succeeded. Counts holds in @held.
 */
int calls_make(const struct process *p, const struct inject_hosts *hosts, struct call *calls,
	       size_t n, size_t n_all, int timeout_ms, size_t *made, struct holds *held,
	       struct error *err);

#endif
