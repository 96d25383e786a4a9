/* SPDX-License-Identifier: Apache-2.0 */
/*
 * room: checks that the target, and the place where gotap runs, have room for the memory that gotap
 * puts into the target. A program that reaches a limit because of gotap would be killed, or could
 * get no memory of its own. Reads /proc and cgroup file systems; changes nothing. Runs in the
 * prober, which is charged with the shared memory.
 */
#ifndef GOTAP_INLINE_ROOM_H
#define GOTAP_INLINE_ROOM_H

#include <stddef.h>

#include "base/error.h"
#include "live/process.h"
#include "proc/cgroup_mounts.h"

/* 0, or -ENOTSUP and one line that says which limit is too near. */
int room_check(const struct process *p, const struct cgroup_mounts *mounts, size_t code_size,
	       size_t shared_size, struct error *err);

#endif
