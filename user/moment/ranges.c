// SPDX-License-Identifier: Apache-2.0
/* ranges: see ranges.h. */
#define _GNU_SOURCE
#include "moment/ranges.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "moment/pages.h"

enum {
	MAPS_MAX = 64 << 20,
	RELRO_MOST = 1024, /* the program, its libraries and plugins */
	HEADERS = 4096,	   /* bytes of a file that are read for its program headers */
};

/* Devices and huge pages: neither have soft-dirty bits, and Go keeps no objects there. */
static bool path_is_other(const char *path)
{
	return !strncmp(path, "/dev/", 5) || !strncmp(path, "/anon_hugepage", 14);
}

/* A line of the maps file. */
struct line {
	struct moment_range range;
	uint64_t offset;	/* in the file */
	char mode[5];
	char path[16];		/* the first bytes */
};

static bool parse_line(const char *text, struct line *ret)
{
	*ret = (struct line){ 0 };
	if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %15s", &ret->range.start,
		   &ret->range.end, ret->mode, &ret->offset, ret->path) < 4)
		return false;
	ret->range.file = ret->path[0] == '/';
	return ret->mode[0] == 'r' && ret->mode[3] == 'p' && !path_is_other(ret->path);
}

static int ranges_read_maps(struct ranges *r, const struct process *p)
{
	int error;

	r->text.len = 0;
	error = procfs_read(&p->fs, p->pid, "maps", MAPS_MAX, &r->text);
	if (error)
		return error == -ENOENT ? -ESRCH : error;
	return r->text.len ? 0 : -ESRCH;
}

/* --- constants that the loader has written --- */

static uint64_t relro_page(uint64_t addr)
{
	return addr & ~(uint64_t)(pages_size() - 1);
}

/*
 * Adds the segment of the file whose first page, @page, is mapped at @start. What a hostile program
 * has in the place of headers adds mappings that it only reads, at most.
 */
static void relro_take(struct ranges *r, const uint8_t *page, uint64_t start)
{
	uint64_t bias = UINT64_MAX;
	Elf64_Phdr p;
	Elf64_Ehdr h;

	memcpy(&h, page, sizeof(h));
	if (memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_ident[EI_CLASS] != ELFCLASS64 ||
	    h.e_phentsize != sizeof(p) || h.e_phoff > HEADERS)
		return;
	for (size_t i = 0; i < h.e_phnum && h.e_phoff + (i + 1) * sizeof(p) <= HEADERS; i++) {
		memcpy(&p, page + h.e_phoff + i * sizeof(p), sizeof(p));
		if (p.p_type == PT_LOAD && bias == UINT64_MAX)
			bias = start - relro_page(p.p_vaddr);
		if (p.p_type == PT_GNU_RELRO && bias != UINT64_MAX)
			*(struct moment_range *)vec_push(&r->relro, sizeof(struct moment_range)) =
				(struct moment_range){ relro_page(bias + p.p_vaddr),
						       relro_page(bias + p.p_vaddr + p.p_memsz),
						       true, true };
	}
}

int ranges_find_constants(struct ranges *r, const struct process *p)
{
	uint8_t page[HEADERS];
	struct line l;
	char *save, *text;
	int error = ranges_read_maps(r, p);

	r->relro.len = 0;
	text = error ? NULL : strtok_r((char *)r->text.data, "\n", &save);
	for (; text && r->relro.len < RELRO_MOST; text = strtok_r(NULL, "\n", &save)) {
		struct iovec to = { page, sizeof(page) };

		if (!parse_line(text, &l) || !l.range.file || l.offset)
			continue;
		if (process_vm_readv(p->pid, &to, 1,
				     &(struct iovec){ (void *)(uintptr_t)l.range.start,
						      sizeof(page) },
				     1, 0) == (ssize_t)sizeof(page))
			relro_take(r, page, l.range.start);
	}
	return error;
}

/* Makes *@range the part of it that the loader has written; false: there is none. */
static bool relro_cut(const struct ranges *r, struct moment_range *range)
{
	for (size_t i = 0; i < r->relro.len; i++) {
		const struct moment_range *c = vec_at(&r->relro, struct moment_range, i);

		if (c->start >= range->end || range->start >= c->end)
			continue;
		range->start = c->start > range->start ? c->start : range->start;
		range->end = c->end < range->end ? c->end : range->end;
		range->constant = true;
		return true;
	}
	return false;
}

/* Returns whether the line of the maps file is of a range that the image has. */
static bool parse_range(const struct ranges *r, const char *text, struct moment_range *ret)
{
	struct line l;

	if (!parse_line(text, &l))
		return false;
	*ret = l.range;
	return l.mode[1] == 'w' || (l.mode[2] == '-' && l.range.file && relro_cut(r, ret));
}

/* --- windows --- */

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

	error = ranges_read_maps(r, p);
	if (error)
		return error;
	line = strtok_r((char *)r->text.data, "\n", &save);
	for (; line && !error; line = strtok_r(NULL, "\n", &save)) {
		struct window w = { 0 }, *old;

		if (!parse_range(r, line, &w.range))
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
