/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder_lock: one process at a time looks for a socket at which no process listens any more,
 * removes it and listens in its place. Between bind() and listen() a socket refuses connections as
 * one that was left does, so the lock is held until after listen(). It is a flock() of the folder:
 * no file is left, and it ends with its process. flight/socket_file.c and serve/address.c call it.
 */
#ifndef GOTAP_BASE_FOLDER_LOCK_H
#define GOTAP_BASE_FOLDER_LOCK_H

/*
 * Locks the folder of @path and returns a descriptor; close() of it unlocks. -EWOULDBLOCK: another
 * process has had the lock for some seconds (any user who may read the folder can take it). Other
 * negative errnos: the folder cannot be opened for reading.
 */
int folder_lock(const char *path);

#endif
