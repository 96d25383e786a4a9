/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owner: is a process wholly one user's own? `gotap serve` asks before it answers (serve/peer.h),
 * and the gotap that it starts asks again of the process that it has opened (cmd/pick.h).
 */
#ifndef GOTAP_PROC_OWNER_H
#define GOTAP_PROC_OWNER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Is the process, with folder @dir in /proc, wholly that of user @uid? True if its real, effective,
 * saved and file system uids are @uid, it has no capabilities, and its files in /proc belong to
 * @uid (those of a process that was setuid belong to root). This allows nothing that ptrace(2)
 * would not allow the user; in a user namespace it allows less. False also if the process is gone.
 */
bool owner_is(int dir, uid_t uid);

/* Up to @size - 1 bytes of a file of @dir, with a NUL behind them; false: it is gone, or empty. */
bool owner_read(int dir, const char *name, char *ret, size_t size);

#endif
