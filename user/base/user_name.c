// SPDX-License-Identifier: Apache-2.0
/* user_name: see user_name.h. */
#define _GNU_SOURCE
#include "base/user_name.h"

#include <pwd.h>
#include <stdio.h>

#ifdef GOTAP_STATIC

static struct passwd *user_find(uid_t uid)
{
	FILE *f = fopen("/etc/passwd", "re");
	struct passwd *pw = NULL;

	if (!f)
		return NULL;
	do
		pw = fgetpwent(f);
	while (pw && pw->pw_uid != uid);
	fclose(f);
	return pw;
}

#else

static struct passwd *user_find(uid_t uid)
{
	return getpwuid(uid);
}

#endif

void user_name(uid_t uid, char *name, size_t size)
{
	const struct passwd *pw = user_find(uid);

	if (pw)
		snprintf(name, size, "%s", pw->pw_name);
	else
		snprintf(name, size, "%u", uid);
}
