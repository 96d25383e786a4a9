// SPDX-License-Identifier: Apache-2.0
/* pclntab_source: see pclntab_source.h. In: addresses. Out: the table's frames. */
#include "symbol/pclntab_source.h"

#include <stdlib.h>

#include "base/vec.h"

struct pclntab_source {
	struct source source;
	const struct pclntab *table;
};

static size_t pclntab_source_expand(struct source *src, uint64_t pc, struct source_frame *out)
{
	return pclntab_expand(((struct pclntab_source *)src)->table, pc, out);
}

static void pclntab_source_free(struct source *src)
{
	free(src);
}

static const struct source_ops pclntab_source_ops = {
	.name = "pclntab",
	.expand = pclntab_source_expand,
	.free = pclntab_source_free,
};

struct source *pclntab_source_new(const struct pclntab *table)
{
	struct pclntab_source *s = xcalloc(1, sizeof(*s));

	s->source.ops = &pclntab_source_ops;
	s->table = table;
	return &s->source;
}
