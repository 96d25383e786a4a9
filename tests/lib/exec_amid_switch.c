// SPDX-License-Identifier: Apache-2.0
/*
 * exec_amid_switch: preloaded into `gotap heap --switch-on`, makes the target ($TARGET) exec another
 * program between the moment at which gotap has opened its memory for writing and the write: when
 * gotap gives the note its name.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "make_exec.h"

int link(const char *from, const char *to)
{
	int (*real)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "link");

	make_it_exec(getenv("TARGET"));
	usleep(200000);		/* and until it has begun */
	return real(from, to);
}
