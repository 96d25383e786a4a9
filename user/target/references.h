/* SPDX-License-Identifier: Apache-2.0 */
/*
 * references: all that leads to some addresses of a program: calls and other branches, instructions
 * with such an address as an operand, pointers in data. In: a binary. Out: the place of each. A
 * function that only direct calls lead to can be probed at these calls instead of at its start.
 *
 * Two kinds are not found. The first is an address that the program computes from another one, for
 * instance from the 32-bit offsets of .gopclntab; the runtime does that for names and lines, not to
 * call. The second is an address that other modules take from the table of exported symbols. A
 * plugin is such a module: its calls lead to its own copy of package runtime, and its pointers are
 * found in the plugin, as relocations by the name of the function.
 */
#ifndef GOTAP_TARGET_REFERENCES_H
#define GOTAP_TARGET_REFERENCES_H

#include "base/vec.h"
#include "symbol/elf_file.h"
#include "target/gobin.h"

enum reference_kind {
	REFERENCE_CALL,		/* a direct call */
	REFERENCE_BRANCH,	/* a branch, other than a call, from another function */
	REFERENCE_OPERAND,	/* an instruction loads the address, or reads the memory there */
	REFERENCE_POINTER,	/* data, or the value of a relocation */
	REFERENCE_METHOD,	/* a table of the methods of a type */
	REFERENCE_UNCLEAR,	/* looks like a branch or operand, in code that cannot be decoded */
};

struct reference {
	enum reference_kind kind;
	size_t to;		/* index of the address in @to */
	uint64_t addr;		/* of the instruction, or of the pointer */
	/* the function that has the instruction; name "" if none is known there */
	struct gobin_func func;
};

/* Bounds hostile files; a function of the runtime has at most some hundred references. */
enum { REFERENCES_MAX = 4096 };

/*
 * Appends the references to each of the @n addresses @to to @ret (struct reference): first those in
 * code, by address. -E2BIG if there are more than REFERENCES_MAX, -ENOTSUP if the file cannot be
 * read whole.
 */
int references_find(const struct gobin *b, const uint64_t *to, size_t n, struct vec *ret);
/*
 * As references_find(), for code only, in @f, the file of @b. Only target/references.c calls it;
 * each architecture implements it.
 */
int references_in_code(const struct gobin *b, const struct elf_file *f, const uint64_t *to,
		       size_t n, struct vec *ret);

const char *reference_kind_name(enum reference_kind kind);

#endif
