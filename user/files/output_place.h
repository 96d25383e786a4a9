/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output_place: where the path of an output leads: folder, name and what is there now.
 * Used by output.c only.
 */
#ifndef GOTAP_FILES_OUTPUT_PLACE_H
#define GOTAP_FILES_OUTPUT_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"

struct place {
	int dir;			/* O_PATH */
	char name[NAME_MAX + 1];
	bool exists;
	struct stat st, dir_st;		/* st: if it exists */
	bool magic;			/* a link of /proc: name stands for an open file */
};

/*
 * Follows symbolic links by hand, each by the descriptor that was looked at, so that a
 * link cannot change between look and use. place_release() in any case.
 */
int place_find(struct place *p, const char *path, struct error *err);
/* May others put files there, and is the one with @st of another user? */
bool place_is_foreign(const struct place *p, const struct stat *st);
/* Does its folder let only its owner, another user, replace what is there (as /tmp does)? */
bool place_is_kept(const struct place *p);
/* Is it a mount point, which cannot be replaced? */
bool place_is_mount(const struct place *p);
/* Number of our own open file that a link of /proc stands for, -1: none. */
int place_own_fd(const struct place *p);
void place_release(struct place *p);

#endif
