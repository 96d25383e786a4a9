// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_pclntab: an ELF file of any bytes through all of pclntab.h. Build:
 *
 *	clang -g -O1 -std=gnu11 -fsanitize=fuzzer,address,undefined \
 *		-fno-sanitize-recover=undefined -Iuser -o fuzz_pclntab \
 *		tests/fuzz/fuzz_pclntab.c \
 *		user/symbol/{elf_file,elf_image,names,pclntab,pclntab_find,pclntab_bases,pclntab_funcs,pcvalue}.c \
 *		user/base/{error,map64,strset,vec}.c
 *
 * Good first inputs are small: fuzz_pclntab_seeds.py makes one for each format.
 */
#include <stdlib.h>
#include <string.h>

#include "symbol/elf_functions.h"
#include "symbol/names.h"
#include "symbol/pclntab.h"

enum { FUNCS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile size_t sink;

static void use_text(const char *s)
{
	char name[NAME_MAX_TRACE + 1];

	sink += strlen(s) + name_for_trace(s, name, sizeof(name));
}

static void use_pc(const struct pclntab *t, uint64_t pc)
{
	struct source_frame out[SOURCE_MAX_INLINE];
	size_t i, n = pclntab_expand(t, pc, out);

	for (i = 0; i < n; i++) {
		use_text(out[i].func);
		use_text(out[i].file);
	}
	sink += pclntab_unwrap(t, pc);
}

static void use_func(struct pclntab *t, const struct pclntab_func *f)
{
	struct pclntab_func same;
	uint64_t step = (f->end - f->entry) / 4 + 1, pc;

	use_text(f->name);
	pclntab_func_named(t, f->name, &same);
	sink += pclntab_inlines(t, f, "runtime.casgstatus");
	for (pc = f->entry - 1; pc < f->end && pc + step > pc; pc += step) {
		use_pc(t, pc);
		sink += (size_t)pclntab_sp_delta(t, f, pc);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pclntab *t;
	struct pclntab_func f;
	struct elf_file image;
	uint64_t start, end;
	size_t i;

	if (elf_file_from_memory(&image, data, size, NULL) || pclntab_from_elf(&t, &image, NULL))
		return 0;
	for (i = 0; i < pclntab_funcs(t) && i < FUNCS; i++) {
		if (pclntab_func(t, i, &f))
			use_func(t, &f);
	}
	pclntab_text_range(t, &start, &end);
	use_pc(t, start);
	use_pc(t, end - 1);
	use_pc(t, end);
	pclntab_free(t);
	return 0;
}
