// SPDX-License-Identifier: Apache-2.0
/* runtime_block: see runtime_block.h. */
#include "target/runtime_block.h"

#include <string.h>

/* The block ends before so many functions in a row that have no name of the package. */
enum { GAP = 256 };

static bool runtime_block_is_runtime(const struct pclntab_func *f)
{
	return !strncmp(f->name, "runtime.", 8);
}

/*
 * Measures the block that function @first begins. Returns how many names of the package are in it.
 */
static size_t runtime_block_measure(const struct pclntab *t, size_t first,
				    struct runtime_block *ret)
{
	struct pclntab_func f;
	size_t i, n = 0;

	*ret = (struct runtime_block){ .first = first, .end = first };
	for (i = first; i < pclntab_funcs(t) && i < ret->end + GAP; i++) {
		if (!pclntab_func(t, i, &f) || !runtime_block_is_runtime(&f))
			continue;
		ret->end = i + 1;
		ret->end_addr = f.end;
		if (!n++)
			ret->start_addr = f.entry;
	}
	return n;
}

/*
 * A few functions with a name of the package may lie before the package, as parts of other
 * packages; the package itself has thousands.
 */
bool runtime_block_find(const struct pclntab *t, struct runtime_block *ret)
{
	enum { MANY = 1000 };
	struct pclntab_func f;
	size_t i, n;

	for (i = 0; i < pclntab_funcs(t); i++) {
		if (!pclntab_func(t, i, &f) || !runtime_block_is_runtime(&f))
			continue;
		n = runtime_block_measure(t, i, ret);
		if (n >= MANY)
			return n >= (ret->end - ret->first) / 2;
		i = ret->end;
	}
	return false;
}
