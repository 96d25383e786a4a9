// SPDX-License-Identifier: Apache-2.0
/* dwarf_image: see dwarf_image.h. */
#define _GNU_SOURCE
#include "target/dwarf_image.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

/*
 * A compressed section has one of two names: .debug_* with an Elf64_Chdr, or .zdebug_* with a
 * header of its own.
 */
static const char *const copied[] = {
	".debug_info", ".debug_abbrev", ".debug_str", ".debug_line_str", ".debug_str_offsets",
	".zdebug_info", ".zdebug_abbrev", ".zdebug_str",
};

enum { NCOPIED = sizeof(copied) / sizeof(copied[0]) };

/* Go programs of 200 MB have some 100 MB of descriptions of types and functions. */
static const uint64_t max_inflated = 1ULL << 30;

/* Returns the size of a section once it is inflated, which is its size if it is not compressed. */
static uint64_t inflated_size(const struct elf_section *s, const char *name)
{
	struct { char magic[4]; uint64_t size; } __attribute__((packed)) old;
	Elf64_Chdr chdr;

	if ((s->header.sh_flags & SHF_COMPRESSED) && s->size >= sizeof(chdr)) {
		memcpy(&chdr, s->data, sizeof(chdr));
		return chdr.ch_size;
	}
	if (name[1] == 'z' && s->size >= sizeof(old)) {
		memcpy(&old, s->data, sizeof(old));
		return be64toh(old.size);
	}
	return s->size;
}

/*
 * Returns whether the section can inflate to its claimed size: Deflate cannot shrink data by more
 * than 1032 to 1.
 */
static bool image_is_sane(const struct elf_section *s, const char *name)
{
	uint64_t size = inflated_size(s, name);

	return size <= max_inflated && size / 1032 <= s->size;
}

static Elf64_Shdr add_section(struct buf *image, const struct elf_section *s, size_t name)
{
	Elf64_Shdr h = {
		.sh_name = (Elf64_Word)name,
		.sh_type = SHT_PROGBITS,
		.sh_flags = s->header.sh_flags & SHF_COMPRESSED,
		.sh_offset = image->len,
		.sh_size = s->size,
		.sh_addralign = 1,
	};
	static const char padding[8];

	buf_add(image, s->data, s->size);
	buf_add(image, padding, -image->len % sizeof(padding));
	return h;
}

/* Appends the section names and headers to the image, and sets their place in its ELF header. */
static void image_finish(struct buf *image, Elf64_Shdr *headers, size_t n, struct buf *names)
{
	static const char own_name[] = ".shstrtab";
	struct elf_section section = { .size = names->len + sizeof(own_name) };
	size_t name = names->len;
	Elf64_Ehdr header;

	buf_add(names, own_name, sizeof(own_name));
	section.data = names->data;
	headers[n] = add_section(image, &section, name);
	headers[n].sh_type = SHT_STRTAB;
	memcpy(&header, image->data, sizeof(header));
	header.e_shoff = image->len;
	header.e_shnum = (Elf64_Half)(n + 1);
	header.e_shstrndx = (Elf64_Half)n;
	memcpy(image->data, &header, sizeof(header));
	buf_add(image, headers, (n + 1) * sizeof(*headers));
}

static void image_begin(struct buf *image, const struct elf_file *f)
{
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = f->arch->elf,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
	};

	buf_add(image, &header, sizeof(header));
}

int dwarf_image_make(struct buf *ret, const struct elf_file *f)
{
	Elf64_Shdr headers[NCOPIED + 2] = {0};	/* one more for section 0, one for the names */
	struct elf_section section;
	struct buf names = {0};
	size_t i, n = 1;
	int r = 0;

	image_begin(ret, f);
	buf_add_byte(&names, '\0');
	for (i = 0; i < NCOPIED && !r; i++) {
		if (!elf_section_find(f, copied[i], &section))
			continue;
		if (!image_is_sane(&section, copied[i]))
			r = -E2BIG;
		else
			headers[n++] = add_section(ret, &section, names.len);
		buf_add(&names, copied[i], strlen(copied[i]) + 1);
	}
	if (!r)
		image_finish(ret, headers, n, &names);
	buf_free(&names);
	return r ? r : n > 1 ? 0 : -ENOENT;
}
