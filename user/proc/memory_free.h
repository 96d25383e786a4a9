/* SPDX-License-Identifier: Apache-2.0 */
/* memory_free: how much memory gotap can take without harm to others. */
#ifndef GOTAP_PROC_MEMORY_FREE_H
#define GOTAP_PROC_MEMORY_FREE_H

#include <stdint.h>

/*
 * Returns the bytes that the machine has available (MemAvailable), or those up to the nearest limit
 * of this process's memory cgroups, whichever is less. UINT64_MAX: neither can be read.
 */
uint64_t memory_free(void);

#endif
