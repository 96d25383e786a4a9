/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handler: which function of a stack is the handler of the request. In: the stack at which the
 * handler wrote the header of its response. A router calls handlers through few functions of its
 * own, of which this knows the names: the innermost of these called the handler. A handler that is
 * no function, but a type, has its method ServeHTTP there.
 */
#ifndef GOTAP_ASSEMBLE_HANDLER_H
#define GOTAP_ASSEMBLE_HANDLER_H

#include <stddef.h>
#include <stdint.h>

#include "trace/types.h"

/*
 * Puts the name of the handler among the @n @frames, leaf first, into @name, of @room bytes, and
 * returns its length; 0: there is none.
 */
size_t handler_of(const struct trace_frame *frames, size_t n, char *name, size_t room);
/* Likewise for the stack with @key; @stacks is a struct stacks. */
size_t handler_at(void *stacks, uint64_t key, char *name, size_t room);

#endif
