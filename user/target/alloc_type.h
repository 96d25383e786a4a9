/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_type: the type of an allocation by its stack. Go code calls runtime.newobject, makeslice,
 * growslice and others with the type as an argument, which is nearly always a constant of the
 * program: an instruction before the call loads its address. In: the return addresses of an
 * allocation, leaf first. Out: the name of the type, as package reflect prints it. The type stays
 * unknown where it is a variable (reflect, generic functions), or if none is passed.
 */
#ifndef GOTAP_TARGET_ALLOC_TYPE_H
#define GOTAP_TARGET_ALLOC_TYPE_H

#include <stddef.h>
#include <stdint.h>

#include "target/gobin.h"

struct alloc_types {
	const struct gobin *b;
	uint64_t bias;		/* of the process: load address minus link-time address */
};

/*
 * Puts the name of the type that the allocation with the @n return addresses @pcs made into @name,
 * of @room bytes, and returns its length, which is less than @room; 0: not known. @types: a struct
 * alloc_types.
 */
size_t alloc_type_name(const void *types, const uint64_t *pcs, size_t n, char *name, size_t room);

/*
 * Each architecture implements it: the constant address that argument @arg, from 0 on, of the call
 * at @call in @fn has. 0: it is no such constant, or that cannot be told.
 */
uint64_t code_constant_argument(const struct gobin *b, const struct gobin_func *fn, uint64_t call,
				unsigned int arg);

#endif
