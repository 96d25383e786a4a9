/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_file: the file into which distributions put what they strip from a
 * program: DWARF data and symbols. In: a program. Out: that file, open, found by
 * build id or .gnu_debuglink below /usr/lib/debug and beside the program, in the file
 * system of its container and in ours, in what debuginfod clients have kept, and
 * from debuginfod's servers (by libdwfl). Called by gobin.
 *
 * Only a file that is the program's is found: its build id is the same, or
 * without one the checksum that the program has of it.
 */
#ifndef GOTAP_TARGET_DEBUG_FILE_H
#define GOTAP_TARGET_DEBUG_FILE_H

#include <stdbool.h>

#include "symbol/elf_file.h"

struct debug_place {
	/* the program's path in its file system; beside it is looked, too */
	const char *name;
	const char *root;	/* of that file system ("/proc/PID/root"), NULL: ours */
	/*
	 * Whether the servers in DEBUGINFOD_URLS may be asked, for some seconds (or as
	 * DEBUGINFOD_TIMEOUT and DEBUGINFOD_MAXTIME have it). None, if that is not set.
	 */
	bool ask_servers;
};

/* A descriptor and, for people, *@path (to be freed); -ENOENT if there is no such file. */
int debug_file_find(const struct elf_file *f, const struct debug_place *place, char **path);

#endif
