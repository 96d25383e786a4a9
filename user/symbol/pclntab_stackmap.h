/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pclntab_stackmap: where the function table has the pointer bitmaps of a frame (runtime/symtab.go,
 * stkframe.getStackMap). In: an address in a function. Out: link-time addresses of its FUNCDATA and
 * the number of the bitmap there. Called by heapgraph/.
 */
#ifndef GOTAP_SYMBOL_PCLNTAB_STACKMAP_H
#define GOTAP_SYMBOL_PCLNTAB_STACKMAP_H

#include "symbol/pclntab.h"

struct pclntab_stackmap {
	const char *name;		/* linker's name of the function */
	uint64_t entry;
	int32_t sp_delta;		/* bytes between SP and the return address; -1: not known */
	int32_t index;			/* PCDATA_StackMapIndex; -1: none */
	uint64_t args, locals, objects;	/* addresses of FUNCDATA; 0: none */
};

/* False if @addr is in no function, or if the addresses of FUNCDATA are not known. */
bool pclntab_stackmap(const struct pclntab *t, uint64_t addr, struct pclntab_stackmap *ret);

#endif
