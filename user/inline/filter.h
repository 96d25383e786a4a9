/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter: what the seccomp filters of a held thread would answer to a system call. They are
 * programs that see nothing but the call's number, address and arguments, so running them here
 * tells exactly what the kernel's run will say. A call that they do not simply allow is never
 * tried: some answer with SIGKILL, and suspending them (PTRACE_O_SUSPEND_SECCOMP) ends with the
 * tracer, which may be killed just before the call.
 */
#ifndef GOTAP_INLINE_FILTER_H
#define GOTAP_INLINE_FILTER_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

struct filters {
	struct vec programs;	/* struct filter_program */
};

struct filter_program {
	struct sock_filter *insns;
	size_t n;
};

/*
 * Reads the filters of the thread, which this process has stopped by ptrace. @mode: the line
 * Seccomp of its status file. 0; -ENOTSUP: the thread has filters that cannot be read (that takes
 * CAP_SYS_ADMIN, CONFIG_CHECKPOINT_RESTORE, and no filter in this process). Release it in any case.
 */
int filters_read(struct filters *f, pid_t tid, int mode);
void filters_free(struct filters *f);
/* Do all of them let it pass? */
bool filters_allow(const struct filters *f, const struct seccomp_data *call);
/* The answer of one program; 0 (SECCOMP_RET_KILL_THREAD) if the kernel would refuse the program. */
uint32_t filter_run(const struct sock_filter *insns, size_t n, const struct seccomp_data *call);

#endif
