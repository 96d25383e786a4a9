/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_under: opens a file that somebody else has put in its place: a container, or
 * another user. live/, proc/, symbol/ and target/ open every such file here.
 *
 * To open is to act: a device may arm (watchdog) or rewind (tape), a FIFO waits for
 * its writer, a file of /proc may be a door to somebody else's. So the path is first
 * resolved to a descriptor that opens nothing (O_PATH), and only a regular file is
 * then opened, by that descriptor.
 */
#ifndef GOTAP_BASE_OPEN_UNDER_H
#define GOTAP_BASE_OPEN_UNDER_H

/* A descriptor open for reading, or -errno; -ENOEXEC: it is no regular file. */
int open_regular(const char *path);
/*
 * Likewise for @path below @root ("/proc/PID/root"; NULL: gotap's own root), as a process with that
 * root sees it: absolute links and ".." end there. Magic links (/proc/PID/fd and the like) are not
 * followed.
 */
int open_under(const char *root, const char *path);
/* Likewise below the folder @root, a descriptor. */
int open_under_at(int root, const char *path);

#endif
