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
/*
 * Returns whether others may put files into the folder, and the file with @st belongs to another
 * user.
 */
bool place_is_foreign(const struct place *p, const struct stat *st);
/*
 * Returns whether only the owner of the file, another user, may replace it (the sticky bit of a
 * folder such as /tmp).
 */
bool place_is_kept(const struct place *p);
/* Returns whether the file is a mount point, which cannot be replaced. */
bool place_is_mount(const struct place *p);
/*
 * Returns the number of gotap's own open file that a link of /proc stands for, -1: it stands for
 * none.
 */
int place_own_fd(const struct place *p);
void place_release(struct place *p);

#endif
