/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rights: removes rights from a process so that it can never regain them, and limits its system
 * calls. docs/safety.md has a row for each process of gotap. proc/privilege drops capabilities;
 * base/isolated drops all rights.
 */
#ifndef GOTAP_BASE_RIGHTS_H
#define GOTAP_BASE_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * From now on no exec gives the calling thread, or threads and processes that it starts, a
 * capability that is not in @bounding (bits by number). The function sets no_new_privs and, with
 * CAP_SETPCAP, the bounding set. With @bounding 0 it also locks the securebits that treat root as a
 * user without capabilities (SECBIT_NOROOT), and clears the ambient capabilities.
 */
int rights_seal(uint64_t bounding, struct error *err);

/* True if the kernel accepts seccomp filters (CONFIG_SECCOMP_FILTER) from this process. */
bool rights_can_filter(void);
/*
 * Gives up every right for good, of the calling thread and of those that it starts: all
 * capabilities, and the user's ids for those of user 65534, nobody's on every system. Where ids
 * cannot be changed (without root, or in a user namespace with one id) capabilities still go. 0 or
 * a negative errno.
 */
int rights_drop_all(struct error *err);

/*
 * Installs a seccomp filter: the @n system calls in @calls fail with EPERM. A system call of
 * another architecture ends the process.
 */
int rights_refuse_calls(const int *calls, size_t n, struct error *err);
/* As rights_refuse_calls(), but all system calls except those in @calls fail with EPERM. */
int rights_allow_calls(const int *calls, size_t n, struct error *err);

/*
 * A filter that allows clone(2) for threads alone. clone3(2) fails with ENOSYS, since a filter
 * cannot see its flags: the C library then uses clone(2).
 */
int rights_refuse_processes(struct error *err);
/* Its number: one for all architectures; older headers lack it. */
enum { RIGHTS_CLONE3 = 435 };

/*
 * Installs the filter for all processes after their set-up. It refuses exec and the system calls
 * that change the machine, namespaces or user ids.
 */
int rights_refuse_usual(struct error *err);
/*
 * As rights_refuse_usual(), for a process that starts gotap or the user's command: exec is allowed.
 */
int rights_refuse_usual_but_exec(struct error *err);

#endif
