/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pclntab: the function table that every Go binary carries for its own tracebacks, stripped or not:
 * functions, files, lines, SP offsets and trees of inlined calls. In: an ELF file of Go 1.15 to
 * 1.27. Out: functions by index, address and name, and frames that equal the runtime's, because the
 * runtime reads the same bytes. All addresses are link-time addresses.
 *
 * Nothing is parsed in advance: opening a binary reads its table, not its code. In a hostile file
 * each access is checked, each loop ends, and memory is bounded by the size of the file.
 */
#ifndef GOTAP_SYMBOL_PCLNTAB_H
#define GOTAP_SYMBOL_PCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "symbol/source.h"

struct pclntab;
struct elf_file;

/*
 * Opens the table of the file; pclntab_free() frees it. -ENOENT with a text if the file has no
 * table that can be read.
 */
int pclntab_open(struct pclntab **ret, const char *path, struct error *err);
/* As pclntab_open(), for an open file, which must outlive the table. */
int pclntab_from_elf(struct pclntab **ret, const struct elf_file *f, struct error *err);
/* Accepts NULL. */
void pclntab_free(struct pclntab *t);

/* Returns the first Go release that writes this format, as the NN of go1.NN: 2, 16, 18 or 20. */
int pclntab_format(const struct pclntab *t);
/* The Go text, [*start, *end): from the first function to the end of the last. */
void pclntab_text_range(const struct pclntab *t, uint64_t *start, uint64_t *end);
/*
 * The addresses of type descriptors, in Go 1.22 and later; the offsets of their names count from
 * *start. Empty if unknown.
 */
void pclntab_types_range(const struct pclntab *t, uint64_t *start, uint64_t *end);

struct pclntab_func {
	uint32_t index;
	enum func_kind kind;
	uint64_t entry, end;	/* end: where the next function begins, padding included */
	const char *name;	/* linker's name, in the file; "" if unreadable */
};

/* Number of functions. They are sorted by address: indices 0 to pclntab_funcs() - 1. */
size_t pclntab_funcs(const struct pclntab *t);
bool pclntab_func(const struct pclntab *t, size_t index, struct pclntab_func *ret);
/* Returns the address in the program of @name, the name of a function of the table. */
uint64_t pclntab_name_address(const struct pclntab *t, const char *name);
/* Finds the function that holds @addr in its code or padding. */
bool pclntab_func_at(const struct pclntab *t, uint64_t addr, struct pclntab_func *ret);
/*
 * Finds the function with exactly that name; if there is none, one that has it behind the path of a
 * folder `vendor` (example.org/program/vendor/NAME), as programs of GOPATH have. ABI wrappers have
 * the name of the function that they wrap: if several functions have the name, the largest one that
 * is no wrapper is found. The first call builds an index over all names.
 */
bool pclntab_func_named(struct pclntab *t, const char *name, struct pclntab_func *ret);

/*
 * Calls @take with the name of each function inlined into @f, once per inlined call, until @take
 * returns false. @call is an argument for pclntab_inlined_caller().
 */
void pclntab_each_inlined(const struct pclntab *t, const struct pclntab_func *f,
			  bool (*take)(void *ctx, const char *name, int32_t call), void *ctx);
/*
 * Returns the function that has the inlined call @call in the source: @f itself, or another
 * function that is inlined into it.
 */
const char *pclntab_inlined_caller(const struct pclntab *t, const struct pclntab_func *f,
				   int32_t call);

/*
 * Returns whether a function called @name was inlined anywhere into @f, directly or within another
 * inlined function. With -pgo the compiler inlines functions of the runtime that gotap would probe,
 * and keeps their own code in the binary, too.
 */
bool pclntab_inlines(const struct pclntab *t, const struct pclntab_func *f, const char *name);

/* Returns the bytes between SP at @addr and the return address; -1 if not known. */
int32_t pclntab_sp_delta(const struct pclntab *t, const struct pclntab_func *f, uint64_t addr);

/*
 * Stores the frames at the instruction that holds @pc, as the function expand of struct source_ops
 * does. Strings live as long as the table.
 */
size_t pclntab_expand(const struct pclntab *t, uint64_t pc, struct source_frame *out);

/*
 * Returns the entry of the function that the user wrote in a `go` statement, if the compiler made a
 * wrapper for it at @entry; if not, @entry (runtime, startPCForTrace, since 1.18).
 */
uint64_t pclntab_unwrap(const struct pclntab *t, uint64_t entry);

#endif
