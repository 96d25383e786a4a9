/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter: the answers that the seccomp filters of a held thread would give to a system call. A
 * filter is a program that sees only the call's number, its address and its arguments, so that a
 * run of it here gives the same answer as the kernel's run. A call that a filter does not simply
 * allow is never tried: some filters answer with SIGKILL, and their suspension
 * (PTRACE_O_SUSPEND_SECCOMP) ends with the tracer, which may be killed just before the call.
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
 * Seccomp of its status file. 0; -ENOTSUP: the thread has filters that cannot be read (this takes
 * CAP_SYS_ADMIN, CONFIG_CHECKPOINT_RESTORE, and no filter in this process). The caller frees @f by
 * filters_free(), also after an error.
 */
int filters_read(struct filters *f, pid_t tid, int mode);
void filters_free(struct filters *f);
/* Returns whether all filters allow the call. */
bool filters_allow(const struct filters *f, const struct seccomp_data *call);
/*
 * Returns the answer of one program; 0 (SECCOMP_RET_KILL_THREAD) if the kernel would refuse the
 * program.
 */
uint32_t filter_run(const struct sock_filter *insns, size_t n, const struct seccomp_data *call);

#endif
