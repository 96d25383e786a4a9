// SPDX-License-Identifier: Apache-2.0
/* leftover: see leftover.h. */
#define _GNU_SOURCE
#include "inline/leftover.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "inline.h"
#include "inline/inside.h"
#include "inline/remains.h"
#include "inline/vm.h"
#include "live/text_map.h"

enum {
	BLOCK = 65536,		/* of text, compared at a time */
	MARGIN = 8,		/* a changed instruction has at most so many bytes */
	PATCHES_MAX = 2 * INLINE_SITES,
	BREAKPOINT = 0xcc,
	/* a thread with a call to make gets a processor long before this, unless it is stopped */
	SETTLE_MS = 5000,
};

/* --- the memory --- */

static int open_area(const struct process *p, const struct area *area)
{
	char what[64], path[PROCFS_PATH];

	snprintf(what, sizeof(what), "map_files/%" PRIx64 "-%" PRIx64, area->start, area->end);
	procfs_path(&p->fs, p->pid, what, path);
	return remains_open(path);
}

/* Reads the header of the memory, which the program may have changed. False: it is not gotap's. */
static bool read_begin(int fd, struct injected *in)
{
	struct inline_shared begin;

	if (pread(fd, &begin, sizeof(begin), 0) != sizeof(begin) || begin.magic != INLINE_MAGIC)
		return false;
	in->code = begin.code;
	in->code_size = begin.code_size;
	return true;
}

/*
 * Opens the memory by the descriptor @known that gotap has kept: to open it by its mapping takes a
 * privilege that gotap has given up by then.
 */
static int open_known(int known, const struct area *area)
{
	char path[PROCFS_PATH];
	struct stat st;

	if (known < 0 || fstat(known, &st) || st.st_ino != area->ino)
		return -EPERM;
	process_file_path(known, path);
	return remains_open(path);
}

/* Opens the memory of @area. 1: found and open; 0: it is not gotap's. */
static int look_at(const struct process *p, const struct area *area, int known, struct injected *in,
		   struct error *err)
{
	int fd = open_area(p, area);

	if (fd == -EPERM || fd == -EACCES)
		fd = open_known(known, area);
	if (fd == -EBUSY)
		return error_set(err, fd, "another gotap records process %d with --attach inline",
				 p->pid);
	if (fd == -EPERM || fd == -EACCES)
		return error_set(err, fd, "process %d has memory of an earlier gotap: only with "
				 "CAP_SYS_ADMIN can it be opened and taken out", p->pid);
	if (fd < 0)
		return 0;	/* the memory was removed meanwhile */
	if (!read_begin(fd, in)) {
		close(fd);
		return 0;
	}
	in->memfd = fd;
	in->shared = area->start;
	in->shared_size = area->end - area->start;
	return 1;
}

static int find_mapped(const struct process *p, int known, struct injected *in, struct error *err)
{
	struct areas a;
	size_t i;
	int r = areas_read(&a, p);

	if (r)
		error_set(err, r, "cannot read the mappings of process %d: %s", p->pid,
			  strerror(-r));
	for (i = 0; !r && i < a.list.len; i++)
		if (is_our_name(vec_at(&a.list, struct area, i)->name))
			r = look_at(p, vec_at(&a.list, struct area, i), known, in, err);
	areas_free(&a);
	return r;
}

/*
 * Finds a memfd of a gotap that was killed before the memfd was mapped: there is only a descriptor.
 */
static int find_open(const struct process *p, struct injected *in)
{
	in->memfd = remains_open_descriptor(p);
	return in->memfd >= 0;
}

/*
 * Checks the header: the program could have written any numbers there. Only numbers that fit memory
 * of gotap's are taken.
 */
static int check_code(const struct process *p, struct injected *in, struct error *err)
{
	struct remains left;
	struct stat st;
	int r = fstat(in->memfd, &st) ? -errno :
					remains_find(p, st.st_ino, in->code, in->code_size, &left);

	if (r)
		return error_set(err, r, "cannot look for an earlier gotap in process %d: %s",
				 p->pid, strerror(-r));
	if (!left.code)
		in->code = in->code_size = 0;
	return 0;
}

/* --- the changed instructions --- */

/* A block of text, with margins on both sides as long as an instruction can be. */
struct comparison {
	const struct process *p;
	const struct injected *in;
	struct vec *patches;
	uint64_t addr;
	size_t len;
	uint8_t file[BLOCK + 2 * MARGIN], memory[BLOCK + 2 * MARGIN];
};

/* The instructions that gotap changes: first bytes, length, and the place of the operand. */
static const struct form {
	uint8_t begin[2], n, len, at;
} forms[] = {
	{ { 0xe8 }, 1, 5, 1 },		/* call rel32 */
	{ { 0x80, 0x3d }, 2, 7, 2 },	/* cmpb $imm8, disp32(%rip) */
};

static uint64_t leftover_destination(const struct comparison *c, size_t i, const struct form *f)
{
	int32_t far;

	memcpy(&far, c->memory + i + f->at, sizeof(far));
	return c->addr + i + f->len + (uint64_t)(int64_t)far;
}

/*
 * Returns whether an instruction of this form is at @i that differs in its operand only, and leads
 * to the code or its control page.
 */
