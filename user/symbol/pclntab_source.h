/* SPDX-License-Identifier: Apache-2.0 */
/* pclntab_source: a source of names on top of an open table (see source.h). */
#ifndef GOTAP_SYMBOL_PCLNTAB_SOURCE_H
#define GOTAP_SYMBOL_PCLNTAB_SOURCE_H

#include "symbol/pclntab.h"
#include "symbol/source.h"

/* Makes a source of @table, which is borrowed and must outlive the source. */
struct source *pclntab_source_new(const struct pclntab *table);

#endif
