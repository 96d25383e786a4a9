// SPDX-License-Identifier: Apache-2.0
/* Fields of /proc/PID/status: the memory that bounds the goroutines of a program. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proc/procfs.h"
#include "unit.h"

enum { BYTES = 64 << 20, FILE_BYTES = 1 << 20 };

static uint64_t anonymous(void)
{
	struct procfs fs;
	struct procfs_status st = {0};
	struct error err = {0};

	CHECK_EQ(procfs_open(&fs, NULL, &err), 0);
	CHECK_EQ(procfs_status(&fs, getpid(), "status", &st), 0);
	return st.anonymous;
}

static void memory_counts_that_was_written_to(void)
{
	uint64_t before = anonymous();
	char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	CHECK(anonymous() < before + BYTES / 2);
	memset(p, 1, BYTES);
	CHECK(anonymous() >= before + BYTES / 2);
	munmap(p, BYTES);
	CHECK(anonymous() < before + BYTES / 2);
}

/* One page of a file can be mapped any number of times, which costs the program nothing. */
static void pages_of_a_file_do_not_count(void)
{
	uint64_t before = anonymous();
	int fd = memfd_create("pages", 0), i;
	char *p[BYTES / FILE_BYTES];

	CHECK(fd >= 0 && !ftruncate(fd, FILE_BYTES));
	for (i = 0; i < BYTES / FILE_BYTES; i++) {
		p[i] = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
		CHECK(p[i] != MAP_FAILED);
	}
	CHECK(anonymous() < before + BYTES / 2);
	for (i = 0; i < BYTES / FILE_BYTES; i++)
		munmap(p[i], FILE_BYTES);
	close(fd);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(memory_counts_that_was_written_to),
		UNIT(pages_of_a_file_do_not_count),
		{0} });
}
