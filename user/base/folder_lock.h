/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder_lock: lets one process at a time look for a socket on which no process listens any more,
 * remove it, and listen in its place. Between bind() and listen() a socket refuses connections like
 * an abandoned one, so a process holds the lock until after listen(). The lock is a flock() of the
 * folder: it leaves no file, and ends with its process. flight/socket_file.c and serve/address.c
 * call this module.
 */
#ifndef GOTAP_BASE_FOLDER_LOCK_H
#define GOTAP_BASE_FOLDER_LOCK_H

/*
 * Locks the folder of @path and returns a descriptor; close() unlocks. Waits for the lock some
 * seconds; -EWOULDBLOCK: another process still has it (any user who may read the folder can lock
 * it). Other negative errnos: the folder cannot be opened for reading.
 */
int folder_lock(const char *path);

#endif