static bool is_changed(const struct comparison *c, size_t i, const struct form *f)
{
	const uint8_t *file = c->file + i, *memory = c->memory + i;

	return i + f->len <= c->len && !memcmp(file, f->begin, f->n) &&
	       (*memory == *file || *memory == BREAKPOINT) &&
	       !memcmp(memory + 1, file + 1, f->at - 1u) &&
	       !memcmp(memory + f->at + 4, file + f->at + 4, f->len - f->at - 4u) &&
	       leftover_destination(c, i, f) - c->in->code < c->in->code_size + 4096;
}

/* Keeps the patch. Patches come in the order of their addresses; those in margins come twice. */
static void leftover_keep(const struct comparison *c, size_t i, const struct form *f)
{
	size_t n = c->patches->len;
	struct patch *pt;

	if (n && vec_at(c->patches, struct patch, n - 1)->addr >= c->addr + i)
		return;
	pt = vec_push(c->patches, sizeof(*pt));
	*pt = (struct patch){ .addr = c->addr + i,
			      .len = f->len,
			      .at = f->at,
			      .to = leftover_destination(c, i, f),
			      .done = true };
	memcpy(pt->bytes, c->file + i, f->len);
}

/*
 * Keeps the instruction with the different byte @at. Returns how many bytes from @at on belong to
 * it.
 */
static size_t leftover_explain(const struct comparison *c, size_t at)
{
	const struct form *f;
	size_t i, k;

	for (k = 0; k < sizeof(forms) / sizeof(forms[0]); k++) {
		f = &forms[k];
		for (i = at < f->at + 3u ? 0 : at - f->at - 3; i + f->at <= at; i++) {
			if (!is_changed(c, i, f))
				continue;
			leftover_keep(c, i, f);
			return i + f->len - at;
		}
	}
	return 1;
}

static void leftover_compare(struct comparison *c)
{
	size_t i = 0;

	while (i < c->len && c->patches->len < PATCHES_MAX)
		i += c->file[i] == c->memory[i] ? 1 : leftover_explain(c, i);
}

static void read_block(struct comparison *c, uint64_t offset, size_t want)
{
	ssize_t n = pread(process_file_of_path(c->p->module), c->file, want, (off_t)offset);

	c->len = n > 0 ? vm_read(c->p, c->addr, c->memory, (size_t)n) : 0;
}

/* Compares [@lo, @hi) of one mapping of the module. */
static void compare_range(struct comparison *c, const struct area *area, uint64_t lo, uint64_t hi)
{
	uint64_t at, start, end;

	for (at = lo; at < hi; at += BLOCK) {
		start = at - lo > MARGIN ? at - MARGIN : lo;
		end = hi - at > BLOCK + MARGIN ? at + BLOCK + MARGIN : hi;
		c->addr = start;
		read_block(c, area->offset + (start - area->start), end - start);
		leftover_compare(c);
	}
}

static void compare_mappings(struct comparison *c, const struct areas *a, uint64_t lo, uint64_t hi)
{
	const struct area *area;
	size_t i;

	for (i = 0; i < a->list.len; i++) {
		area = vec_at(&a->list, struct area, i);
		if (area->ino && area->start < hi && area->end > lo)
			compare_range(c, area, area->start > lo ? area->start : lo,
				      area->end < hi ? area->end : hi);
	}
}

/*
 * Finds the changed instructions. There are none if the program runs a copy of its code elsewhere
 * (live/text_map.h): gotap patches no copy.
 */
static int find_patches(const struct process *p, uint64_t lo, uint64_t hi,
			const struct injected *in, struct vec *patches, struct error *err)
{
	struct text_range text = { lo, hi };
	struct comparison *c;
	struct areas a;
	int r;

	if (!in->code || text_moved(p, &text))
		return 0;
	r = areas_read(&a, p);
	if (r)
		return error_set(err, r, "cannot read the mappings of process %d: %s", p->pid,
				 strerror(-r));
	c = xcalloc(1, sizeof(*c));
	c->p = p;
	c->in = in;
	c->patches = patches;
	compare_mappings(c, &a, lo, hi);
	free(c);
	areas_free(&a);
	return 0;
}

static int find_memory(const struct process *p, int known, struct injected *in, struct error *err)
{
	int r;

	*in = INJECTED_NONE;
	r = find_mapped(p, known, in, err);
	return r ? r : find_open(p, in);
}

/*
 * leftover_find() after inside_settle(): a call that a thread still has to make for the killed
 * gotap may leave more memory.
 */
static int find_settled(const struct process *p, const struct inject_hosts *hosts, int known,
			struct injected *in, struct error *err)
{
	struct holds held = {0};
	int r = find_memory(p, known, in, err);

	if (r <= 0)
		return r;
	injected_close(in);
	r = inside_settle(p, hosts, SETTLE_MS, &held, err);
	r = r ? error_set(err, -EAGAIN, "%s", err->text) : find_memory(p, known, in, err);
	in->held = held;
	return r;
}

int leftover_find(const struct process *p, const struct inject_hosts *hosts, uint64_t text_lo,
		  uint64_t text_hi, int known, struct injected *in, struct vec *patches,
		  struct error *err)
{
	int r = find_settled(p, hosts, known, in, err);

	if (r <= 0 || !in->shared)
		return r;
	r = check_code(p, in, err);
	if (!r)
		r = find_patches(p, text_lo, text_hi, in, patches, err);
	if (!r)
		return 1;
	injected_close(in);
	return r;
}
