// SPDX-License-Identifier: Apache-2.0
/* parent: see parent.h. */
#include "base/parent.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/vec.h"

static const char option[] = "--parent=";

char *parent_option(void)
{
	return xasprintf("%s%d", option, (int)getpid());
}

/*
 * Requests the signal first, and then checks that the parent is alive. An end of the parent between
 * the two is not missed.
 */
bool parent_take(const char *arg)
{
	size_t n = strlen(option);

	if (strncmp(arg, option, n))
		return false;
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != atoi(arg + n))
		_exit(1);
	return true;
}
