// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_remains: any bytes as the mappings of a process (/proc/PID/maps and smaps), from which gotap
 * takes what is left of its memory there. The mappings that are to be unmapped must be some of
 * those of the file, and the calls no more than one visit makes.
 *
 * The input begins with 17 bytes: the inode, the place of the code, and its size in pages.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inline/remains.h"
#include "inline/vm.h"

enum { HEAD = 17, PAGE = 4096 };

static char root[64];

__attribute__((destructor)) static void remove_folder(void)
{
	char path[128];
	size_t i;

	for (i = 0; *root && i < 4; i++) {
		snprintf(path, sizeof(path), "%s%s", root,
			 (const char *[]){ "/1/maps", "/1/smaps", "/1/fd", "/1" }[i]);
		remove(path);
	}
	if (*root)
		rmdir(root);
}

static void make_folder(void)
{
	char path[128];

	if (*root)
		return;
	snprintf(root, sizeof(root), "/dev/shm/gotap-remains.%d", getpid());
	mkdir(root, 0700);
	snprintf(path, sizeof(path), "%s/1", root);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/1/fd", root);
	mkdir(path, 0700);
}

static void put_file(const char *name, const uint8_t *data, size_t size)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/1/%s", root, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	must(fd >= 0 && write(fd, data, size) == (ssize_t)size, "the file is written");
	close(fd);
}

static void look_at_areas(const struct process *p)
{
	struct areas a;
	size_t i, length = 0;

	if (!areas_read(&a, p))
		for (i = 0; i < a.list.len; i++) {
			const struct area *area = vec_at(&a.list, struct area, i);

			length += strlen(area->name) + is_our_name(area->name);
			(void)areas_at(&a, area->start);
		}
	must(length <= a.text.len + a.list.len, "names are of the text");
	areas_free(&a);
}

static void look_at_remains(const struct process *p, const uint8_t *head)
{
	struct call calls[CALLS_MAX], call = {0};
	struct remains found;
	uint64_t ino, code;

	memcpy(&ino, head, sizeof(ino));
	memcpy(&code, head + sizeof(ino), sizeof(code));
	call.ino = ino;
	if (!remains_find(p, ino, code, (uint64_t)head[HEAD - 1] * PAGE, &found)) {
		must(found.n_shared <= REMAINS_MAX && found.n_fds <= REMAINS_MAX, "there is room");
		must(remains_calls(&found, calls) <= CALLS_MAX, "a visit makes all calls");
	}
	(void)effect_shared(p, &call);
	(void)effect_shared_gone(p, &call);
	(void)effect_code(p, &call);
	(void)effect_code_gone(p, &call);
	(void)effect_control(p, &call);
	(void)effect_wiped(p, &call);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct process proc = PROCESS_CLOSED;

	if (size < HEAD)
		return 0;
	make_folder();
	put_file("maps", data + HEAD, size - HEAD);
	put_file("smaps", data + HEAD, size - HEAD);
	proc.pid = 1;
	snprintf(proc.fs.dir, sizeof(proc.fs.dir), "%s", root);
	look_at_areas(&proc);
	look_at_remains(&proc, data);
	return 0;
}
