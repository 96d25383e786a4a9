// SPDX-License-Identifier: Apache-2.0
/* build: see build.h. */
#include "base/build.h"

#include <stddef.h>

#ifdef GOTAP_STATIC

void *__wrap_dlopen(const char *file, int mode);

/*
 * Stands for dlopen() (the option --wrap of the linker): the constructor of libdw looks for
 * libdebuginfod with it. A library that was built for another glibc than the one in this file would
 * end gotap, or worse.
 */
void *__wrap_dlopen(const char *file, int mode)
{
	return NULL;
}

#endif

static const char *const lacks[] = {
#ifdef GOTAP_NO_SERVE
	"`gotap serve` (make SERVE=no)",
#endif
#ifdef GOTAP_STATIC
	"names of users that /etc/passwd does not have (NSS takes shared libraries)",
	"debug data of servers (DEBUGINFOD_URLS), which take a shared library",
#endif
	NULL,
};

bool build_is_static(void)
{
#ifdef GOTAP_STATIC
	return true;
#else
	return false;
#endif
}

const char *build_lacks(unsigned int i)
{
	return i < sizeof(lacks) / sizeof(lacks[0]) ? lacks[i] : NULL;
}
