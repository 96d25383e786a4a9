/* SPDX-License-Identifier: Apache-2.0 */
/*
 * func_table: the functions of a binary by name and by address. In: functions in any order, from
 * one source (.gopclntab, or ELF symbols). Out: look-ups. Go's linker writes 100,000 functions in a
 * large program and gotap asks for some 40 of them, so that filling the table must be cheap.
 */
#ifndef GOTAP_TARGET_FUNC_TABLE_H
#define GOTAP_TARGET_FUNC_TABLE_H

#include "base/vec.h"
#include "symbol/elf_file.h"
#include "target/gobin.h"

struct func_table {
	struct vec funcs;	/* struct gobin_func, sorted by address after func_table_sort() */
	uint32_t *chain;	/* next function in the same bucket, + 1 */
	uint32_t *heads;	/* bucket of a name's hash -> function + 1 */
	size_t nheads;		/* power of two */
};

/*
 * Adds a function. @name is borrowed and must outlive the table. A function of size 0 is left out.
 */
void func_table_add(struct func_table *t, const char *name, uint64_t addr, uint64_t size);
/* Makes the table ready for look-ups, after the last func_table_add(). */
void func_table_sort(struct func_table *t);
void func_table_free(struct func_table *t);

/*
 * Returns the function with that name; NULL: none. If several have the name, the largest one: in
 * .gopclntab an ABI wrapper and its function have the same name.
 */
const struct gobin_func *func_table_by_name(const struct func_table *t, const char *name);
const struct gobin_func *func_table_by_addr(const struct func_table *t, uint64_t addr);

/* Adds the functions of .symtab. Returns their number, 0 if the file is stripped. */
size_t func_table_from_symbols(struct func_table *t, const struct elf_file *f);

#endif
