/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock: the time that records have, and everything that is compared with them: the
 * machine's CLOCK_MONOTONIC, as BPF programs read it. In a time namespace
 * clock_gettime(2) has an offset, which is taken away here. The namespace of the
 * traced program does not matter: no time is read from its memory.
 */
#ifndef GOTAP_BASE_CLOCK_H
#define GOTAP_BASE_CLOCK_H

#include <stdint.h>

/* ns; not for timeouts that the kernel compares with its own clock_gettime(2). */
uint64_t now_ns(void);
/* CLOCK_REALTIME, ns. */
uint64_t wall_ns(void);
/* Less than a second. */
void sleep_ns(long ns);

#endif
