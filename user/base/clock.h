/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock: the time of records, and of all values that gotap compares with them: the machine's
 * CLOCK_MONOTONIC, as BPF programs read it. In a time namespace clock_gettime(2) adds an offset,
 * which this module subtracts. The time namespace of the traced program does not matter, since
 * gotap reads no time from its memory.
 */
#ifndef GOTAP_BASE_CLOCK_H
#define GOTAP_BASE_CLOCK_H

#include <stdint.h>

/* Returns ns. Not for timeouts: the kernel compares them with its own clock_gettime(2). */
uint64_t now_ns(void);
/* CLOCK_REALTIME in ns. */
uint64_t wall_ns(void);
/*
 * Returns CLOCK_REALTIME at the instant @time of now_ns(), ns. The two clocks are read one after
 * the other, several times if the thread loses its CPU in between.
 */
uint64_t wall_at(uint64_t time);
/* Returns the CPU time of all threads of this process, ns. */
uint64_t clock_own_cpu_ns(void);
/* Sleeps for @ns, which must be less than a second. */
void sleep_ns(long ns);

#endif
