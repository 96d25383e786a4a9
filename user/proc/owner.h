/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owner: is a process wholly one user's own? `gotap serve` asks before it answers (serve/peer.h), and the gotap that
 * it starts asks again of the process that it has opened (cmd/pick.h).
 */
#ifndef GOTAP_PROC_OWNER_H
#define GOTAP_PROC_OWNER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * @dir: the folder of the process in /proc. Real, effective, saved and file system uid are @uid, it has no
 * capabilities, and what it runs made it nobody else's: the files of a process that was setuid belong to root in
 * /proc. So it is never more than ptrace(2) would let him do; in a user namespace it is less. False also if it is gone.
 */
bool owner_is(int dir, uid_t uid);

/* Up to @size - 1 bytes of a file of @dir, with a NUL behind them; false: it is gone, or empty. */
bool owner_read(int dir, const char *name, char *ret, size_t size);

#endif
