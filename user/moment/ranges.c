// SPDX-License-Identifier: Apache-2.0
/* ranges: see ranges.h. */
#define _GNU_SOURCE
#include "moment/ranges.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { MAPS_MAX = 64 << 20 };

/* Devices and huge pages: neither have soft-dirty bits, and Go keeps no objects there. */
static bool path_is_other(const char *path)
{
	return !strncmp(path, "/dev/", 5) || !strncmp(path, "/anon_hugepage", 14);
}

/* Returns whether the line of the maps file is of a range that the image has. */
static bool parse_range(const char *line, struct moment_range *ret)
{
	char mode[5] = "", path[16] = "";

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s %15s", &ret->start, &ret->end,
		   mode, path) < 3)
		return false;
	ret->file = path[0] == '/';
	return mode[0] == 'r' && mode[1] == 'w' && mode[3] == 'p' && !path_is_other(path);
}

static size_t window_size(const struct window *w)
{
	return (size_t)(w->range.end - w->range.start);
}

/* Returns the window of @range in @all, from *@i on; both are ascending. */
static struct window *window_kept(const struct vec *all, size_t *i,
				  const struct moment_range *range)
{
	while (*i < all->len && vec_at(all, struct window, *i)->range.start < range->start)
		++*i;
	if (*i < all->len) {
		struct window *w = vec_at(all, struct window, *i);

		if (w->range.start == range->start && w->range.end == range->end)
			return w;
	}
	return NULL;
}

static int window_make(struct window *w, int memory)
{
	void *at = mmap(NULL, window_size(w), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
			memory, (off_t)w->range.start);

	if (at == MAP_FAILED)
		return -errno;
	w->at = at;
	return 0;
}

static void ranges_close(struct vec *all)
{
	for (size_t i = 0; i < all->len; i++) {
		struct window *w = vec_at(all, struct window, i);

		if (w->at)
			munmap(w->at, window_size(w));
	}
	vec_free(all);
}

int ranges_update(struct ranges *r, const struct process *p, int memory)
{
	struct vec all = { 0 };
	size_t kept = 0;
	char *save, *line;
	int error;

	r->text.len = 0;
	error = procfs_read(&p->fs, p->pid, "maps", MAPS_MAX, &r->text);
	if (error)
		return error == -ENOENT ? -ESRCH : error;
	if (!r->text.len)
		return -ESRCH;
	line = strtok_r((char *)r->text.data, "\n", &save);
	for (; line && !error; line = strtok_r(NULL, "\n", &save)) {
		struct window w = { 0 }, *old;

		if (!parse_range(line, &w.range))
			continue;
		old = window_kept(&r->all, &kept, &w.range);
		if (old)
			w.at = old->at;
		else
			error = window_make(&w, memory);
		if (old)
			old->at = NULL;
		*(struct window *)vec_push(&all, sizeof(w)) = w;
	}
	ranges_close(&r->all);
	r->all = all;
	return error;
}

static const struct window *window_of(const struct ranges *r, uint64_t addr)
{
	size_t low = 0, high = r->all.len;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct window *w = vec_at(&r->all, struct window, middle);

		if (addr < w->range.start)
			high = middle;
		else if (addr >= w->range.end)
			low = middle + 1;
		else
			return w;
	}
	return NULL;
}

char *ranges_window(const struct ranges *r, uint64_t addr, uint64_t *left)
{
	const struct window *w = window_of(r, addr);

	if (!w)
		return NULL;
	*left = w->range.end - addr;
	return w->at + (addr - w->range.start);
}

bool ranges_is_file(const struct ranges *r, uint64_t addr)
{
	const struct window *w = window_of(r, addr);

	return w && w->range.file;
}

static void drop_between(int memory, uint64_t start, uint64_t end)
{
	if (start < end)
		fallocate(memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)start,
			  (off_t)(end - start));
}

void ranges_drop_rest(const struct ranges *r, int memory)
{
	uint64_t at = 0;

	for (size_t i = 0; i < r->all.len; i++) {
		const struct window *w = vec_at(&r->all, struct window, i);

		drop_between(memory, at, w->range.start);
		at = w->range.end;
	}
	drop_between(memory, at, 1ULL << 62);
}
