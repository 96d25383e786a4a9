// SPDX-License-Identifier: Apache-2.0
/* core: see core.h. */
#define _GNU_SOURCE
#include "moment/core.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <unistd.h>

#include "live/registers.h"

enum {
	CORE_PAGE = 4096,
	MOST_SEGMENTS = 65000, /* below PN_XNUM */
	CORE_FILES_MAX = 64 << 20,
	NOTE_FILES = 0x46494c45, /* NT_FILE */
	COPY_PIECE = 1 << 20,
};

/* Where headers are in a file whose segments have their addresses as offsets: no process is there.
 */
#define CORE_BEYOND (1ULL << 61)

struct core_parts {
	struct buf notes;
	struct vec segments; /* Elf64_Phdr, the one of the notes first */
};

/* --- notes --- */

static void core_pad(struct buf *b, size_t to)
{
	while (b->len % to)
		buf_add_byte(b, 0);
}

static void core_add_note(struct buf *b, const char *name, uint32_t type, const void *desc,
			  size_t n)
{
	Elf64_Nhdr h = { (uint32_t)strlen(name) + 1, (uint32_t)n, type };

	buf_add(b, &h, sizeof(h));
	buf_add(b, name, h.n_namesz);
	core_pad(b, 4);
	buf_add(b, desc, n);
	core_pad(b, 4);
}

static void core_add_process(struct buf *b, const struct process *p)
{
	struct elf_prpsinfo info = { .pr_pid = p->pid, .pr_sname = 'R' };
	struct buf text = { 0 };

	if (!procfs_read(&p->fs, p->pid, "comm", sizeof(info.pr_fname), &text))
		snprintf(info.pr_fname, sizeof(info.pr_fname), "%.*s",
			 (int)strcspn((char *)text.data, "\n"), (char *)text.data);
	buf_free(&text);
	core_add_note(b, "CORE", NT_PRPSINFO, &info, sizeof(info));
}

static int core_add_auxv(struct buf *b, const struct process *p)
{
	struct buf auxv = { 0 };
	int r = procfs_read(&p->fs, p->pid, "auxv", CORE_PAGE, &auxv);

	if (!r)
		core_add_note(b, "CORE", NT_AUXV, auxv.data, auxv.len);
	buf_free(&auxv);
	return r;
}

static void core_add_thread(struct buf *b, const struct moment_thread *t)
{
	struct elf_prstatus status = { .pr_pid = t->tid };

	_Static_assert(sizeof(status.pr_reg) == sizeof(t->regs), "registers as ptrace has them");
	memcpy(status.pr_reg, &t->regs, sizeof(t->regs));
	core_add_note(b, "CORE", NT_PRSTATUS, &status, sizeof(status));
	if (t->vectors_size)
		core_add_note(b, REGISTERS_VECTORS_NOTE, REGISTERS_VECTORS, t->vectors,
			      t->vectors_size);
}

/*
 * NT_FILE: a count, the size of a page, for each mapping of a file its start, end, and offset in
 * pages; and then the paths.
 */
static int core_add_files(struct buf *b, const struct process *p)
{
	struct buf text = { 0 }, rows = { 0 }, names = { 0 };
	uint64_t head[2] = { 0, CORE_PAGE };
	char *save = NULL, *line;
	int r = procfs_read(&p->fs, p->pid, "maps", CORE_FILES_MAX, &text);

	line = r ? NULL : strtok_r((char *)text.data, "\n", &save);
	for (; line; line = strtok_r(NULL, "\n", &save)) {
		const char *path = strchr(line, '/');
		uint64_t row[3];

		if (!path || sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &row[0], &row[1],
				    &row[2]) != 3)
			continue;
		row[2] /= CORE_PAGE;
		buf_add(&rows, row, sizeof(row));
		buf_add(&names, path, strlen(path) + 1);
		head[0]++;
	}
	if (!r) {
		struct buf all = { 0 };

		buf_add(&all, head, sizeof(head));
		buf_add(&all, rows.data, rows.len);
		buf_add(&all, names.data, names.len);
		core_add_note(b, "CORE", NOTE_FILES, all.data, all.len);
		buf_free(&all);
	}
	buf_free(&text);
	buf_free(&rows);
	buf_free(&names);
	return r;
}

