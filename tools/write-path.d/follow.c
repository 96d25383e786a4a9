// SPDX-License-Identifier: Apache-2.0
/*
 * follow: linked into a gotap that is built with -finstrument-functions. Prints, for each function
 * that is entered, how many are on the stack with it, and its address, on descriptor 9: from the
 * second spool_read() to the end of the next assembler_chunk(), and from the first
 * tracefile_gen_end() after it to its end. The functions that are on the stack at the begin come
 * first, each with "caller".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PLAIN __attribute__((no_instrument_function))

enum { NAMES = 4096 };

enum { DEPTH = 256 };

static void *stack[DEPTH], *end;
static int reads, busy, depth;

void __cyg_profile_func_enter(void *fn, void *site) PLAIN;
void __cyg_profile_func_exit(void *fn, void *site) PLAIN;

static PLAIN int is(void *fn, const char *name)
{
	static struct { void *fn; char name[64]; } names[NAMES];
	size_t i = ((uintptr_t)fn >> 4) % NAMES;
	Dl_info info;

	if (names[i].fn != fn) {
		names[i].fn = fn;
		dladdr(fn, &info);
		snprintf(names[i].name, sizeof(names[i].name), "%s",
			 info.dli_sname && info.dli_saddr == fn ? info.dli_sname : "");
	}
	return !strcmp(names[i].name, name);
}

static PLAIN void begin(void *fn)
{
	static int ended;

	if (is(fn, "spool_read") && ++reads == 2)
		end = dlsym(RTLD_DEFAULT, "assembler_chunk");
	else if (reads >= 2 && !end && !ended && is(fn, "tracefile_gen_end")) {
		ended = 1;
		end = fn;
	}
}

static PLAIN void print_stack(void)
{
	int i;

	for (i = 1; i < depth && i < DEPTH; i++)
		dprintf(9, "%d %p caller\n", i, stack[i]);
}

void __cyg_profile_func_enter(void *fn, void *site)
{
	if (busy)
		return;
	busy = 1;
	if (++depth < DEPTH)
		stack[depth] = fn;
	if (!end) {
		begin(fn);
		if (end)
			print_stack();
	}
	if (end)
		dprintf(9, "%d %p\n", depth, fn);
	busy = 0;
}

void __cyg_profile_func_exit(void *fn, void *site)
{
	depth--;
	if (fn == end)
		end = NULL;
}
