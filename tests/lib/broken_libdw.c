// SPDX-License-Identifier: Apache-2.0
/*
 * broken_libdw: preloaded into gotap, stands for DWARF data that libdw cannot read unharmed:
 * the line table of the second unit ends the process by SIGSEGV, or ($FAULT is "loop") is
 * read for ever.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

int dwarf_getsrclines(void *die, void **lines, size_t *n);

int dwarf_getsrclines(void *die, void **lines, size_t *n)
{
	static int units;
	int (*real)(void *, void **, size_t *) = (int (*)(void *, void **, size_t *))dlsym(RTLD_NEXT,
									"dwarf_getsrclines");
	const char *fault = getenv("FAULT");
	volatile int forever = 1;

	if (++units < 2)
		return real(die, lines, n);
	while (fault && !strcmp(fault, "loop") && forever)
		;
	return *(volatile int *)0;
}
