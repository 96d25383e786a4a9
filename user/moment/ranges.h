/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranges: the writable private mappings of a process, and windows into the image for them. Called
 * by the taker. Memory of devices and mappings that are shared with other processes have no
 * pointers that the collector of Go follows, and are left out; so is memory that is only read,
 * which is in its file, but for what the loader has written there before (PT_GNU_RELRO of each file
 * that is mapped with its headers): constants of position-independent programs.
 */
#ifndef GOTAP_MOMENT_RANGES_H
#define GOTAP_MOMENT_RANGES_H

#include "base/vec.h"
#include "live/process.h"
#include "moment/moment.h"

struct window {
	struct moment_range range;
	char *at; /* where the taker has mapped this part of the image */
};

struct ranges {
	struct vec all; /* struct window, ascending */
	struct vec relro; /* struct moment_range, ascending */
	struct buf text;
};

/*
 * Finds the constants that the loader has written. They do not change: once is enough, before the
 * first ranges_update(), and not in a stop. -errno as ranges_update().
 */
int ranges_find_constants(struct ranges *r, const struct process *p);
/*
 * Reads the mappings, and maps windows for those that are new. -errno; -ESRCH: the process has
 * ended.
 */
int ranges_update(struct ranges *r, const struct process *p, int memory);
/* Takes what the process has no mapping of any more out of the image. */
void ranges_drop_rest(const struct ranges *r, int memory);
/*
 * Returns the address of @addr's byte in its window, and in *@left the bytes from there to the end
 * of the window; NULL: there is none.
 */
char *ranges_window(const struct ranges *r, uint64_t addr, uint64_t *left);
/* Returns whether @addr is in a mapping of a file. */
bool ranges_is_file(const struct ranges *r, uint64_t addr);

#endif
