// SPDX-License-Identifier: Apache-2.0
/* elf_file: see elf_file.h. */
#define _GNU_SOURCE
#include "symbol/elf_file.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/open_under.h"

/* Programs have some 40 sections; a table that claims the whole of a large file is false. */
enum { MAX_SECTIONS = 1 << 16 };

/* --- opening --- */

static int check_header(struct elf_file *f, struct error *err)
{
	const Elf64_Ehdr *h = &f->header;

	if (memcmp(h->e_ident, ELFMAG, SELFMAG))
		return error_set(err, -ENOEXEC, "not an ELF file");
	f->arch = goarch_of(h->e_machine);
	if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB || !f->arch)
		return error_set(err, -ENOEXEC, "an ELF file for another machine (number %u), "
				 "only amd64 and arm64 are supported", h->e_machine);
	if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
		return error_set(err, -ENOEXEC, "an ELF file, but not an executable (type %u)",
				 h->e_type);
	return 0;
}

/* Returns the number of @size-byte entries of a table at @off that are really in the file. */
static size_t entries_in_file(const struct elf_file *f, uint64_t off, uint64_t n, size_t size)
{
	uint64_t room;

	if (off >= f->size)
		return 0;
	room = (f->size - off) / size;
	n = n < room ? n : room;
	return n < MAX_SECTIONS ? n : MAX_SECTIONS;
}

static bool header_at(const struct elf_file *f, size_t i, Elf64_Shdr *ret)
{
	const uint8_t *p;

	/* nsections is bounded by the file's size, so that this cannot overflow */
	p = i < f->nsections ? elf_file_at(f, f->header.e_shoff + i * sizeof(*ret), sizeof(*ret))
			     : NULL;
	if (p)
		memcpy(ret, p, sizeof(*ret));
	return p != NULL;
}

/*
 * Finds the tables of segments and sections. With more than 0xff00 sections, section 0 has their
 * number and the index of the name table. A table with an unknown entry size counts as absent.
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
	if (!header_at(f, 0, &first))
		return;
	if (!h->e_shnum)
		f->nsections = entries_in_file(f, h->e_shoff, first.sh_size, sizeof(Elf64_Shdr));
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (elf_section_get(f, names, &table))
		f->names = elf_strings_of(&table);
}

static int read_headers(struct elf_file *f, struct error *err)
{
	const uint8_t *p = elf_file_at(f, 0, sizeof(f->header));
	int r;

	if (!p)
		return error_set(err, -ENOEXEC, "too short for an ELF file (%zu bytes)", f->size);
	memcpy(&f->header, p, sizeof(f->header));
	r = check_header(f, err);
	if (!r)
		find_tables(f);
	return r;
}

int elf_file_from_memory(struct elf_file *f, const void *data, size_t size, struct error *err)
{
	*f = (struct elf_file){ .memory = data, .size = size };
	return read_headers(f, err);
}

int elf_file_open_fd(struct elf_file *f, int fd, struct error *err)
{
	int r;

	*f = (struct elf_file){0};
	r = file_copy_new(&f->copy, fd, err);
	if (r)
		return r;
	f->size = file_copy_size(f->copy);
	r = read_headers(f, err);
	if (r < 0)
		elf_file_close(f);
	return r;
}

int elf_file_open(struct elf_file *f, const char *path, struct error *err)
{
	_cleanup_close_ int fd = open_regular(path);

	*f = (struct elf_file){0};
	if (fd == -ENOEXEC)
		return error_set(err, fd, "not a file with contents");
	if (fd < 0)
		return error_set(err, fd, "%s", strerror(-fd));
	return elf_file_open_fd(f, fd, err);
}

struct elf_file elf_file_borrow(const struct elf_file *f)
{
	struct elf_file ret = *f;

	ret.borrowed = true;
	return ret;
}

int elf_file_again(struct elf_file *ret, const struct elf_file *f, struct error *err)
{
	if (f->copy)
		return elf_file_open_fd(ret, file_copy_fd(f->copy), err);
	*ret = elf_file_borrow(f);
	return 0;
}

void elf_file_close(struct elf_file *f)
{
	if (!f->borrowed)
		file_copy_free(f->copy);
	*f = (struct elf_file){0};
}

/* --- bytes --- */

bool elf_file_has(const struct elf_file *f, uint64_t off, uint64_t n)
{
	return off <= f->size && n <= f->size - off;
}

const uint8_t *elf_file_at(const struct elf_file *f, uint64_t off, uint64_t n)
{
	if (!elf_file_has(f, off, n))
		return NULL;
	return f->copy ? file_copy_at(f->copy, off, n) : f->memory + off;
}

