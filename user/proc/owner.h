/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owner: whether a process wholly belongs to one user. `gotap serve` checks it before it answers
 * (serve/peer.h), and the gotap that serve starts checks it again for the process that it has
 * opened (cmd/pick.h).
 */
#ifndef GOTAP_PROC_OWNER_H
#define GOTAP_PROC_OWNER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Returns whether the process with folder @dir in /proc wholly belongs to user @uid: its real,
 * effective, saved and file system uids are @uid, it has no capabilities, and its files in /proc
 * belong to @uid (those of a process that was setuid belong to root). This allows nothing that
 * ptrace(2) would not allow the user; in a user namespace it allows less. False also if the process
 * is gone.
 */
bool owner_is(int dir, uid_t uid);

/*
 * Reads at most @size - 1 bytes of a file of @dir and appends a NUL; false: the file is gone, or
 * empty.
 */
bool owner_read(int dir, const char *name, char *ret, size_t size);

#endif
