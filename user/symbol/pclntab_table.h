/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pclntab_table: shared by the reader (pclntab.c) and the finder (pclntab_find.c): where the parts
 * of a table lie, and how a format arranges them.
 */
#ifndef GOTAP_SYMBOL_PCLNTAB_TABLE_H
#define GOTAP_SYMBOL_PCLNTAB_TABLE_H

#include "symbol/elf_image.h"
#include "symbol/pclntab.h"

/*
 * One row per format: offsets in bytes. The magic changed with each change of the format
 * (internal/abi/symtab.go), except for the changes of 1.20 (inline tree, startLine), which got a
 * magic of their own.
 */
struct pclntab_layout {
	uint32_t magic;
	uint8_t since;		/* go1.NN */
	/* header, from 1.16 on: five words at .parts, before them perhaps textStart */
	uint8_t parts;
	bool has_text;
	/* function table: two fields of this size per function */
	uint8_t field;
	/* struct _func (runtime/runtime2.go) */
	uint8_t name, pcsp, pcfile, pcln, npcdata, cu, id, nfuncdata, func_size;
	/* struct inlinedCall (runtime/symtab.go, symtabinl.go) and its FUNCDATA index */
	uint8_t inline_size, inline_id, inline_name, inline_parent_pc, inline_funcdata;
};

/* Up to 1.17 entries are addresses and FUNCDATA are pointers: 8 bytes, relocated. */
static inline bool layout_has_pointers(const struct pclntab_layout *l)
{
	return l->field == 8;
}

/* The longest header, that of f0ffffff and f1ffffff. No table is shorter. */
enum { PCLNTAB_HEADER = 72 };

struct span {
	const uint8_t *data;
	size_t size;
};

struct pclntab {
	struct elf_file image;
	const struct pclntab_layout *layout;
	uint8_t quantum;	/* minLC of the header: the PC quantum */
	uint64_t addr;
	struct span all;	/* from the start of the table to the end of its section */
	uint8_t *relocated;	/* copy with relocations that .all points to, or NULL */
	struct span names, files;	/* text; the last byte is a NUL */
	struct span cus, pcs, funcs, index;
	size_t nfuncs;
	uint64_t text;		/* added to the entries of @index */
	uint64_t moduledata;
	uint64_t gofunc;	/* address from which FUNCDATA offsets count, 0 if unknown */
	uint64_t types, etypes;	/* the types of the module, Go 1.22 and later; 0 if unknown */
	int wrapper_id;		/* abi.FuncIDWrapper of this release, -1 if unknown */
	uint32_t *heads;	/* bucket of a name's hash -> function index + 1 */
	uint32_t *chain;	/* function -> the next function in its bucket, plus 1 */
	size_t nheads;		/* power of two */
};

/* A function's record; data is NULL if the table does not have it. */
struct func_record {
	const uint8_t *data;
	size_t size;		/* to the end of the table */
	uint64_t entry, end;
};

/* Returns @s from @off on; size 0 if @off is after its end. */
static inline struct span span_from(struct span s, uint64_t off)
{
	if (off >= s.size)
		return (struct span){ 0 };
	return (struct span){ s.data + off, s.size - off };
}

/*
 * Returns the text at @off; "" if @off is not in the table. Text tables end with a NUL
 * (pclntab_find() makes sure of that), so that all texts in them do.
 */
static inline const char *pclntab_text_at(struct span s, uint64_t off)
{
	return off < s.size ? (const char *)s.data + off : "";
}

/* --- pclntab.c --- */

/* Returns the index of the last function that begins at or before @addr, -1 if there is none. */
int64_t pclntab_last_func_at(const struct pclntab *t, uint64_t addr);
enum func_kind pclntab_kind(const struct pclntab *t, int id, const char *name);

/* --- pclntab_record.c --- */

struct func_record pclntab_record(const struct pclntab *t, size_t index);
/*
 * Returns the value for offset @off of the pcvalue table that @field of the record points to, -1 if
 * unknown.
 */
int32_t pclntab_value_at(const struct pclntab *t, struct func_record f, uint8_t field,
			 uint64_t off);
/* Returns entry @i of the inline tree at address @tree, NULL if it is not there. */
const uint8_t *pclntab_inline_entry(const struct pclntab *t, uint64_t tree, int32_t i);
/* Returns the address of function @index, which may be one past the last. */
uint64_t pclntab_entry(const struct pclntab *t, size_t index);
/* Returns the text at @off, "" if it is not there. */
const char *pclntab_name(const struct pclntab *t, uint32_t off);
/* Returns the PCDATA table @i; size 0 if the function has none. */
struct span pclntab_pcdata(const struct pclntab *t, struct func_record f, unsigned int i);
/* Returns the PCDATA table of inline tree indices; size 0 if the function has none. */
struct span pclntab_inline_index(const struct pclntab *t, struct func_record f);
/* Stores FUNCDATA @i as a value, an offset or a pointer; false if there is none. */
bool pclntab_funcdata(const struct pclntab *t, struct func_record f, uint8_t i, uint64_t *ret);
/* Returns the address of the inline tree, 0 if there is none. */
uint64_t pclntab_inline_tree(const struct pclntab *t, struct func_record f);

/* --- pclntab_find.c, pclntab_bases.c --- */

/*
 * Finds the table in t->image and fills in all members but the index of names. -ENOENT with a text
 * if there is none.
 */
int pclntab_find(struct pclntab *t, struct error *err);
/*
 * The second half of pclntab_find(), when the parts of the table are known: sets .text and .gofunc.
 */
int pclntab_find_bases(struct pclntab *t, struct error *err);

#endif
