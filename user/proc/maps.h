/* SPDX-License-Identifier: Apache-2.0 */
/*
 * maps: the files whose code a process has in its memory, by /proc/PID/maps. In:
 * a process. Out: one row per mapping, and a path by which the very file that is
 * mapped can be opened, in whatever container it is and even if it was deleted.
 */
#ifndef GOTAP_PROC_MAPS_H
#define GOTAP_PROC_MAPS_H

#include <stdint.h>

#include "base/vec.h"
#include "proc/procfs.h"

struct mapping {
	uint64_t start, end;
	uint64_t offset;	/* in the file, of start */
	const char *path;	/* as the process has it; lives as long as the maps */
};

struct maps {
	struct buf text;
	struct vec code;	/* struct mapping, ascending: executable ones of files */
};

/* -errno; a process that is gone gives -ENOENT or -ESRCH. Release it in any case. */
int maps_read(struct maps *m, const struct procfs *fs, pid_t pid);
void maps_free(struct maps *m);

/*
 * Opens the file of @map to read: below /proc/PID/map_files, which takes CAP_SYS_ADMIN
 * or CAP_CHECKPOINT_RESTORE, else by its path in @root, the process's root folder (-1:
 * not known). -errno; -ENOEXEC if it is no regular file (base/open_under.h).
 */
int maps_open(const struct procfs *fs, pid_t pid, int root, const struct mapping *map);

#endif
