/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_mounts: the cgroup file systems that are mounted here, versions 1 and 2. In: the mountinfo
 * file of a process, the text of a cgroup file of proc. Out: the folder in which files of a cgroup
 * lie.
 */
#ifndef GOTAP_PROC_CGROUP_MOUNTS_H
#define GOTAP_PROC_CGROUP_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum { CGROUP_PATH = 512, CGROUP_FOLDER = 2 * CGROUP_PATH, CGROUP_FILE = 4096 };

/* The cgroup that is @root is the folder @point. */
struct cgroup_mount {
	char root[CGROUP_PATH], point[CGROUP_PATH];
	char controllers[256];		/* of version 1, among other options */
	bool v2;
};

struct cgroup_mounts {
	struct vec all;		/* struct cgroup_mount */
};

/* @mountinfo: a file as proc has it. None that is readable: no mounts. */
void cgroup_mounts_find(struct cgroup_mounts *m, const char *mountinfo);
void cgroup_mounts_free(struct cgroup_mounts *m);
/* Does it have the files of @controller? One of version 2 may have those of any. */
bool cgroup_mount_has(const struct cgroup_mount *mount, const char *controller);
/*
 * The folder for @controller of the process whose cgroup file is @text. False: its cgroup is not
 * below this mount, or has that controller in another one.
 */
bool cgroup_mount_folder(const struct cgroup_mount *mount, const char *text, const char *controller,
			 char ret[CGROUP_FOLDER]);
/* Makes @folder that of the cgroup above; false: it is that of the mount. */
bool cgroup_mount_up(char *folder, const struct cgroup_mount *mount);
/* The text of FOLDER/NAME in @ret, which is "" if there is none. */
bool cgroup_read_file(const char *folder, const char *name, char ret[CGROUP_FILE]);
/* The number behind "NAME " at the begin of a line of @text, times @unit; 0: there is none. */
uint64_t cgroup_value(const char *text, const char *name, uint64_t unit);

#endif
