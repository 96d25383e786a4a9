/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime_block: where Go's package runtime lies in a program. In: its function
 * table. Out: a range of functions. Go's linker writes package after package,
 * and all that gotap probes, also under names of other packages
 * (runtime/trace.userLog), is in this one: 5,000 functions of up to 150,000,
 * half a megabyte of code of up to 50.
 */
#ifndef GOTAP_TARGET_RUNTIME_BLOCK_H
#define GOTAP_TARGET_RUNTIME_BLOCK_H

#include "symbol/pclntab.h"

struct runtime_block {
	size_t first, end;		/* indices in the table */
	uint64_t start_addr, end_addr;
};

/* False if the package is not in one piece (cmd/link -randlayout): then it may be anywhere. */
bool runtime_block_find(const struct pclntab *t, struct runtime_block *ret);

#endif
