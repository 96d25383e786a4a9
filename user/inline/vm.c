// SPDX-License-Identifier: Apache-2.0
/* vm: see vm.h. */
#define _GNU_SOURCE
#include "inline/vm.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "base/cleanup.h"
#include "inline.h"

enum { MAPS_MAX = 64 << 20, PAGE = 4096, PIECES = 32 };

/*
 * Reads in pieces that end with a page, because the kernel reads a piece either whole or not at
 * all.
 */
static size_t vm_read_some(const struct process *p, uint64_t addr, void *to, size_t n)
{
	struct iovec local = { to, n }, remote[PIECES];
	size_t i, piece, all = 0;
	ssize_t r;

	for (i = 0; i < PIECES && all < n; i++, all += piece) {
		piece = PAGE - (addr + all) % PAGE;
		if (piece > n - all)
			piece = n - all;
		remote[i] = (struct iovec){ (void *)(uintptr_t)(addr + all), piece };
	}
	local.iov_len = all;
	r = process_vm_readv(p->pid, &local, 1, remote, i, 0);
	return r > 0 ? (size_t)r : 0;
}

size_t vm_read(const struct process *p, uint64_t addr, void *to, size_t n)
{
	size_t done = 0, r;

	while (done < n && (r = vm_read_some(p, addr + done, (char *)to + done, n - done)))
		done += r;
	return done;
}

int vm_open(const struct process *p)
{
	char path[PROCFS_PATH];
	int fd;

	procfs_path(&p->fs, p->pid, "mem", path);
	fd = p->writable >= 0 ? fcntl(p->writable, F_DUPFD_CLOEXEC, 0) :
				open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

bool vm_read_open(int mem, uint64_t addr, void *to, size_t n)
{
	return pread(mem, to, n, (off_t)addr) == (ssize_t)n;
}

int vm_write(int mem, uint64_t addr, const void *data, size_t n)
{
	const char *from = data;
	ssize_t r;

	for (; n; n -= (size_t)r, from += r, addr += (uint64_t)r) {
		r = pwrite(mem, from, n, (off_t)addr);
		if (r <= 0)
			return r ? -errno : -EIO;	/* 0: the process has no memory any more */
	}
	return 0;
}

bool vm_may_force(void)
{
	_cleanup_close_ int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	void *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool may = mem >= 0 && page != MAP_FAILED && !vm_write(mem, (uintptr_t)page, "x", 1);

	if (page != MAP_FAILED)
		munmap(page, PAGE);
	return may;
}

/* Reads a line: START-END PERMS OFFSET DEVICE INODE NAME */
static bool read_area(const char *line, struct area *ret)
{
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64 " %n", &ret->start,
		   &ret->end, ret->perms, &ret->offset, &ret->ino, &at) < 5 ||
	    !at)
		return false;
	ret->name = line + at;
	return true;
}

int areas_read(struct areas *a, const struct process *p)
{
	char *line, *rest;
	struct area area;
	int r;

	*a = (struct areas){0};
	r = procfs_read(&p->fs, p->pid, "maps", MAPS_MAX, &a->text);
	if (r)
		return r == -ENOENT ? -ESRCH : r;
	for (rest = (char *)a->text.data; (line = strsep(&rest, "\n"));)
		if (read_area(line, &area))
			*(struct area *)vec_push(&a->list, sizeof(area)) = area;
	return a->list.len ? 0 : -ESRCH;
}

void areas_free(struct areas *a)
{
	buf_free(&a->text);
	vec_free(&a->list);
}

const struct area *areas_at(const struct areas *a, uint64_t addr)
{
	size_t i;

	for (i = 0; i < a->list.len; i++)
		if (addr - vec_at(&a->list, struct area, i)->start <
		    vec_at(&a->list, struct area, i)->end - vec_at(&a->list, struct area, i)->start)
			return vec_at(&a->list, struct area, i);
	return NULL;
}

bool is_our_name(const char *name)
{
	return !strcmp(name, "/memfd:" INLINE_NAME " (deleted)");
}
