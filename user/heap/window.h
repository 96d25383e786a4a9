/* SPDX-License-Identifier: Apache-2.0 */
/*
 * window: reads a list in the memory of a process, whose items lie near one another, in few system
 * calls: 256 KB around an item at a time, which later items are taken from. The runtime allocates
 * buckets of profiles one after the other from chunks of memory that it never frees
 * (persistentalloc). An item of a hostile program can lie anywhere: the number of windows is
 * bounded, and after that each item is read alone. Called by buckets.c.
 */
#ifndef GOTAP_HEAP_WINDOW_H
#define GOTAP_HEAP_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/process.h"

enum { WINDOW_SHIFT = 18, WINDOW_BYTES = 1 << WINDOW_SHIFT };

struct windows;

/*
 * @most: windows that may be read; @held: that are held in memory at a time, at least 1. The caller
 * frees the result with windows_free().
 */
struct windows *windows_new(const struct process *proc, uint64_t most, unsigned int held);
/*
 * What was read so far is read again when it is asked for; the number of windows that may be read
 * begins anew.
 */
void windows_forget(struct windows *w, uint64_t most);
/* Accepts NULL. */
void windows_free(struct windows *w);
/*
 * Stores @n bytes at @addr, as they were at some moment since windows_new(), or the last
 * windows_forget(). False if they cannot
 * be read.
 */
bool windows_read(struct windows *w, uint64_t addr, void *to, size_t n);

#endif
