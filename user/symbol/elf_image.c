// SPDX-License-Identifier: Apache-2.0
/* elf_image: see elf_image.h. */
#include "symbol/elf_image.h"

#include <string.h>

size_t elf_image_sections(const struct elf_file *f)
{
	return f->nsections;
}

bool elf_image_section(const struct elf_file *f, size_t i, struct elf_range *ret,
		       const char **name)
{
	struct elf_section s;

	if (!elf_section_get(f, i, &s) || s.header.sh_type != SHT_PROGBITS ||
	    !(s.header.sh_flags & SHF_ALLOC) || s.addr + s.size < s.addr)
		return false;
	*ret = (struct elf_range){
		.data = s.data,
		.addr = s.addr,
		.size = s.size,
		.exec = s.header.sh_flags & SHF_EXECINSTR,
		.writable = s.header.sh_flags & SHF_WRITE,
	};
	*name = elf_string(&f->names, s.header.sh_name);
	return true;
}

bool elf_image_section_named(const struct elf_file *f, const char *name,
			     struct elf_range *ret)
{
	struct elf_range r;
	const char *s;
	size_t i;

	for (i = 0; i < elf_image_sections(f); i++) {
		if (elf_image_section(f, i, &r, &s) && !strcmp(s, name)) {
			*ret = r;
			return true;
		}
	}
	return false;
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
		if (!elf_section_get(f, i, &s) || s.header.sh_type != type)
			continue;
		if (!elf_section_get(f, s.header.sh_link, &strings))
			return false;
		*table = bytes_of(&s);
		*names = bytes_of(&strings);
		return true;
	}
	return false;
}

size_t elf_image_segments(const struct elf_file *f)
{
	return f->nsegments;
}

bool elf_image_segment(const struct elf_file *f, size_t i, struct elf_range *ret)
{
	Elf64_Phdr h;
	const uint8_t *p;

	if (!elf_segment_get(f, i, &h) || h.p_type != PT_LOAD || h.p_vaddr + h.p_filesz < h.p_vaddr)
		return false;
	p = elf_file_at(f, h.p_offset, h.p_filesz);
	if (!p)
		return false;
	*ret = (struct elf_range){
		.data = p,
		.addr = h.p_vaddr,
		.size = h.p_filesz,
		.exec = h.p_flags & PF_X,
		.writable = h.p_flags & PF_W,
	};
	return true;
}

struct elf_range elf_image_from(const struct elf_file *f, uint64_t addr)
{
	struct elf_range r;
	size_t i;

	for (i = 0; i < elf_image_segments(f); i++) {
		if (elf_image_segment(f, i, &r) && addr >= r.addr && addr - r.addr < r.size) {
			r.data += addr - r.addr;
			r.size -= addr - r.addr;
			r.addr = addr;
			return r;
		}
	}
	return (struct elf_range){ 0 };
}

const uint8_t *elf_image_at(const struct elf_file *f, uint64_t addr, uint64_t n)
{
	struct elf_range r = elf_image_from(f, addr);

	return n <= r.size ? r.data : NULL;
}

/* The table that DT_RELA and DT_RELASZ describe: the loader goes by nothing else. */
static struct elf_range relocations(const struct elf_file *f, const Elf64_Phdr *dynamic)
{
	const uint8_t *p = elf_file_at(f, dynamic->p_offset, dynamic->p_filesz);
	size_t i, n = p ? dynamic->p_filesz / sizeof(Elf64_Dyn) : 0;
	uint64_t addr = 0, size = 0;
	struct elf_range r;

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
	r = elf_image_from(f, addr);
	if (addr && size <= r.size)
		return (struct elf_range){ .data = r.data, .addr = addr, .size = size };
	return (struct elf_range){ 0 };
}

static struct elf_range find_relocations(const struct elf_file *f)
{
	Elf64_Phdr h;
	size_t i;

	for (i = 0; elf_segment_get(f, i, &h); i++) {
		if (h.p_type == PT_DYNAMIC)
			return relocations(f, &h);
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
		if (ELF64_R_TYPE(r.r_info) != R_X86_64_RELATIVE || r.r_offset < addr ||
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
		if (ELF64_R_TYPE(r.r_info) == R_X86_64_RELATIVE &&
		    (uint64_t)r.r_addend == value && r.r_offset > after &&
		    (!best || r.r_offset < best))
			best = r.r_offset;
	}
	return best;
}
