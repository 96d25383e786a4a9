// SPDX-License-Identifier: Apache-2.0
/*
 * follow: linked with code that is built with -finstrument-functions. Prints, for each function that
 * is entered between path_begin() and path_end(), how many are on the stack with it, and its
 * address, on descriptor 9; path_end() prints an empty line.
 */
#include <stdio.h>

#define PLAIN __attribute__((no_instrument_function))

static int is_followed, depth;

void path_begin(void) PLAIN;
void path_end(void) PLAIN;
void __cyg_profile_func_enter(void *fn, void *site) PLAIN;
void __cyg_profile_func_exit(void *fn, void *site) PLAIN;

void path_begin(void)
{
	depth = 0;
	is_followed = 1;
}

void path_end(void)
{
	is_followed = 0;
	dprintf(9, "\n");
}

void __cyg_profile_func_enter(void *fn, void *site)
{
	depth++;
	if (is_followed)
		dprintf(9, "%d %p\n", depth, fn);
}

void __cyg_profile_func_exit(void *fn, void *site)
{
	depth--;
}
