/* SPDX-License-Identifier: Apache-2.0 */
/*
 * size_class: the sizes of slots in which the allocator of Go keeps objects (Go 1.16 to 1.27).
 * For --object-min.
 */
#ifndef GOTAP_PLAN_SIZE_CLASS_H
#define GOTAP_PLAN_SIZE_CLASS_H

#include <stdint.h>

/*
 * Smaller objects get no record: since Go 1.27 they have functions of their own, without a place
 * for a probe. With this limit the slots of a span also fit into one word of bits.
 */
enum { OBJECT_MIN = 1024 };

/* Returns the size of the smallest slot that holds @bytes. */
uint64_t size_class_round(uint64_t bytes);

#endif
