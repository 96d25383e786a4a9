/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls: makes threads of the target do system calls, in holds (hold.h) of about a millisecond each. A child of the
 * prober does it: when that takes too long, because the target gets no processor or is frozen, the child
 * is killed, with which the kernel lets the thread go, whatever it is doing.
 */
#ifndef GOTAP_INLINE_CALLS_H
#define GOTAP_INLINE_CALLS_H

#include "inline/inject.h"

enum { CALLS_MAX = 64 };

struct call {
	const char *name;	/* for messages */
	long nr;
	uint64_t args[6];
	bool with_name;		/* the first argument is the address of INLINE_NAME, put on the stack meanwhile */
	int64_t result;
};

#define CALL(call, ...) { .name = #call, .nr = SYS_##call, .args = { __VA_ARGS__ } }

/*
 * One after the other, up to the first that fails. 0: all are done; -EAGAIN: no thread was found, or the calls took
 * too long, and then the one after the last done may yet be made; -ESRCH: the process has ended or
 * exec'ed; -ENOTSUP: another tracer, a filter that does not allow one of them (then none is made); else the
 * error of a call. *@made: how many have succeeded. Counts holds in @held.
 */
int calls_make(const struct process *p, const struct inject_hosts *hosts, struct call *calls, size_t n,
	       int timeout_ms, size_t *made, struct injected *held, struct error *err);

#endif
