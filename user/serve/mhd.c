// SPDX-License-Identifier: Apache-2.0
/* mhd: see mhd.h. */
#include "serve/mhd.h"

#include <dlfcn.h>
#include <errno.h>

struct mhd mhd;

#ifdef GOTAP_STATIC

int mhd_load(struct error *err)
{
#define X(name) mhd.name = MHD_##name;
	MHD_FUNCTIONS(X)
#undef X
	return 0;
}

#else

static const struct {
	const char *name;
	void **at;
} functions[] = {
#define X(name) { "MHD_" #name, (void **)&mhd.name },
	MHD_FUNCTIONS(X)
#undef X
};

int mhd_load(struct error *err)
{
	void *library = dlopen(GOTAP_MHD, RTLD_NOW | RTLD_LOCAL);
	size_t i;

	if (!library)
		return error_set(err, -ENOENT,
				 "gotap serve needs libmicrohttpd: %.200s; install that (Debian: "
				 "libmicrohttpd12)",
				 dlerror());
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		*functions[i].at = dlsym(library, functions[i].name);
		if (!*functions[i].at)
			return error_set(err, -ENOENT,
					 "%s has no function %s: install another libmicrohttpd",
					 GOTAP_MHD, functions[i].name);
	}
	return 0;
}

#endif
