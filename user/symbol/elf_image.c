// SPDX-License-Identifier: Apache-2.0
/* elf_image: see elf_image.h. */
#include "symbol/elf_image.h"

#include <string.h>

bool elf_image_section_named(const struct elf_file *f, const char *name,
			     struct elf_range *ret)
{
	struct elf_section s;
	Elf64_Shdr h;

	if (!elf_section_header(f, name, &h) || h.sh_type != SHT_PROGBITS ||
	    !(h.sh_flags & SHF_ALLOC) || h.sh_addr + h.sh_size < h.sh_addr ||
	    !elf_section_find(f, name, &s))
		return false;
	*ret = (struct elf_range){ .data = s.data, .addr = s.addr, .size = s.size };
	return true;
}

static struct elf_range bytes_of(const struct elf_section *s)
{
	return (struct elf_range){ .data = s->data, .addr = s->addr, .size = s->size };
}

bool elf_image_symbols(const struct elf_file *f, uint32_t type, struct elf_range *table,
		       struct elf_range *names)
{
	struct elf_section s, strings;
	size_t i;

	for (i = 0; i < f->nsections; i++) {
		if (elf_section_type(f, i) != type || !elf_section_get(f, i, &s))
			continue;
		if (!elf_section_get(f, s.header.sh_link, &strings))
			return false;
		*table = bytes_of(&s);
		*names = bytes_of(&strings);
		return true;
	}
	return false;
}

bool elf_image_next(const struct elf_file *f, size_t *i, uint32_t flags, struct elf_range *ret)
{
	Elf64_Phdr h;

	if (!elf_load_next(f, i, flags, &h))
		return false;
	*ret = (struct elf_range){
		.data = elf_file_at(f, h.p_offset, h.p_filesz),
		.addr = h.p_vaddr,
		.size = h.p_filesz,
	};
	if (!ret->data)		/* the section is there, but its bytes cannot be read */
		ret->size = 0;
	return true;
}

/* Finds the relocations by DT_RELA and DT_RELASZ, as the loader does. */
static struct elf_range elf_image_relocations(const struct elf_file *f, const Elf64_Phdr *dynamic)
{
	const uint8_t *p = elf_file_at(f, dynamic->p_offset, dynamic->p_filesz);
	size_t i, n = p ? dynamic->p_filesz / sizeof(Elf64_Dyn) : 0;
	uint64_t addr = 0, size = 0;
	const uint8_t *table;

	for (i = 0; i < n; i++) {
		Elf64_Dyn d;

		memcpy(&d, p + i * sizeof(d), sizeof(d));
		if (d.d_tag == DT_NULL)
			break;
		if (d.d_tag == DT_RELA)
			addr = d.d_un.d_ptr;
		else if (d.d_tag == DT_RELASZ)
			size = d.d_un.d_val;
	}
	table = addr ? elf_bytes(f, addr, size) : NULL;
	return table ? (struct elf_range){ .data = table, .addr = addr, .size = size }
		     : (struct elf_range){ 0 };
}

static struct elf_range find_relocations(const struct elf_file *f)
{
	Elf64_Phdr h;
	size_t i;

	for (i = 0; elf_segment_get(f, i, &h); i++) {
		if (h.p_type == PT_DYNAMIC)
			return elf_image_relocations(f, &h);
	}
	return (struct elf_range){ 0 };
}

size_t elf_image_relocate(const struct elf_file *f, uint64_t addr, uint8_t *buf, size_t n)
{
	struct elf_range table = find_relocations(f);
	size_t i, done = 0;

	for (i = 0; i + sizeof(Elf64_Rela) <= table.size; i += sizeof(Elf64_Rela)) {
		Elf64_Rela r;

		memcpy(&r, table.data + i, sizeof(r));
		if (ELF64_R_TYPE(r.r_info) != f->arch->elf_relative || r.r_offset < addr ||
		    n < sizeof(r.r_addend) || r.r_offset - addr > n - sizeof(r.r_addend))
			continue;
		memcpy(buf + (r.r_offset - addr), &r.r_addend, sizeof(r.r_addend));
		done++;
	}
	return done;
}

uint64_t elf_image_pointer_to(const struct elf_file *f, uint64_t value, uint64_t after)
{
	struct elf_range table = find_relocations(f);
	uint64_t best = 0;
	size_t i;

	for (i = 0; i + sizeof(Elf64_Rela) <= table.size; i += sizeof(Elf64_Rela)) {
		Elf64_Rela r;

		memcpy(&r, table.data + i, sizeof(r));
		if (ELF64_R_TYPE(r.r_info) == f->arch->elf_relative &&
		    (uint64_t)r.r_addend == value && r.r_offset > after &&
		    (!best || r.r_offset < best))
			best = r.r_offset;
	}
	return best;
}
