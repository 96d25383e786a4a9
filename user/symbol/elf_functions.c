// SPDX-License-Identifier: Apache-2.0
/* elf_functions: see elf_functions.h. */
#include "symbol/elf_functions.h"

#include <string.h>

struct elf_function {
	uint64_t lo, hi;
	const char *name;
};

static int compare_lo(const void *a, const void *b)
{
	const struct elf_function *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static void add_symbol(struct elf_functions *f, const Elf64_Sym *sym, const uint8_t *names,
		       size_t size)
{
	struct elf_function *fn;

	if (ELF64_ST_TYPE(sym->st_info) != STT_FUNC || sym->st_shndx == SHN_UNDEF ||
	    !sym->st_size || sym->st_value + sym->st_size < sym->st_value ||
	    sym->st_name >= size)
		return;
	fn = vec_push(&f->all, sizeof(*fn));
	*fn = (struct elf_function){
		.lo = sym->st_value,
		.hi = sym->st_value + sym->st_size,
		.name = (const char *)names + sym->st_name,
	};
}

static void add_table(struct elf_functions *f, const struct elf_range *table,
		      const struct elf_range *names)
{
	size_t i;

	/* the last byte must be a NUL, so that all names end */
	if (!names->size || names->data[names->size - 1])
		return;
	for (i = 0; i + sizeof(Elf64_Sym) <= table->size; i += sizeof(Elf64_Sym)) {
		Elf64_Sym sym;

		memcpy(&sym, table->data + i, sizeof(sym));
		add_symbol(f, &sym, names->data, names->size);
	}
}

void elf_functions_load(struct elf_functions *f, const struct elf_file *img)
{
	struct elf_range table, names;

	if (elf_image_symbols(img, SHT_SYMTAB, &table, &names) ||
	    elf_image_symbols(img, SHT_DYNSYM, &table, &names))
		add_table(f, &table, &names);
	vec_sort(&f->all, sizeof(struct elf_function), compare_lo);
}

void elf_functions_free(struct elf_functions *f)
{
	vec_free(&f->all);
}

const char *elf_functions_at(const struct elf_functions *f, uint64_t addr)
{
	size_t lo = 0, hi = f->all.len;
	struct elf_function *fn;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (vec_at(&f->all, struct elf_function, mid)->lo <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	fn = lo ? vec_at(&f->all, struct elf_function, lo - 1) : NULL;
	return fn && addr < fn->hi ? fn->name : NULL;
}
