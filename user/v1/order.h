/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order: stable sorts of event indexes, shared by the stages that need one.
 */
#ifndef GOTAP_V1_ORDER_H
#define GOTAP_V1_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct v1_trace;

/* Sorts @index by the times of the events it names; equal times keep their order. */
void v1_sort_by_time(const struct v1_trace *t, uint32_t *index, size_t n);
/* Sorts @index by keys[index[i]]. */
void v1_sort_by_key(const int64_t *keys, uint32_t *index, size_t n);

#endif
