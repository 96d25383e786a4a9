// SPDX-License-Identifier: Apache-2.0
/* pclntab_stackmap: see pclntab_stackmap.h. */
#include "symbol/pclntab_stackmap.h"

#include "symbol/pclntab_table.h"
#include "symbol/pcvalue.h"

/* internal/abi/symtab.go, the same from 1.15 to 1.27. The inline tree comes after stack objects. */
enum { PCDATA_STACK_MAP = 1, FUNCDATA_ARGS = 0, FUNCDATA_LOCALS = 1 };

static uint64_t stackmap_address(const struct pclntab *t, struct func_record f, uint8_t i)
{
	uint64_t at;

	if (!pclntab_funcdata(t, f, i, &at))
		return 0;
	return layout_has_pointers(t->layout) ? at : t->gofunc + at;
}

bool pclntab_stackmap(const struct pclntab *t, uint64_t addr, struct pclntab_stackmap *ret)
{
	struct pclntab_func fn;
	struct func_record f;
	struct span table;

	if (!pclntab_func_at(t, addr, &fn) || (!layout_has_pointers(t->layout) && !t->gofunc))
		return false;
	f = pclntab_record(t, fn.index);
	if (!f.data)
		return false;
	table = pclntab_pcdata(t, f, PCDATA_STACK_MAP);
	*ret = (struct pclntab_stackmap){
		.name = fn.name,
		.entry = fn.entry,
		.sp_delta = pclntab_sp_delta(t, &fn, addr),
		.index = table.size ?
			pcvalue_at(table.data, table.size, t->quantum, addr - fn.entry) : -1,
		.args = stackmap_address(t, f, FUNCDATA_ARGS),
		.locals = stackmap_address(t, f, FUNCDATA_LOCALS),
		.objects = stackmap_address(t, f, t->layout->inline_funcdata - 1),
	};
	return true;
}
