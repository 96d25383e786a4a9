/* SPDX-License-Identifier: Apache-2.0 */
/*
 * end_stack: the stack of a program's death (STACK_END), with the callers that frame pointers skip.
 */
#ifndef GOTAP_FRAMES_END_STACK_H
#define GOTAP_FRAMES_END_STACK_H

#include <stddef.h>

#include "record.h"
#include "symbol/symbol.h"

/*
 * Corrects the @n return addresses of the stack, leaf first: frame pointers skip the callers of
 * functions without a frame. @top: the word arg of the REC_PROGRAM_DIES record. Returns the new
 * number of addresses.
 */
size_t end_stack_mend(struct symbolizer *symbols, uint64_t top, uint64_t pcs[REC_MAX_FRAMES],
		      size_t n);

#endif
