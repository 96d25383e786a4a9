/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_under: opens a file at a path that a container or another user controls. live/, proc/,
 * symbol/ and target/ open every such file here.
 *
 * open() itself can have effects: a watchdog device arms, a tape device rewinds, a FIFO waits for
 * its writer, and a magic link of /proc leads to the files of another process. Therefore the path
 * is first resolved to an O_PATH descriptor, which opens nothing. Only a regular file is then
 * opened by that descriptor.
 */
#ifndef GOTAP_BASE_OPEN_UNDER_H
#define GOTAP_BASE_OPEN_UNDER_H

/* Returns a descriptor open for reading, or -errno; -ENOEXEC: @path is not a regular file. */
int open_regular(const char *path);
/*
 * As open_regular(), for @path below @root ("/proc/PID/root"; NULL: gotap's own root), resolved as
 * for a process with that root: absolute links and ".." do not leave @root. Magic links
 * (/proc/PID/fd and the like) are not followed.
 */
int open_under(const char *root, const char *path);
/* As open_under(), with the descriptor of the folder @root. */
int open_under_at(int root, const char *path);

#endif
