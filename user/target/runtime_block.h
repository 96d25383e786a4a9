/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime_block: where Go's package runtime lies in a program. In: the program's function table.
 * Out: a range of functions. Go's linker writes package after package, and all functions that gotap
 * probes are in this one, also those that belong by name to other packages (runtime/trace.userLog).
 * The package has 5,000 functions of up to 150,000, and half a megabyte of code of up to 50.
 */
#ifndef GOTAP_TARGET_RUNTIME_BLOCK_H
#define GOTAP_TARGET_RUNTIME_BLOCK_H

#include "symbol/pclntab.h"

struct runtime_block {
	size_t first, end;		/* indices in the table */
	uint64_t start_addr, end_addr;
};

/*
 * Fills @ret. False if the package is not in one piece (cmd/link -randlayout); the whole text may
 * then hold its functions.
 */
bool runtime_block_find(const struct pclntab *t, struct runtime_block *ret);

#endif
