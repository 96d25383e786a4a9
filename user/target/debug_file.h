/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_file: the file into which distributions put the DWARF data and symbols that they strip from
 * a program. In: a program. Out: that file, open. It is found by build id or .gnu_debuglink: below
 * /usr/lib/debug and beside the program, in the file system of its container and in that of gotap;
 * in the cache of debuginfod clients; and on debuginfod's servers (by libdwfl). Called by gobin.
 *
 * A file that belongs to another program is not used: its build id must be that of the program or,
 * if the program has none, its checksum that of .gnu_debuglink.
 */
#ifndef GOTAP_TARGET_DEBUG_FILE_H
#define GOTAP_TARGET_DEBUG_FILE_H

#include <stdbool.h>

#include "symbol/elf_file.h"

struct debug_place {
	/* the program's path in its file system; debug files beside it are found, too */
	const char *name;
	const char *root;	/* root of that file system ("/proc/PID/root"); NULL: gotap's own */
	/*
	 * Whether the servers in DEBUGINFOD_URLS may be asked, for at most some seconds (or the
	 * time in DEBUGINFOD_TIMEOUT and DEBUGINFOD_MAXTIME). Without DEBUGINFOD_URLS no server is
	 * asked.
	 */
	bool ask_servers;
};

/*
 * Returns an open descriptor, which the caller closes, and a path for messages in *@path, which the
 * caller frees; -ENOENT if there is no such file.
 */
int debug_file_find(const struct elf_file *f, const struct debug_place *place, char **path);

#endif
