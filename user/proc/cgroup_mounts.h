/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_mounts: the mounted cgroup file systems, versions 1 and 2. In: the mountinfo file of a
 * process, the text of a cgroup file of proc. Out: the folder with the files of a cgroup.
 */
#ifndef GOTAP_PROC_CGROUP_MOUNTS_H
#define GOTAP_PROC_CGROUP_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum { CGROUP_PATH = 512, CGROUP_FOLDER = 2 * CGROUP_PATH, CGROUP_FILE = 4096 };

/* A mount: the folder @point is the cgroup @root. */
struct cgroup_mount {
	char root[CGROUP_PATH], point[CGROUP_PATH];
	/* options of a version 1 mount, which name its controllers */
	char controllers[256];
	bool v2;
};

struct cgroup_mounts {
	struct vec all;		/* struct cgroup_mount */
};

/* Finds the mounts. @mountinfo: a file as proc has it; if it cannot be read, there are none. */
void cgroup_mounts_find(struct cgroup_mounts *m, const char *mountinfo);
void cgroup_mounts_free(struct cgroup_mounts *m);
/*
 * Stores the folder for @controller of the process with the cgroup file @text. False: its cgroup is
 * not below this mount, or has that controller in another mount.
 */
bool cgroup_mount_folder(const struct cgroup_mount *mount, const char *text, const char *controller,
			 char ret[CGROUP_FOLDER]);
/* Makes @folder that of the parent cgroup; false: @folder is already that of the mount. */
bool cgroup_mount_up(char *folder, const struct cgroup_mount *mount);
/* Reads the text of FOLDER/NAME into @ret, which is "" if there is no such file. */
bool cgroup_read_file(const char *folder, const char *name, char ret[CGROUP_FILE]);
/*
 * Returns the number after "NAME " at the begin of a line of @text, times @unit; 0: there is none.
 */
uint64_t cgroup_value(const char *text, const char *name, uint64_t unit);

#endif
