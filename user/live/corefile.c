// SPDX-License-Identifier: Apache-2.0
/* corefile: see corefile.h. */
#define _GNU_SOURCE
#include "live/corefile.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/map64.h"
#include "symbol/goarch.h"

enum {
	MOST_SEGMENTS = 1 << 20,
	/* in all; some KB for each thread; the kernel limits the list of mapped files to 4 MB */
	MOST_NOTES = 256 << 20,
	MOST_THREADS = 1 << 20,
	FIRST_PAGE = 1024,	/* bytes of the program that are compared: headers and build ids */
	AUXV_ENTRY = 9,		/* AT_ENTRY */
	NOTE_FILE = 0x46494c45,	/* NT_FILE */
	/*
	 * of struct elf_prstatus, which all machines with 64 bits have in common up to the
	 * registers
	 */
	TID_AT = 32, REGISTERS_AT = 112,
};

_Static_assert(offsetof(struct elf_prstatus, pr_pid) == TID_AT &&
	       offsetof(struct elf_prstatus, pr_reg) == REGISTERS_AT, "struct elf_prstatus");

/* Bytes of memory that the file has. */
struct core_range {
	uint64_t addr, size, offset;
};

struct corefile {
	int fd;
	const struct goarch *arch;
	char *path, *program;
	struct vec ranges;		/* struct core_range, by address */
	struct vec threads;		/* struct corefile_thread */
	struct map64 by_tid;		/* tid -> number in threads */
	uint64_t notes;			/* bytes of notes that were read */
	uint64_t size, cut, entry;
	pid_t pid;
	struct elf_file elf;		/* of the program */
	bool has_elf;
	uint64_t bias;
};

