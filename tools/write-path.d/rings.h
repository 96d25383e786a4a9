/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rings: the part of the load before the chunk: records that code in a program has written into the
 * rings of `--attach inline`. tools/bench links it; without it, as in tools/write-path, the records
 * come in a chunk at once.
 */
#ifndef GOTAP_TOOLS_RINGS_H
#define GOTAP_TOOLS_RINGS_H

#include "stream/chunk.h"

/* Threads 0 to @threads - 1 have the ids from @tid on. */
void rings_begin(uint32_t tid, unsigned int threads) __attribute__((weak));
/* Writes a record as code in the program does. Its time is a value of the counter that counts ns. */
void rings_put(unsigned int cpu, const void *record, size_t n) __attribute__((weak));
/* A round of the drain, without the records of user space: rings, checks, budget. */
void rings_drain(struct chunk *c) __attribute__((weak));

#endif
