/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_file: the file into which distributions put what they strip from a
 * program: DWARF data and symbols. In: a program. Out: the path of that file, by
 * build id or .gnu_debuglink (libdwfl's own search, in /usr/lib/debug and beside
 * the program), in what debuginfod clients have kept, and, for a program in a
 * container, there.
 *
 * Only a file that is the program's is found: its build id is the same, or
 * without one the checksum that the program has of it.
 */
#ifndef GOTAP_TARGET_DEBUG_FILE_H
#define GOTAP_TARGET_DEBUG_FILE_H

#include <stdbool.h>

#include "symbol/elf_file.h"

struct debug_place {
	const char *file;	/* where the program can be read */
	const char *name;	/* its path, as people know it; beside it is looked, too */
	const char *root;	/* of its own file system ("/proc/PID/root"), or NULL */
	/*
	 * Whether the servers in DEBUGINFOD_URLS may be asked, for some seconds (or as
	 * DEBUGINFOD_TIMEOUT and DEBUGINFOD_MAXTIME have it). None, if that is not set.
	 */
	bool ask_servers;
};

/* The path, to be freed; NULL if there is no such file. */
char *debug_file_find(const struct elf_file *f, const struct debug_place *place);

#endif
