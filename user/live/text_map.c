// SPDX-License-Identifier: Apache-2.0
/* text_map: see text_map.h. */
#define _GNU_SOURCE
#include "live/text_map.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The fields of a line of /proc/PID/maps that identify a file. */
struct origin {
	uint64_t ino;
	char path[4096];
};

/*
 * Finds the file of the module. For a removed path the link ends with " (deleted)", as the line of
 * maps does.
 */
static bool find_origin(const struct process *p, struct origin *ret)
{
	struct stat st;
	ssize_t n = readlink(p->module, ret->path, sizeof(ret->path) - 1);

	if (n < 0 || stat(p->module, &st))
		return false;
	ret->path[n] = 0;
	ret->ino = st.st_ino;
	return true;
}

/*
 * Returns whether inode or path is the same: overlayfs shows the inode of another layer, a mount
 * namespace another path.
 */
static bool is_from(const struct origin *o, uint64_t ino, const char *path)
{
	return ino && (ino == o->ino || !strcmp(path, o->path));
}

static bool text_map_read_line(FILE *f, uint64_t *start, uint64_t *end, uint64_t *ino,
			       char path[4096])
{
	char line[4608], *nl;
	int at = 0;

	if (!fgets(line, sizeof(line), f) ||
	    sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %" SCNu64 " %n", start, end, ino,
		   &at) < 3)
		return false;
	nl = strchr(line, '\n');
	if (nl)
		*nl = 0;
	snprintf(path, 4096, "%s", at ? line + at : "");
	return true;
}

/*
 * Returns whether another file is mapped at some of these addresses. Addresses without a mapping do
 * not count, as no code runs there: during an exec the old memory is gone and the new one is not
 * there yet. The lines of maps ascend, and the code of a program comes early, so that most lines
 * are not read.
 */
static bool holds_other(FILE *f, const struct origin *o, const struct text_range *range)
{
	uint64_t start, end, ino;
	char path[4096];

	while (text_map_read_line(f, &start, &end, &ino, path) && start < range->end)
		if (end > range->start && !is_from(o, ino, path))
			return true;
	return false;
}

bool text_moved(const struct process *p, const struct text_range *range)
{
	char maps[PROCFS_PATH];
	struct origin origin;
	bool moved = false;
	FILE *f;

	if (range->start >= range->end || !find_origin(p, &origin))
		return false;
	procfs_path(&p->fs, p->pid, "maps", maps);
	f = fopen(maps, "re");
	if (!f)
		return false;
	moved = holds_other(f, &origin, range);
	fclose(f);
	return moved;
}

int text_check(const struct process *p, const struct text_range *range, struct error *err)
{
	if (!text_moved(p, range))
		return 0;
	return error_set(err, -ENOTSUP,
			 "process %d runs a copy of its code that is not mapped from its file "
			 "(huge pages for code?): no probe reaches it; record it with that "
			 "turned off",
			 p->pid);
}
