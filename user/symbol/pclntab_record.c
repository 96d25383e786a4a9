// SPDX-License-Identifier: Apache-2.0
/*
 * pclntab_record: the record of one function, with its values, its data and its inline tree. The
 * specification is runtime/symtab.go.
 */
#include "symbol/pclntab_table.h"
#include "symbol/pcvalue.h"

enum { PCDATA_INL_TREE_INDEX = 2 };	/* internal/abi/symtab.go; 1.12 to 1.27 */

/*
 * Returns the name at @off. The first name of the table lies at 0. The runtime takes 0 for "no
 * name" and prints nothing (moduledata.funcName, 1.20 to 1.27); gotap shows the name, which helps a
 * reader more.
 */
const char *pclntab_name(const struct pclntab *t, uint32_t off)
{
	return pclntab_text_at(t->names, off);
}

static uint64_t record_index_field(const struct pclntab *t, size_t i)
{
	const uint8_t *p = t->index.data + i * t->layout->field;

	return t->layout->field == 8 ? elf_u64(p) : elf_u32(p);
}

uint64_t pclntab_entry(const struct pclntab *t, size_t i)
{
	return t->text + record_index_field(t, 2 * i);
}

struct func_record pclntab_record(const struct pclntab *t, size_t index)
{
	struct func_record f = { 0 };
	struct span s;

	if (index >= t->nfuncs)
		return f;
	s = span_from(t->funcs, record_index_field(t, 2 * index + 1));
	if (s.size < t->layout->func_size)
		return f;
	f.data = s.data;
	f.size = s.size;
	f.entry = pclntab_entry(t, index);
	f.end = pclntab_entry(t, index + 1);
	return f;
}

/* Reads a word after the record, where PCDATA come first and then FUNCDATA. */
static bool record_trailing_u32(struct func_record f, uint64_t off, uint32_t *ret)
{
	if (off > f.size || f.size - off < sizeof(*ret))
		return false;
	*ret = elf_u32(f.data + off);
	return true;
}

struct span pclntab_pcdata(const struct pclntab *t, struct func_record f, unsigned int i)
{
	uint32_t off;

	if (!f.data || elf_u32(f.data + t->layout->npcdata) <= i ||
	    !record_trailing_u32(f, t->layout->func_size + 4 * (uint64_t)i, &off) || !off)
		return (struct span){ 0 };
	return span_from(t->pcs, off);
}

struct span pclntab_inline_index(const struct pclntab *t, struct func_record f)
{
	return pclntab_pcdata(t, f, PCDATA_INL_TREE_INDEX);
}

/*
 * Returns the offset of FUNCDATA, whose pointers are aligned in memory (runtime/symtab.go of 1.17,
 * funcdata).
 */
static uint64_t record_funcdata_start(const struct pclntab *t, struct func_record f)
{
	uint64_t off = t->layout->func_size + 4 * (uint64_t)elf_u32(f.data + t->layout->npcdata);

	if (layout_has_pointers(t->layout))
		off += -(t->addr + (uint64_t)(f.data - t->all.data) + off) & 7;
	return off;
}

bool pclntab_funcdata(const struct pclntab *t, struct func_record f, uint8_t i, uint64_t *ret)
{
	uint32_t lo, hi = 0;
	uint64_t off;

	if (!f.data || i >= f.data[t->layout->nfuncdata])
		return false;
	off = record_funcdata_start(t, f) + (uint64_t)i * t->layout->field;
	if (!record_trailing_u32(f, off, &lo))
		return false;
	if (!layout_has_pointers(t->layout)) {
		*ret = lo;
		return lo != UINT32_MAX;
	}
	if (!record_trailing_u32(f, off + 4, &hi))
		return false;
	*ret = (uint64_t)hi << 32 | lo;
	return *ret != 0;
}

uint64_t pclntab_inline_tree(const struct pclntab *t, struct func_record f)
{
	uint64_t at;

	if (!pclntab_funcdata(t, f, t->layout->inline_funcdata, &at))
		return 0;
	if (layout_has_pointers(t->layout))
		return at;
	return t->gofunc ? t->gofunc + at : 0;
}

const uint8_t *pclntab_inline_entry(const struct pclntab *t, uint64_t tree, int32_t i)
{
	return tree && i >= 0 ? elf_bytes(&t->image, tree + (uint64_t)i * t->layout->inline_size,
					  t->layout->inline_size)
			      : NULL;
}

int32_t pclntab_value_at(const struct pclntab *t, struct func_record f, uint8_t field,
			uint64_t off)
{
	uint32_t table = elf_u32(f.data + field);
	struct span s = span_from(t->pcs, table);

	return table ? pcvalue_at(s.data, s.size, t->quantum, off) : -1;
}
