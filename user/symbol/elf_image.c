// SPDX-License-Identifier: Apache-2.0
/* elf_image: see elf_image.h. */
#include "symbol/elf_image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"

static const uint8_t *file_at(const struct elf_image *img, uint64_t off, uint64_t n)
{
	return off <= img->size && n <= img->size - off ? img->data + off : NULL;
}

int elf_image_from_memory(struct elf_image *img, const void *data, size_t size,
			  struct error *err)
{
	*img = (struct elf_image){ .data = data, .size = size };
	if (size < sizeof(img->header))
		return error_set(err, -ENOEXEC, "not an ELF file");
	memcpy(&img->header, data, sizeof(img->header));
	if (memcmp(img->header.e_ident, ELFMAG, SELFMAG))
		return error_set(err, -ENOEXEC, "not an ELF file");
	if (img->header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    img->header.e_ident[EI_DATA] != ELFDATA2LSB || img->header.e_machine != EM_X86_64)
		return error_set(err, -ENOEXEC, "not an x86-64 ELF file");
	return 0;
}

int elf_image_open(struct elf_image *img, const char *path, struct error *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *map;
	int rc;

	if (fd < 0 || fstat(fd, &st))
		return error_set(err, -errno, "cannot open '%s': %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return error_set(err, -ENOEXEC, "'%s' is not a file with contents", path);
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return error_set(err, -errno, "cannot map '%s': %s", path, strerror(errno));
	rc = elf_image_from_memory(img, map, (size_t)st.st_size, err);
	if (rc) {
		munmap(map, (size_t)st.st_size);
		return err ? error_prefix(err, "'%s'", path) : rc;
	}
	img->mapped = true;
	return 0;
}

void elf_image_close(struct elf_image *img)
{
	if (img->mapped)
		munmap((void *)img->data, img->size);
	*img = (struct elf_image){ 0 };
}

static bool read_section(const struct elf_image *img, size_t i, Elf64_Shdr *ret)
{
	const uint8_t *p;

	if (i >= img->header.e_shnum || img->header.e_shentsize != sizeof(*ret) ||
	    img->header.e_shoff > img->size)
		return false;
	p = file_at(img, img->header.e_shoff + i * sizeof(*ret), sizeof(*ret));
	if (!p)
		return false;
	memcpy(ret, p, sizeof(*ret));
	return true;
}

static const char *section_name(const struct elf_image *img, const Elf64_Shdr *section)
{
	Elf64_Shdr table;
	const uint8_t *p;

	if (!read_section(img, img->header.e_shstrndx, &table) ||
	    section->sh_name >= table.sh_size)
		return "";
	p = file_at(img, table.sh_offset, table.sh_size);
	if (!p || !memchr(p + section->sh_name, 0, table.sh_size - section->sh_name))
		return "";
	return (const char *)p + section->sh_name;
}

size_t elf_image_sections(const struct elf_image *img)
{
	return img->header.e_shnum;
}

bool elf_image_section(const struct elf_image *img, size_t i, struct elf_range *ret,
		       const char **name)
{
	Elf64_Shdr s;
	const uint8_t *p;

	if (!read_section(img, i, &s) || s.sh_type != SHT_PROGBITS ||
	    !(s.sh_flags & SHF_ALLOC) || s.sh_addr + s.sh_size < s.sh_addr)
		return false;
	p = file_at(img, s.sh_offset, s.sh_size);
	if (!p)
		return false;
	*ret = (struct elf_range){
		.data = p,
		.addr = s.sh_addr,
		.size = s.sh_size,
		.exec = s.sh_flags & SHF_EXECINSTR,
		.writable = s.sh_flags & SHF_WRITE,
	};
	*name = section_name(img, &s);
	return true;
}

bool elf_image_section_named(const struct elf_image *img, const char *name,
			     struct elf_range *ret)
{
	struct elf_range r;
	const char *s;
	size_t i;

	for (i = 0; i < elf_image_sections(img); i++) {
		if (elf_image_section(img, i, &r, &s) && !strcmp(s, name)) {
			*ret = r;
			return true;
		}
	}
	return false;
}

static bool raw_section(const struct elf_image *img, const Elf64_Shdr *s, struct elf_range *ret)
{
	*ret = (struct elf_range){ .data = file_at(img, s->sh_offset, s->sh_size) };
	ret->size = ret->data ? s->sh_size : 0;
	return ret->data;
}

bool elf_image_symbols(const struct elf_image *img, uint32_t type, struct elf_range *table,
		       struct elf_range *names)
{
	Elf64_Shdr s, strings;
	size_t i;

	for (i = 0; i < elf_image_sections(img); i++) {
		if (read_section(img, i, &s) && s.sh_type == type)
			return read_section(img, s.sh_link, &strings) &&
			       raw_section(img, &s, table) && raw_section(img, &strings, names);
	}
	return false;
}

static bool read_segment(const struct elf_image *img, size_t i, Elf64_Phdr *ret)
{
	const uint8_t *p;

	if (i >= img->header.e_phnum || img->header.e_phentsize != sizeof(*ret) ||
	    img->header.e_phoff > img->size)
		return false;
	p = file_at(img, img->header.e_phoff + i * sizeof(*ret), sizeof(*ret));
	if (!p)
		return false;
	memcpy(ret, p, sizeof(*ret));
	return ret->p_vaddr + ret->p_filesz >= ret->p_vaddr;
}

size_t elf_image_segments(const struct elf_image *img)
{
	return img->header.e_phnum;
}

bool elf_image_segment(const struct elf_image *img, size_t i, struct elf_range *ret)
{
	Elf64_Phdr h;
	const uint8_t *p;

	if (!read_segment(img, i, &h) || h.p_type != PT_LOAD)
		return false;
	p = file_at(img, h.p_offset, h.p_filesz);
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

struct elf_range elf_image_from(const struct elf_image *img, uint64_t addr)
{
	struct elf_range r;
	size_t i;

	for (i = 0; i < elf_image_segments(img); i++) {
		if (elf_image_segment(img, i, &r) && addr >= r.addr && addr - r.addr < r.size) {
			r.data += addr - r.addr;
			r.size -= addr - r.addr;
			r.addr = addr;
			return r;
		}
	}
	return (struct elf_range){ 0 };
}

const uint8_t *elf_image_at(const struct elf_image *img, uint64_t addr, uint64_t n)
{
	struct elf_range r = elf_image_from(img, addr);

	return n <= r.size ? r.data : NULL;
}

/* The table that DT_RELA and DT_RELASZ describe: the loader goes by nothing else. */
static struct elf_range relocations(const struct elf_image *img, const Elf64_Phdr *dynamic)
{
	const uint8_t *p = file_at(img, dynamic->p_offset, dynamic->p_filesz);
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
	r = elf_image_from(img, addr);
	if (addr && size <= r.size)
		return (struct elf_range){ .data = r.data, .addr = addr, .size = size };
	return (struct elf_range){ 0 };
}

static struct elf_range find_relocations(const struct elf_image *img)
{
	Elf64_Phdr h;
	size_t i;

	for (i = 0; i < img->header.e_phnum; i++) {
		if (read_segment(img, i, &h) && h.p_type == PT_DYNAMIC)
			return relocations(img, &h);
	}
	return (struct elf_range){ 0 };
}

size_t elf_image_relocate(const struct elf_image *img, uint64_t addr, uint8_t *buf, size_t n)
{
	struct elf_range table = find_relocations(img);
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

uint64_t elf_image_pointer_to(const struct elf_image *img, uint64_t value, uint64_t after)
{
	struct elf_range table = find_relocations(img);
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
