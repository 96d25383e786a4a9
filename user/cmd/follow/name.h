/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name: is a process the one that `gotap record --name` waits for? Its file or its container
 * decides. Also the names of traces. For follow.c.
 */
#ifndef GOTAP_CMD_FOLLOW_NAME_H
#define GOTAP_CMD_FOLLOW_NAME_H

#include <stdbool.h>

#include "base/vec.h"
#include "proc/procfs.h"

/*
 * The path of the file that a process runs, as it sees it, without " (deleted)"; NULL: it has
 * none. The caller frees it.
 */
char *follow_exe(const struct procfs *fs, pid_t pid);
/* The last part of a path. */
const char *follow_base_name(const char *path);
/* Shell patterns, as fnmatch(3) has them. */
bool follow_name_matches(const char *pattern, const struct procfs *fs, pid_t pid, const char *exe);
/*
 * The name of the next trace by the pattern of -o: with the first number after *@number for which
 * there is neither a trace nor an unfinished one, so that no earlier recording is replaced. Sets
 * *@number to it. The caller frees the name.
 */
char *follow_name_output(const char *pattern, uint64_t *number, pid_t pid, const char *exe);
/* The begin of @pattern, up to its first wildcard character (fnmatch(3)). The caller frees it. */
char *follow_name_begin(const char *pattern);

#endif
