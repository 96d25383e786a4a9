// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_debug: arbitrary bytes as a stripped program that says where its debug file
 * is (build id, .gnu_debuglink), with libdwfl's search.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "target/debug_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void search(const char *path)
{
	const struct debug_place place = {
		.name = path,	/* beside it lie its other descriptors */
		.root = "/proc/self/root/nonexistent",
	};
	struct elf_file f;
	char *found = NULL;
	int found_fd;

	if (elf_file_open(&f, path, NULL))
		return;
	found_fd = debug_file_find(&f, &place, &found);
	if (found_fd >= 0)
		close(found_fd);
	free(found);
	elf_file_close(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[64];

	if (fd < 0)
		return 0;
	setenv("HOME", "/nonexistent", 1);
	unsetenv("DEBUGINFOD_URLS");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size)
		search(path);
	close(fd);
	return 0;
}
