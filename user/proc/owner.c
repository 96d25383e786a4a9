// SPDX-License-Identifier: Apache-2.0
/* owner: see owner.h. */
#define _GNU_SOURCE
#include "proc/owner.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

bool owner_read(int dir, const char *name, char *ret, size_t size)
{
	_cleanup_close_ int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, ret, size - 1);

	if (n <= 0)
		return false;
	ret[n] = 0;
	return true;
}

/* Returns the text after "\nNAME:" in a status file; NULL: there is no such line. */
static const char *owner_field(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	return at ? at + strlen(name) : NULL;
}

static bool ids_are(const char *line, uid_t uid)
{
	unsigned int id[4];

	return line && sscanf(line, "%u %u %u %u", &id[0], &id[1], &id[2], &id[3]) == 4 &&
	       id[0] == uid && id[1] == uid && id[2] == uid && id[3] == uid;
}

static bool has_no_capabilities(const char *line)
{
	return line && !strtoull(line, NULL, 16) && strchr(line, '0');
}

bool owner_is(int dir, uid_t uid)
{
	char status[4096];
	struct stat st;

	/*
	 * The file and not the folder shows the owner: the folder belongs to the user in any case
	 * (proc(5), task_dump_owner()).
	 */
	return owner_read(dir, "status", status, sizeof(status)) &&
	       ids_are(owner_field(status, "\nUid:"), uid) &&
	       has_no_capabilities(owner_field(status, "\nCapPrm:")) &&
	       !fstatat(dir, "mem", &st, 0) && st.st_uid == uid;
}