int elf_file_crc32(const struct elf_file *f, uint32_t *ret)
{
	if (f->copy)
		return file_copy_crc32(f->copy, ret);
	*ret = (uint32_t)crc32_z(0, f->memory, f->size);
	return 0;
}

/* --- segments --- */

bool elf_segment_get(const struct elf_file *f, size_t i, Elf64_Phdr *ret)
{
	const uint8_t *p;

	/* nsegments is bounded by the file's size, so that this cannot overflow */
	p = i < f->nsegments ? elf_file_at(f, f->header.e_phoff + i * sizeof(*ret), sizeof(*ret))
			     : NULL;
	if (p)
		memcpy(ret, p, sizeof(*ret));
	return p != NULL;
}

static bool elf_file_is_load(const struct elf_file *f, const Elf64_Phdr *ph, uint32_t flags)
{
	return ph->p_type == PT_LOAD && (ph->p_flags & flags) == flags &&
	       elf_file_has(f, ph->p_offset, ph->p_filesz) &&
	       ph->p_vaddr + ph->p_filesz >= ph->p_vaddr;
}

bool elf_load_next(const struct elf_file *f, size_t *i, uint32_t flags, Elf64_Phdr *ret)
{
	while (elf_segment_get(f, (*i)++, ret))
		if (elf_file_is_load(f, ret, flags))
			return true;
	return false;
}

/* Finds the PT_LOAD with all of @flags that has [@addr, @addr + @n) in the file. */
static bool load_of(const struct elf_file *f, uint32_t flags, uint64_t addr, uint64_t n,
		    Elf64_Phdr *ret)
{
	size_t i = 0;

	while (elf_load_next(f, &i, flags, ret)) {
		uint64_t at = addr - ret->p_vaddr;

		if (addr >= ret->p_vaddr && at <= ret->p_filesz && n <= ret->p_filesz - at)
			return true;
	}
	return false;
}

const uint8_t *elf_bytes(const struct elf_file *f, uint64_t addr, uint64_t n)
{
	Elf64_Phdr ph;

	return load_of(f, 0, addr, n, &ph) ? elf_file_at(f, ph.p_offset + (addr - ph.p_vaddr), n)
					   : NULL;
}

const uint8_t *elf_constant_bytes(const struct elf_file *f, uint64_t addr, uint64_t n)
{
	Elf64_Phdr ph;

	return load_of(f, 0, addr, n, &ph) && !(ph.p_flags & PF_W) ?
	       elf_file_at(f, ph.p_offset + (addr - ph.p_vaddr), n) : NULL;
}

bool elf_exec_segment(const struct elf_file *f, uint64_t addr, Elf64_Phdr *ret)
{
	return load_of(f, PF_X, addr, 1, ret);
}

/* --- sections --- */

/* Reads header @i; false if that section does not have its bytes in the file. */
static bool section_header(const struct elf_file *f, size_t i, Elf64_Shdr *ret)
{
	return header_at(f, i, ret) && ret->sh_type != SHT_NULL && ret->sh_type != SHT_NOBITS &&
	       elf_file_has(f, ret->sh_offset, ret->sh_size);
}

static bool read_section(const struct elf_file *f, const Elf64_Shdr *h, struct elf_section *ret)
{
	*ret = (struct elf_section){
		.data = elf_file_at(f, h->sh_offset, h->sh_size),
		.size = h->sh_size,
		.addr = h->sh_addr,
		.header = *h,
	};
	return ret->data != NULL;
}

bool elf_section_get(const struct elf_file *f, size_t i, struct elf_section *ret)
{
	Elf64_Shdr h;

	return section_header(f, i, &h) && read_section(f, &h, ret);
}

uint32_t elf_section_type(const struct elf_file *f, size_t i)
{
	Elf64_Shdr h;

	return section_header(f, i, &h) ? h.sh_type : SHT_NULL;
}

/* Finds the first section with that name that has bytes in the file; the size may be 0. */
static bool section_named(const struct elf_file *f, const char *name, Elf64_Shdr *ret)
{
	size_t i;

	for (i = 0; i < f->nsections; i++)
		if (section_header(f, i, ret) && !strcmp(elf_string(&f->names, ret->sh_name), name))
			return true;
	return false;
}

bool elf_section_find(const struct elf_file *f, const char *name, struct elf_section *ret)
{
	Elf64_Shdr h;

	return section_named(f, name, &h) && read_section(f, &h, ret);
}

bool elf_section_header(const struct elf_file *f, const char *name, Elf64_Shdr *ret)
{
	return section_named(f, name, ret) && ret->sh_size;
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
	return ret->n > 1;	/* the first symbol is always empty */
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
