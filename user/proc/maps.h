/* SPDX-License-Identifier: Apache-2.0 */
/*
 * maps: the files that a process runs code of, by /proc/PID/maps. In: a process. Out: one row per
 * mapping, and a way to open the very file that is mapped, in any container, and also if it was
 * deleted.
 */
#ifndef GOTAP_PROC_MAPS_H
#define GOTAP_PROC_MAPS_H

#include <stdint.h>

#include "base/vec.h"
#include "proc/procfs.h"

struct mapping {
	uint64_t start, end;
	uint64_t offset;	/* offset of @start in the file */
	const char *path;	/* as the process has it; lives as long as the maps */
};

struct maps {
	struct buf text;
	struct vec code;	/* struct mapping, ascending: executable mappings of files */
};

/*
 * Reads the maps. -errno; for a process that is gone -ENOENT or -ESRCH. The caller frees @m by
 * maps_free(), also after an error.
 */
int maps_read(struct maps *m, const struct procfs *fs, pid_t pid);
void maps_free(struct maps *m);

/*
 * Opens the file of @map to read. It is opened below /proc/PID/map_files, which takes CAP_SYS_ADMIN
 * or CAP_CHECKPOINT_RESTORE, or, without them, by its path in @root, the process's root folder (-1:
 * not known). Returns a descriptor, which the caller closes; -errno; -ENOEXEC if it is no regular
 * file (base/open_under.h).
 */
int maps_open(const struct procfs *fs, pid_t pid, int root, const struct mapping *map);

#endif