/* The first thread's status comes first, then what is of the process, then the other threads. */
static int core_make_notes(struct buf *b, const struct moment *m, const struct process *p,
			   struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < m->n_threads && !r; i++) {
		core_add_thread(b, &m->threads[i]);
		if (i)
			continue;
		core_add_process(b, p);
		r = core_add_auxv(b, p);
		if (!r)
			r = core_add_files(b, p);
		/* the files have to be of the program that the image is of */
		if (!r && process_is_gone(p))
			r = -ESRCH;
	}
	return r ? error_set(err, -ESRCH,
			     "process %d has ended, or runs another program: the image is without "
			     "its files",
			     p->pid) :
		   0;
}

/* --- segments --- */

static bool core_put(int fd, const void *from, size_t n, uint64_t offset)
{
	const char *at = from;

	while (n) {
		ssize_t put = pwrite(fd, at, n, (off_t)offset);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		at += put;
		offset += (uint64_t)put;
		n -= (size_t)put;
	}
	return true;
}

static void core_add_segment(struct core_parts *c, const Elf64_Phdr *p)
{
	*(Elf64_Phdr *)vec_push(&c->segments, sizeof(*p)) = *p;
}

static bool core_has(const struct moment *m, uint64_t addr)
{
	for (size_t i = 0; i < m->n_ranges; i++)
		if (addr + CORE_PAGE > m->ranges[i].start && addr < m->ranges[i].end)
			return true;
	return false;
}

/*
 * Adds the first page of the program's file, which has its headers and build ids, as the kernel
 * does (coredump_filter, bit 4): live/corefile.c knows another build by it. Not if the image has
 * that address, or the page cannot be read.
 */
static void core_add_first_page(struct core_parts *c, const struct moment *m,
				const struct process *p)
{
	uint8_t page[CORE_PAGE];
	int fd = p->library_file >= 0 ? p->library_file : p->exe_file;
	Elf64_Ehdr h;
	Elf64_Phdr load;

	if (pread(fd, page, sizeof(page), 0) != (ssize_t)sizeof(page))
		return;
	memcpy(&h, page, sizeof(h));
	for (size_t i = 0, at; i < h.e_phnum; i++) {
		at = h.e_phoff + i * sizeof(load);
		if (h.e_phoff > CORE_PAGE || at + sizeof(load) > CORE_PAGE)
			return;
		memcpy(&load, page + at, sizeof(load));
		if (load.p_type != PT_LOAD || load.p_offset)
			continue;
		load.p_vaddr += p->bias;
		if (load.p_vaddr % CORE_PAGE || core_has(m, load.p_vaddr) ||
		    !core_put(m->memory, page, CORE_PAGE, load.p_vaddr))
			return;
		core_add_segment(c, &(Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R,
						   .p_vaddr = load.p_vaddr,
						   .p_filesz = CORE_PAGE, .p_memsz = CORE_PAGE,
						   .p_align = CORE_PAGE });
		return;
	}
}

static int core_make(struct core_parts *c, const struct moment *m, const struct process *p,
		     struct error *err)
{
	if (m->n_ranges > MOST_SEGMENTS)
		return error_set(err, -E2BIG, "process %d has more than %d mappings", p->pid,
				 MOST_SEGMENTS);
	core_add_segment(c, &(Elf64_Phdr){ .p_type = PT_NOTE, .p_align = 4 });
	core_add_first_page(c, m, p);
	for (size_t i = 0; i < m->n_ranges; i++) {
		const struct moment_range *r = &m->ranges[i];

		core_add_segment(c, &(Elf64_Phdr){ .p_type = PT_LOAD,
						   .p_flags = r->constant ? PF_R : PF_R | PF_W,
						   .p_vaddr = r->start,
						   .p_filesz = r->end - r->start,
						   .p_memsz = r->end - r->start,
						   .p_align = CORE_PAGE });
	}
	return core_make_notes(&c->notes, m, p, err);
}

static void core_parts_free(struct core_parts *c)
{
	buf_free(&c->notes);
	vec_free(&c->segments);
}

static uint64_t core_in_pages(uint64_t n)
{
	return (n + CORE_PAGE - 1) / CORE_PAGE * CORE_PAGE;
}

static uint64_t core_table_size(const struct core_parts *c)
{
	return core_in_pages(c->segments.len * sizeof(Elf64_Phdr));
}