static bool core_pread(const struct corefile *c, void *to, size_t n, uint64_t offset)
{
	ssize_t got;
	size_t done = 0;

	if (offset > INT64_MAX - n)
		return false;
	while (done < n) {
		got = pread(c->fd, (uint8_t *)to + done, n - done, (off_t)(offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

/* --- notes --- */

static void core_take_thread(struct corefile *c, const uint8_t *desc, size_t n)
{
	const struct goarch *arch = c->arch;
	struct corefile_thread *t;
	uint64_t *number;
	int32_t tid;
	bool is_new;

	if (n < REGISTERS_AT + arch->regs * sizeof(uint64_t) || c->threads.len >= MOST_THREADS)
		return;
	memcpy(&tid, desc + TID_AT, sizeof(tid));
	t = vec_push(&c->threads, sizeof(*t));
	*t = (struct corefile_thread){ .tid = (uint32_t)tid, .n = arch->regs };
	memcpy(t->registers, desc + REGISTERS_AT, t->n * sizeof(uint64_t));
	t->pc = t->registers[arch->reg_pc];
	t->sp = t->registers[arch->reg_sp];
	t->link = arch->has_link ? t->registers[arch->reg_link] : 0;
	number = map64_put(&c->by_tid, t->tid, &is_new);
	if (is_new)
		*number = c->threads.len - 1;
}

static void core_take_auxv(struct corefile *c, const uint8_t *desc, size_t n)
{
	uint64_t pair[2];
	size_t i;

	for (i = 0; i + sizeof(pair) <= n; i += sizeof(pair)) {
		memcpy(pair, desc + i, sizeof(pair));
		if (pair[0] == AUXV_ENTRY)
			c->entry = pair[1];
	}
}

/* Takes the path of the mapped file that has the entry, which the notes before have told. */
static void core_take_files(struct corefile *c, const uint8_t *desc, size_t n)
{
	const char *name, *end = (const char *)desc + n;
	uint64_t count, row[3], i;

	if (n < 16)
		return;
	memcpy(&count, desc, sizeof(count));
	if (count > (n - 16) / sizeof(row))
		return;
	name = (const char *)desc + 16 + count * sizeof(row);
	for (i = 0; i < count && name < end; i++) {
		size_t length = strnlen(name, (size_t)(end - name));

		memcpy(row, desc + 16 + i * sizeof(row), sizeof(row));
		if (row[0] <= c->entry && c->entry < row[1] && !c->program)
			c->program = xstrndup(name, length);
		name += length + 1;
	}
}

static void core_take_note(struct corefile *c, uint32_t type, const uint8_t *desc, size_t n,
			   bool files)
{
	struct elf_prpsinfo info;

	if (files) {
		if (type == NOTE_FILE)
			core_take_files(c, desc, n);
	} else if (type == NT_PRSTATUS) {
		core_take_thread(c, desc, n);
	} else if (type == NT_AUXV) {
		core_take_auxv(c, desc, n);
	} else if (type == NT_PRPSINFO && n >= sizeof(info)) {
		memcpy(&info, desc, sizeof(info));
		c->pid = info.pr_pid;
	}
}

/* @files: takes the list of files, and nothing else; the entry must be known by then. */
static void core_take_notes(struct corefile *c, const uint8_t *at, size_t n, bool files)
{
	Elf64_Nhdr note;
	uint64_t name, desc;

	while (n >= sizeof(note)) {
		memcpy(&note, at, sizeof(note));
		name = ((uint64_t)note.n_namesz + 3) & ~3ULL;
		desc = ((uint64_t)note.n_descsz + 3) & ~3ULL;
		if (sizeof(note) + name + desc > n)
			return;
		core_take_note(c, note.n_type, at + sizeof(note) + name, note.n_descsz, files);
		at += sizeof(note) + name + desc;
		n -= sizeof(note) + name + desc;
	}
}

static void core_read_notes(struct corefile *c, const Elf64_Phdr *p)
{
	_cleanup_free_ uint8_t *bytes = NULL;

	if (p->p_filesz > MOST_NOTES - c->notes)
		return;
	c->notes += p->p_filesz;
	bytes = xcalloc(1, p->p_filesz + 1);
	if (!core_pread(c, bytes, p->p_filesz, p->p_offset))
		return;
	core_take_notes(c, bytes, p->p_filesz, false);
	core_take_notes(c, bytes, p->p_filesz, true);
}

/* --- segments --- */

static int core_by_address(const void *a, const void *b)
{
	const struct core_range *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* @file: the size of the file. Bytes that it should have and has not count as cut. */
static void core_take_load(struct corefile *c, const Elf64_Phdr *p, uint64_t file)
{
	uint64_t has = p->p_offset > file	     ? 0 :
		       file - p->p_offset < p->p_filesz ? file - p->p_offset :
							  p->p_filesz;
	struct core_range *r;

	if (p->p_vaddr > UINT64_MAX - p->p_filesz)
		return;
	c->cut += p->p_filesz - has;
	if (!has)
		return;
	r = vec_push(&c->ranges, sizeof(*r));
	*r = (struct core_range){ p->p_vaddr, has, p->p_offset };
}

/*
 * Returns the bytes of the file that are no holes. Not those on the disk: file systems compress.
 * @file: its size.
 */
static uint64_t core_stored(const struct corefile *c, uint64_t file)
{
	off_t at = lseek(c->fd, 0, SEEK_DATA), hole;
	uint64_t sum = 0;

	if (at < 0 && errno != ENXIO)
		return file;
	while (at >= 0) {
		hole = lseek(c->fd, at, SEEK_HOLE);
		if (hole <= at)
			break;
		sum += (uint64_t)(hole - at);
		at = lseek(c->fd, hole, SEEK_DATA);
	}
	return sum;
}

/*
 * Drops ranges that overlap an earlier one: each address has one place. @stored: bytes of the file
 * that are no holes. Memory in holes is zeros, and no list is there.
 */
static void core_sort_ranges(struct corefile *c, uint64_t stored)
{
	size_t i, n = 0;

	vec_sort(&c->ranges, sizeof(struct core_range), core_by_address);
	for (i = 0; i < c->ranges.len; i++) {
		struct core_range *r = vec_at(&c->ranges, struct core_range, i);
		struct core_range *last = n ? vec_at(&c->ranges, struct core_range, n - 1) : NULL;

		if (last && r->addr < last->addr + last->size)
			continue;
		*vec_at(&c->ranges, struct core_range, n++) = *r;
		c->size = r->size > UINT64_MAX - c->size ? UINT64_MAX : c->size + r->size;
	}
	c->ranges.len = n;
	if (c->size > stored)
		c->size = stored;
}

static uint64_t core_segment_count(const struct corefile *c, const Elf64_Ehdr *h)
{
	Elf64_Shdr first;

	if (h->e_phnum != PN_XNUM)
		return h->e_phnum;
	return core_pread(c, &first, sizeof(first), h->e_shoff) ? first.sh_info : 0;
}

static int core_read_segments(struct corefile *c, const Elf64_Ehdr *h, uint64_t file,
			      struct error *err)
{
	uint64_t i, n = core_segment_count(c, h);
	Elf64_Phdr p;

	if (h->e_phentsize != sizeof(p) || n > MOST_SEGMENTS)
		return error_set(err, -ENOEXEC, "'%s' is a damaged core file", c->path);
	for (i = 0; i < n; i++) {
		if (!core_pread(c, &p, sizeof(p), h->e_phoff + i * sizeof(p)))
			return error_set(err, -ENOEXEC, "'%s' is a core file that was cut: it has "
					 "not all of its headers", c->path);
		if (p.p_type == PT_LOAD)
			core_take_load(c, &p, file);
		else if (p.p_type == PT_NOTE)
			core_read_notes(c, &p);
	}
	core_sort_ranges(c, core_stored(c, file));
	return 0;
}

static int core_read(struct corefile *c, struct error *err)
{
	Elf64_Ehdr h;
	struct stat st;

	c->fd = open(c->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (c->fd < 0 || fstat(c->fd, &st))
		return error_set(err, -errno, "cannot open '%s': %s", c->path, strerror(errno));
	if (!S_ISREG(st.st_mode) || !core_pread(c, &h, sizeof(h), 0) ||
	    memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_ident[EI_CLASS] != ELFCLASS64 ||
	    h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_type != ET_CORE)
		return error_set(err, -ENOEXEC, "'%s' is not a core file (ELF, 64 bits); one that "
				 "is compressed must be decompressed first", c->path);
	c->arch = goarch_of(h.e_machine);
	if (!c->arch)
		return error_set(err, -ENOEXEC, "'%s' is the core file of a machine that gotap "
				 "does not know (e_machine %u)", c->path, h.e_machine);
	return core_read_segments(c, &h, (uint64_t)st.st_size, err);
}

int corefile_open(struct corefile **ret, const char *path, struct error *err)
{
	struct corefile *c = xcalloc(1, sizeof(*c));
	int r;

	c->path = xstrdup(path);
	c->fd = -1;
	r = core_read(c, err);
	if (!r && (!c->threads.len || !c->ranges.len))
		r = error_set(err, -ENOEXEC, "'%s' is a core file without %s%s", path,
			      c->ranges.len ? "threads" : "memory",
			      c->cut ? ": it was cut" : "");
	if (r)
		corefile_free(c);
	else
		*ret = c;
	return r;
}

void corefile_free(struct corefile *c)
{
	if (!c)
		return;
	if (c->fd >= 0)
		close(c->fd);
	vec_free(&c->ranges);
	vec_free(&c->threads);
	map64_free(&c->by_tid);
	free(c->path);
	free(c->program);
	free(c);
}

/* --- reading --- */

/* Returns the last range that begins at or before @addr; NULL: there is none. */
static const struct core_range *core_find(const struct corefile *c, uint64_t addr)
{
	size_t low = 0, high = c->ranges.len, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (vec_at(&c->ranges, struct core_range, middle)->addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? vec_at(&c->ranges, struct core_range, low - 1) : NULL;
}

/* Reads bytes up to the end of the range that has @addr. Returns their number; 0: none has it. */
static size_t core_read_some(const struct corefile *c, uint64_t addr, void *to, size_t n)
{
	const struct core_range *r = core_find(c, addr);
	uint64_t left = r && addr - r->addr < r->size ? r->size - (addr - r->addr) : 0;

	if (!left)
		return 0;
	if (left < n)
		n = left;
	return core_pread(c, to, n, r->offset + (addr - r->addr)) ? n : 0;
}

/*
 * Returns bytes that the program has not changed since it began; NULL: the file has none. Others
 * have in the file what they began with.
 */
static const uint8_t *core_file_bytes(const struct corefile *c, uint64_t addr, size_t n)
{
	Elf64_Phdr p;
	size_t i;

	addr -= c->bias;
	/* the loader makes it constant, after it has relocated pointers in it */
	for (i = 0; elf_segment_get(&c->elf, i, &p); i++)
		if (p.p_type == PT_GNU_RELRO && addr >= p.p_vaddr &&
		    addr - p.p_vaddr < p.p_memsz && n <= p.p_memsz - (addr - p.p_vaddr))
			return elf_bytes(&c->elf, addr, n);
	return elf_constant_bytes(&c->elf, addr, n);
}

/* As core_read_some(), for a page that the core file lacks: the ranges of that begin with pages. */
static size_t core_read_file(const struct corefile *c, uint64_t addr, void *to, size_t n)
{
	uint64_t left = FIRST_PAGE - addr % FIRST_PAGE;
	const uint8_t *bytes;

	if (left < n)
		n = (size_t)left;
	bytes = c->has_elf ? core_file_bytes(c, addr, n) : NULL;
	if (bytes)
		memcpy(to, bytes, n);
	return bytes ? n : 0;
}

bool corefile_read(const struct corefile *c, uint64_t addr, void *to, size_t n)
{
	size_t got;

	errno = EFAULT;
	while (n) {
		got = core_read_some(c, addr, to, n);
		if (!got)
			got = core_read_file(c, addr, to, n);
		if (!got)
			return false;
		addr += got;
		to = (uint8_t *)to + got;
		n -= got;
	}
	return true;
}

const char *corefile_path(const struct corefile *c)
{
	return c->path;
}

uint64_t corefile_size(const struct corefile *c)
{
	return c->size;
}

uint64_t corefile_cut(const struct corefile *c)
{
	return c->cut;
}

pid_t corefile_pid(const struct corefile *c)
{
	return c->pid;
}

const char *corefile_program(const struct corefile *c)
{
	return c->program ? c->program : "";
}

uint64_t corefile_entry(const struct corefile *c)
{
	return c->entry;
}

const struct vec *corefile_threads(const struct corefile *c)
{
	return &c->threads;
}

const struct corefile_thread *corefile_thread(const struct corefile *c, uint32_t tid)
{
	const uint64_t *number = map64_get(&c->by_tid, tid);

	return number ? vec_at(&c->threads, struct corefile_thread, *number) : NULL;
}

/*
 * Compares the begin of the program, which the kernel writes into core files (coredump_filter, bit
 * 4), with that of the file: it has the headers and the build id. True if the core file lacks it.
 */
static bool core_is_of(const struct corefile *c, const struct elf_file *elf, uint64_t bias)
{
	uint8_t begin[FIRST_PAGE];
	const uint8_t *bytes;
	Elf64_Phdr p;
	size_t i = 0;

	if (!elf_load_next(elf, &i, 0, &p) || p.p_offset || p.p_filesz < sizeof(begin))
		return true;
	bytes = elf_bytes(elf, p.p_vaddr, sizeof(begin));
	return !bytes ||
	       core_read_some(c, p.p_vaddr + bias, begin, sizeof(begin)) != sizeof(begin) ||
	       !memcmp(begin, bytes, sizeof(begin));
}

int corefile_set_program(struct corefile *c, const struct elf_file *elf, uint64_t bias,
			 const char *path, struct error *err)
{
	if (!core_is_of(c, elf, bias))
		return error_set(err, -EINVAL, "'%s' is not the program of the core file '%s', "
				 "which is of '%s': give the very same file by --exe", path,
				 c->path, corefile_program(c));
	c->elf = elf_file_borrow(elf);
	c->bias = bias;
	c->has_elf = true;
	return 0;
}
