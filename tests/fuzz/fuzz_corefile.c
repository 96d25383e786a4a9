// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_corefile: any bytes as a core file: corefile_open() opens or refuses it, and no read passes
 * the end of the file.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live/corefile.h"

enum { READS = 64, MOST = 4096 };

static void read_all(const struct corefile *c, const uint8_t *data, size_t size)
{
	static uint8_t to[MOST];
	uint64_t addr, total = 0;
	size_t i;

	for (i = 0; i < READS && 8 * i + 8 <= size; i++) {
		memcpy(&addr, data + 8 * i, sizeof(addr));
		if (corefile_read(c, addr, to, 1 + addr % MOST))
			total++;
	}
	must(!total || corefile_size(c), "what can be read is a part of its size");
	for (i = 0; i < corefile_threads(c)->len; i++)
		must(corefile_thread(c, vec_at(corefile_threads(c), struct corefile_thread,
					       i)->tid) != NULL, "each thread is found by its id");
	(void)strlen(corefile_program(c));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	char path[64];
	struct corefile *c;
	struct error err;

	if (fd < 0)
		fd = memfd_create("core", 0);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (corefile_open(&c, path, &err)) {
		must(err.text[0], "a refusal has a reason");
		return 0;
	}
	read_all(c, data, size);
	corefile_free(c);
	return 0;
}
