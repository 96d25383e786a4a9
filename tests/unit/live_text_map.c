// SPDX-License-Identifier: Apache-2.0
/* text_map: by our own memory, where is what is not from our file. */
#define _GNU_SOURCE
#include "unit.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live/text_map.h"

enum { SIZE = 1 << 16 };

static struct process proc = PROCESS_CLOSED;

static bool moved(const void *at, size_t n)
{
	struct text_range range = { (uintptr_t)at, (uintptr_t)at + n };

	return text_moved(&proc, &range);
}

static void *map(void)
{
	void *p = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

static void code_of_the_file_has_not_moved(void)
{
	CHECK(!moved((const void *)(uintptr_t)map, 1));
}

static void memory_of_no_file_is_another_place(void)
{
	void *p = map();

	CHECK(moved(p, SIZE));
	CHECK(moved(p, 1));
	munmap(p, SIZE);
}

/* As a process looks that execs, between its old memory and the new. */
static void where_nothing_is_nothing_has_moved(void)
{
	void *p = map();

	munmap(p, SIZE);
	CHECK(!moved(p, SIZE));
}

int main(void)
{
	CHECK(!procfs_open(&proc.fs, NULL, &(struct error){0}));
	proc.pid = getpid();
	snprintf(proc.module, sizeof(proc.module), "/proc/self/exe");
	return unit_main((struct unit_case[]){
		UNIT(code_of_the_file_has_not_moved),
		UNIT(memory_of_no_file_is_another_place),
		UNIT(where_nothing_is_nothing_has_moved),
		{0} });
}
