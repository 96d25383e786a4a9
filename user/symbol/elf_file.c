// SPDX-License-Identifier: Apache-2.0
/* elf_file: see elf_file.h. */
#define _GNU_SOURCE
#include "symbol/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"

/* --- opening --- */

static int check_header(const struct elf_file *f, struct error *err)
{
	const Elf64_Ehdr *h = &f->header;

	if (memcmp(h->e_ident, ELFMAG, SELFMAG))
		return error_set(err, -ENOEXEC, "not an ELF file");
	if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB ||
	    h->e_machine != EM_X86_64)
		return error_set(err, -ENOEXEC, "an ELF file for another machine (number %u), "
				 "only amd64 is supported", h->e_machine);
	if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
		return error_set(err, -ENOEXEC, "an ELF file, but not an executable (type %u)",
				 h->e_type);
	return 0;
}

/* Number of @size byte entries of a table at @off that are really in the file. */
static size_t entries_in_file(const struct elf_file *f, uint64_t off, uint64_t n, size_t size)
{
	uint64_t room;

	if (off >= f->size)
		return 0;
	room = (f->size - off) / size;
	return n < room ? n : room;
}

static bool section_header(const struct elf_file *f, size_t i, Elf64_Shdr *ret)
{
	const uint8_t *p;

	/* nsections says that the table fits, so this cannot overflow */
	p = i < f->nsections ? elf_file_at(f, f->header.e_shoff + i * sizeof(*ret), sizeof(*ret))
			     : NULL;
	if (p)
		memcpy(ret, p, sizeof(*ret));
	return p != NULL;
}

/*
 * More than 0xff00 sections: number and name table index move into section 0.
 * Odd entry sizes count as "no table".
 */
static void find_tables(struct elf_file *f)
{
	const Elf64_Ehdr *h = &f->header;
	size_t names = h->e_shstrndx;
	struct elf_section table;
	Elf64_Shdr first;

	if (h->e_phentsize == sizeof(Elf64_Phdr))
		f->nsegments = entries_in_file(f, h->e_phoff, h->e_phnum, sizeof(Elf64_Phdr));
	if (h->e_shentsize != sizeof(Elf64_Shdr) || !h->e_shoff)
		return;
	f->nsections = entries_in_file(f, h->e_shoff, h->e_shnum ?: 1, sizeof(Elf64_Shdr));
	if (!section_header(f, 0, &first))
		return;
	if (!h->e_shnum)
		f->nsections = entries_in_file(f, h->e_shoff, first.sh_size, sizeof(Elf64_Shdr));
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (elf_section_get(f, names, &table))
		f->names = elf_strings_of(&table);
}

int elf_file_from_memory(struct elf_file *f, const void *data, size_t size, struct error *err)
{
	int r;

	*f = (struct elf_file){ .data = data, .size = size };
	if (size < sizeof(f->header))
		return error_set(err, -ENOEXEC, "too short for an ELF file (%zu bytes)", size);
	memcpy(&f->header, data, sizeof(f->header));
	r = check_header(f, err);
	if (!r)
		find_tables(f);
	return r;
}

