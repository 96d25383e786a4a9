// SPDX-License-Identifier: Apache-2.0
/* remains: see remains.h. */
#define _GNU_SOURCE
#include "inline/remains.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "inline.h"
#include "inline/vm.h"

enum { PAGE = 4096 };

/* --- descriptors --- */

static bool links_to_our_name(const char *path)
{
	char target[64];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n < 0)
		return false;
	target[n] = '\0';
	return is_our_name(target);
}

/* Returns whether it is a memfd: a file with that name in the root folder has no seals. */
static bool is_memfd(int fd)
{
	return fcntl(fd, F_GET_SEALS) >= 0;
}

/*
 * Opens a memfd. The name is checked before the file is opened: to open a device or a pipe can have
 * effects, or block.
 */
static int open_memfd(const char *path)
{
	_cleanup_close_ int held = open(path, O_PATH | O_CLOEXEC);
	char again[PROCFS_PATH];
	struct stat st;
	int fd;

	if (held < 0)
		return -errno;
	process_file_path(held, again);
	if (!links_to_our_name(again) || fstat(held, &st) || !S_ISREG(st.st_mode))
		return -ENOEXEC;
	fd = open(again, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int remains_open(const char *path)
{
	_cleanup_close_ int fd = open_memfd(path);

	if (fd < 0)
		return fd;
	if (!is_memfd(fd))
		return -ENOEXEC;
	if (flock(fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	return take_fd(&fd);
}

static bool look_at_descriptor(const char *path, struct stat *st)
{
	return links_to_our_name(path) && !stat(path, st);
}

/*
 * Calls @found for each descriptor of the target with a file of gotap's name, until it returns
 * false.
 */
static int each_descriptor(const struct process *p,
			   bool (*found)(void *ctx, int fd, const struct stat *st), void *ctx)
{
	char folder[PROCFS_PATH], path[PROCFS_PATH + 32];
	struct dirent *e;
	struct stat st;
	DIR *d;

	procfs_path(&p->fs, p->pid, "fd", folder);
	d = opendir(folder);
	if (!d)
		return -errno;
	while ((e = readdir(d))) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "%s/%.20s", folder, e->d_name);
		if (look_at_descriptor(path, &st) && !found(ctx, atoi(e->d_name), &st))
			break;
	}
	closedir(d);
	return 0;
}

struct search {
	struct remains *ret;
	uint64_t ino;
};

static bool keep_descriptor(void *ctx, int fd, const struct stat *st)
{
	struct search *s = ctx;

	if (st->st_ino == s->ino && s->ret->n_fds < REMAINS_MAX)
		s->ret->fds[s->ret->n_fds++] = fd;
	return true;
}

/*
 * Returns whether the memfd is gotap's. One that was just made is empty. One with that name and
 * another content may be the program's own.
 */
static bool is_gotaps(int fd)
{
	struct inline_shared begin;
	struct stat st;

	return !fstat(fd, &st) &&
	       (!st.st_size || (pread(fd, &begin, sizeof(begin), 0) == sizeof(begin) &&
				begin.magic == INLINE_MAGIC));
}

struct opening {
	const struct process *p;
	int fd;
};

static bool open_first(void *ctx, int number, const struct stat *st)
{
	char what[32], path[PROCFS_PATH];
	struct opening *o = ctx;
	int fd;

	snprintf(what, sizeof(what), "fd/%d", number);
	procfs_path(&o->p->fs, o->p->pid, what, path);
	fd = remains_open(path);
	if (fd < 0)
		return true;
	if (is_gotaps(fd))
		o->fd = fd;
	else
		close(fd);
	return o->fd < 0;
}

int remains_open_descriptor(const struct process *p)
{
	struct opening o = { p, -ENOENT };
	int r = each_descriptor(p, open_first, &o);

	return r ? r : o.fd;
}

/* --- mappings --- */

/*
 * Returns whether exactly this mapping is there, without a file. Another mapping at the same place
 * belongs to the program.
 */
static bool is_mapped(const struct areas *a, uint64_t start, uint64_t end, const char *perms)
{
	const struct area *area = areas_at(a, start);

	return area && area->start == start && area->end == end && !area->ino && !*area->name &&
	       !strcmp(area->perms, perms);
}

/*
 * Returns whether the code is there. Code and control page are mapped as one; the rights of the
 * latter are then changed.
 */
static bool remains_is_code(const struct areas *a, uint64_t code, uint64_t end)
{
	return is_mapped(a, code, end + PAGE, "r-xp") ||
	       (is_mapped(a, code, end, "r-xp") && is_mapped(a, end, end + PAGE, "rw-p"));
}

static void find_code(const struct areas *a, uint64_t code, uint64_t size, struct remains *ret)
{
	uint64_t end = code + size;

	if (!size || code % PAGE || size % PAGE || end < code || !remains_is_code(a, code, end))
		return;
	ret->code = code;
	ret->code_size = size + PAGE;
}

static void find_shared(const struct areas *a, uint64_t ino, struct remains *ret)
{
	const struct area *area;
	size_t i;

	for (i = 0; i < a->list.len && ret->n_shared < REMAINS_MAX; i++) {
		area = vec_at(&a->list, struct area, i);
		if (area->ino == ino && is_our_name(area->name))
			ret->shared[ret->n_shared++] =
				(struct remains_range){ area->start, area->end - area->start };
	}
}

int remains_find(const struct process *p, uint64_t ino, uint64_t code, uint64_t code_size,
		 struct remains *ret)
{
	struct search s = { .ret = ret, .ino = ino };
	struct areas a;
	int r;

	*ret = (struct remains){ .ino = ino };
	r = areas_read(&a, p);
	if (!r) {
		find_code(&a, code, code_size, ret);
		find_shared(&a, ino, ret);
		r = each_descriptor(p, keep_descriptor, &s);
	}
	areas_free(&a);
	return r;
}

/*
 * Stores the calls. That for the shared memory comes last: while it is mapped, a later gotap finds
 * the rest.
 */
size_t remains_calls(const struct remains *r, struct call *calls)
{
	size_t n = 0, i;

	if (r->code)
		calls[n++] = (struct call){ CALL(munmap, r->code, r->code_size),
					    .done = effect_code_gone };
	for (i = 0; i < r->n_fds; i++)
		calls[n++] = (struct call){ CALL(close, (uint64_t)r->fds[i]), .done = effect_closed,
					   .ino = r->ino };
	for (i = 0; i < r->n_shared; i++)
		calls[n++] = (struct call){ CALL(munmap, r->shared[i].start, r->shared[i].size),
					    .done = effect_shared_gone, .ino = r->ino };
	return n;
}

/* --- effects --- */

/* Finds a memfd that was made, and that no gotap has opened yet. */
static bool keep_empty(void *ctx, int fd, const struct stat *st)
{
	struct call *c = ctx;

	if (st->st_size)
		return true;
	c->result = (uint64_t)fd;
	c->ino = st->st_ino;
	return false;
}

bool effect_memfd(const struct process *p, struct call *c)
{
	c->ino = 0;
	each_descriptor(p, keep_empty, c);
	return c->ino;
}

static bool is_open(void *ctx, int fd, const struct stat *st)
{
	struct call *c = ctx;

	c->result |= (uint64_t)fd == c->args[0] && st->st_ino == c->ino;
	return !c->result;
}

bool effect_closed(const struct process *p, struct call *c)
{
	c->result = 0;
	return !each_descriptor(p, is_open, c) && !c->result;
}

/* Returns whether @is holds for the mappings; false if they cannot be read. */
static bool in_maps(const struct process *p, struct call *c,
		    bool (*is)(const struct areas *a, struct call *c))
{
	struct areas a;
	bool yes = !areas_read(&a, p) && is(&a, c);

	areas_free(&a);
	return yes;
}

static bool has_shared(const struct areas *a, struct call *c)
{
	struct remains r = {0};

	find_shared(a, c->ino, &r);
	c->result = r.shared[0].start;
	return r.n_shared;
}

static bool has_no_shared_there(const struct areas *a, struct call *c)
{
	const struct area *area = areas_at(a, c->args[0]);

	return !area || area->ino != c->ino;
}

static bool has_code(const struct areas *a, struct call *c)
{
	return is_mapped(a, c->args[0], c->args[0] + c->args[1], "r-xp");
}

static bool has_control(const struct areas *a, struct call *c)
{
	return is_mapped(a, c->args[0], c->args[0] + c->args[1], "rw-p");
}

static bool has_nothing_there(const struct areas *a, struct call *c)
{
	return !areas_at(a, c->args[0]);
}

bool effect_shared(const struct process *p, struct call *c)
{
	return in_maps(p, c, has_shared);
}

bool effect_shared_gone(const struct process *p, struct call *c)
{
	return in_maps(p, c, has_no_shared_there);
}

bool effect_code(const struct process *p, struct call *c)
{
	return in_maps(p, c, has_code);
}

bool effect_code_gone(const struct process *p, struct call *c)
{
	return in_maps(p, c, has_nothing_there);
}

bool effect_control(const struct process *p, struct call *c)
{
	return in_maps(p, c, has_control);
}

/* Reads the first line with flags from the mapping at @start on. */
static bool read_flags(FILE *f, uint64_t start, char line[512])
{
	char begin[32];
	bool there = false;

	snprintf(begin, sizeof(begin), "%" PRIx64 "-", start);
	while (fgets(line, 512, f)) {
		there = there || !strncmp(line, begin, strlen(begin));
		if (there && !strncmp(line, "VmFlags:", 8))
			return true;
	}
	return false;
}

bool effect_wiped(const struct process *p, struct call *c)
{
	char path[PROCFS_PATH], line[512];
	bool yes;
	FILE *f;

	procfs_path(&p->fs, p->pid, "smaps", path);
	f = fopen(path, "re");
	if (!f)
		return false;
	yes = read_flags(f, c->args[0], line) && strstr(line, " wf");
	fclose(f);
	return yes;
}
