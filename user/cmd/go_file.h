/* SPDX-License-Identifier: Apache-2.0 */
/*
 * go_file: whether a process runs a Go program, by its executable alone. children.c and follow.c
 * ask. The file may be any user's: it is examined in a process without privileges
 * (base/isolated.h).
 */
#ifndef GOTAP_CMD_GO_FILE_H
#define GOTAP_CMD_GO_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "proc/procfs.h"

/* Is the executable of process @pid a Go program? False also if it cannot be examined. */
bool go_file_runs(const struct procfs *fs, pid_t pid);

enum { GO_FILES = 256 };

/* The files that were examined last; zeroed it is empty. */
struct go_files {
	struct {
		struct stat st;
		bool is_go;
	} known[GO_FILES];
	size_t count;
};

/* The same, and a file that has not changed is examined once. */
bool go_files_run(struct go_files *g, const struct procfs *fs, pid_t pid);

#endif