/* Sets the offsets: the notes at @notes, and the segments one after the other from @data on. */
static void core_lay_out(struct core_parts *c, uint64_t notes, uint64_t data, bool in_place)
{
	for (size_t i = 0; i < c->segments.len; i++) {
		Elf64_Phdr *p = vec_at(&c->segments, Elf64_Phdr, i);

		if (p->p_type == PT_NOTE) {
			p->p_offset = notes;
			p->p_filesz = c->notes.len;
		} else if (in_place) {
			p->p_offset = p->p_vaddr;
		} else {
			p->p_offset = data;
			data += p->p_filesz;
		}
	}
}

/* Writes header, table and notes; the table is at @table. */
static int core_put_heads(const struct core_parts *c, int fd, uint64_t table, struct error *err)
{
	Elf64_Ehdr h = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_CORE,
		.e_machine = REGISTERS_MACHINE,
		.e_version = EV_CURRENT,
		.e_phoff = table,
		.e_ehsize = sizeof(h),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (uint16_t)c->segments.len,
	};
	const Elf64_Phdr *notes = c->segments.data;

	if (core_put(fd, &h, sizeof(h), 0) &&
	    core_put(fd, c->segments.data, c->segments.len * sizeof(Elf64_Phdr), table) &&
	    core_put(fd, c->notes.data, c->notes.len, notes->p_offset))
		return 0;
	return error_set(err, -errno, "the core file: %s", strerror(errno));
}

int core_in_place(struct moment *m, const struct process *p, char path[MOMENT_PATH],
		  struct error *err)
{
	struct core_parts c = { 0 };
	int r = core_make(&c, m, p, err);

	snprintf(path, MOMENT_PATH, "/proc/self/fd/%d", m->memory);
	if (!r) {
		core_lay_out(&c, CORE_BEYOND + core_table_size(&c), 0, true);
		r = core_put_heads(&c, m->memory, CORE_BEYOND, err);
	}
	core_parts_free(&c);
	return r;
}

/* Copies the bytes that the image has from @at on; the rest of the segment is a hole. */
static int core_copy(const struct moment *m, int fd, const Elf64_Phdr *p,
		     const struct stop_request *stop, struct error *err)
{
	static char piece[COPY_PIECE];
	uint64_t end = p->p_vaddr + p->p_filesz;
	off_t at = lseek(m->memory, (off_t)p->p_vaddr, SEEK_DATA);

	while (at >= 0 && (uint64_t)at < end) {
		off_t hole = lseek(m->memory, at, SEEK_HOLE);
		uint64_t stretch = (uint64_t)hole < end ? (uint64_t)hole : end;
		uint64_t n = stretch - (uint64_t)at < COPY_PIECE ? stretch - (uint64_t)at :
								   COPY_PIECE;

		if (stop_requested(stop))
			return error_set(err, -EINTR, "stopped by a signal");
		if (pread(m->memory, piece, n, at) != (ssize_t)n ||
		    !core_put(fd, piece, n, p->p_offset + ((uint64_t)at - p->p_vaddr)))
			return error_set(err, -errno, "the core file: %s", strerror(errno));
		at += (off_t)n;
		if ((uint64_t)at == stretch)
			at = lseek(m->memory, at, SEEK_DATA);
	}
	return 0;
}

int core_write(const struct moment *m, const struct process *p, int fd,
	       const struct stop_request *stop, struct error *err)
{
	struct core_parts c = { 0 };
	uint64_t table = CORE_PAGE, notes, end = 0;
	int r = core_make(&c, m, p, err);

	notes = table + core_table_size(&c);
	core_lay_out(&c, notes, notes + core_in_pages(c.notes.len), false);
	if (!r)
		r = core_put_heads(&c, fd, table, err);
	for (size_t i = 1; i < c.segments.len && !r; i++) {
		const Elf64_Phdr *s = vec_at(&c.segments, Elf64_Phdr, i);

		end = s->p_offset + s->p_filesz;
		r = core_copy(m, fd, s, stop, err);
	}
	if (!r && end && ftruncate(fd, (off_t)end))
		r = error_set(err, -errno, "the core file: %s", strerror(errno));
	core_parts_free(&c);
	return r;
}