/* O_NONBLOCK: a FIFO in the place of the program must not hang us. */
static int open_regular(const char *path, size_t *size, struct error *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return error_set(err, -errno, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return error_set(err, -ENOEXEC, "not a file with contents");
	*size = (size_t)st.st_size;
	return take_fd(&fd);
}

int elf_file_open(struct elf_file *f, const char *path, struct error *err)
{
	_cleanup_close_ int fd = -1;
	size_t size = 0;
	void *data;
	int r;

	*f = (struct elf_file){0};
	fd = open_regular(path, &size, err);
	if (fd < 0)
		return fd;
	data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return error_set(err, -errno, "cannot map it: %s", strerror(errno));
	r = elf_file_from_memory(f, data, size, err);
	f->mapped = true;
	if (r < 0)
		elf_file_close(f);
	return r;
}

void elf_file_close(struct elf_file *f)
{
	if (f->mapped)
		munmap((void *)f->data, f->size);
	*f = (struct elf_file){0};
}

/* --- bytes --- */

const uint8_t *elf_file_at(const struct elf_file *f, uint64_t off, uint64_t n)
{
	return off <= f->size && n <= f->size - off ? f->data + off : NULL;
}

bool elf_segment_get(const struct elf_file *f, size_t i, Elf64_Phdr *ret)
{
	if (i >= f->nsegments)
		return false;
	memcpy(ret, f->data + f->header.e_phoff + i * sizeof(*ret), sizeof(*ret));
	return true;
}

static bool segment_holds(const Elf64_Phdr *ph, uint64_t addr, uint64_t n)
{
	return ph->p_type == PT_LOAD && addr >= ph->p_vaddr && addr - ph->p_vaddr <= ph->p_filesz &&
	       n <= ph->p_filesz - (addr - ph->p_vaddr);
}

const uint8_t *elf_bytes(const struct elf_file *f, uint64_t addr, uint64_t n)
{
	Elf64_Phdr ph;
	size_t i;

	for (i = 0; elf_segment_get(f, i, &ph); i++) {
		if (segment_holds(&ph, addr, n) && elf_file_at(f, ph.p_offset, ph.p_filesz))
			return f->data + ph.p_offset + (addr - ph.p_vaddr);
	}
	return NULL;
}

bool elf_exec_segment(const struct elf_file *f, uint64_t addr, Elf64_Phdr *ret)
{
	size_t i;

	for (i = 0; elf_segment_get(f, i, ret); i++) {
		if ((ret->p_flags & PF_X) && segment_holds(ret, addr, 1) &&
		    elf_file_at(f, ret->p_offset, ret->p_filesz))
			return true;
	}
	return false;
}

/* --- sections --- */

bool elf_section_get(const struct elf_file *f, size_t i, struct elf_section *ret)
{
	Elf64_Shdr *h = &ret->header;

	if (!section_header(f, i, h) || h->sh_type == SHT_NULL || h->sh_type == SHT_NOBITS)
		return false;
	ret->data = elf_file_at(f, h->sh_offset, h->sh_size);
	ret->size = h->sh_size;
	ret->addr = h->sh_addr;
	return ret->data != NULL;
}

bool elf_section_find(const struct elf_file *f, const char *name, struct elf_section *ret)
{
	size_t i;

	for (i = 0; i < f->nsections; i++) {
		if (elf_section_get(f, i, ret) &&
		    !strcmp(elf_string(&f->names, ret->header.sh_name), name))
			return true;
	}
	return false;
}

const uint8_t *elf_note(const struct elf_file *f, const char *section, uint32_t type,
			const char owner[4], size_t *size)
{
	struct elf_section s;
	Elf64_Nhdr note;
	size_t desc;

	if (!elf_section_find(f, section, &s) || s.size < sizeof(note))
		return NULL;
	memcpy(&note, s.data, sizeof(note));
	desc = sizeof(note) + ((size_t)note.n_namesz + 3) / 4 * 4;
	if (note.n_type != type || note.n_namesz != 4 || desc > s.size ||
	    note.n_descsz > s.size - desc || memcmp(s.data + sizeof(note), owner, 4))
		return NULL;
	*size = note.n_descsz;
	return s.data + desc;
}

/* --- strings and symbols --- */

struct elf_strings elf_strings_of(const struct elf_section *section)
{
	const char *data = (const char *)section->data;
	const char *end = memrchr(data, '\0', section->size);

	return (struct elf_strings){ .data = data, .size = end ? (size_t)(end + 1 - data) : 0 };
}

const char *elf_string(const struct elf_strings *table, uint64_t off)
{
	return off < table->size ? table->data + off : "";
}

static bool symbols_in(const struct elf_file *f, const char *section, struct elf_symbols *ret)
{
	struct elf_section symtab, strtab;

	if (!elf_section_find(f, section, &symtab) ||
	    !elf_section_get(f, symtab.header.sh_link, &strtab))
		return false;
	ret->data = symtab.data;
	ret->n = symtab.size / sizeof(Elf64_Sym);
	ret->names = elf_strings_of(&strtab);
	return ret->n > 1;	/* the first one is always empty */
}

bool elf_symbols_of(const struct elf_file *f, struct elf_symbols *ret)
{
	return symbols_in(f, ".symtab", ret);
}

bool elf_symbols_exported(const struct elf_file *f, struct elf_symbols *ret)
{
	return symbols_in(f, ".dynsym", ret);
}

Elf64_Sym elf_symbol(const struct elf_symbols *s, size_t i)
{
	Elf64_Sym sym;

	memcpy(&sym, s->data + i * sizeof(sym), sizeof(sym));
	return sym;
}
