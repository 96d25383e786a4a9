/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rights: what a process can never have again, and which system calls it makes. docs/safety.md has
 * a row for each process of gotap. proc/privilege gives up capabilities; base/isolated gives up
 * all.
 */
#ifndef GOTAP_BASE_RIGHTS_H
#define GOTAP_BASE_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * From now on no exec gives the calling thread, or those that it starts, a capability that is not
 * in @bounding (bits by number): no_new_privs, and where CAP_SETPCAP is there the bounding set.
 * @bounding 0: also the securebits by which root is a user without capabilities (SECBIT_NOROOT),
 * locked, and no ambient capability.
 */
int rights_seal(uint64_t bounding, struct error *err);

/* True if the kernel takes seccomp filters (CONFIG_SECCOMP_FILTER) from this process. */
bool rights_can_filter(void);
/*
 * A seccomp filter: the system calls by number in @calls fail with EPERM. A call of another
 * architecture ends the process.
 */
int rights_refuse_calls(const int *calls, size_t n, struct error *err);
/* The reverse: all but those in @calls fail with EPERM. */
int rights_allow_calls(const int *calls, size_t n, struct error *err);

/*
 * A filter for all processes whose set-up is over: it refuses what changes the machine, namespaces
 * or user ids, and exec.
 */
int rights_refuse_usual(struct error *err);
/* Likewise for a process that starts gotap, or the user's command: it allows exec. */
int rights_refuse_usual_but_exec(struct error *err);

#endif
