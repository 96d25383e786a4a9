/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pointers: a slice of pointers in the memory of the process, which the program appends to while
 * the snapshot reads it (runtime.allgs, runtime.allp). Append makes a longer array, and the
 * collector gives the memory of the old one to something else: an array counts only if it was that
 * of the slice from the begin of the read to its end.
 */
#ifndef GOTAP_LIVE_POINTERS_H
#define GOTAP_LIVE_POINTERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "live/process.h"
#include "live/stop_request.h"

/* Zeroed is empty. */
struct pointers {
	uint64_t *at;
	size_t n;
};

/*
 * The most elements that a list can have, each of which takes @bytes_each of the program's memory,
 * @size (memory_size()); never more than @max.
 */
size_t pointers_room(uint64_t size, size_t bytes_each, size_t max);
/*
 * Reads the slice with its header at @root and @max elements at most; errors call it
 * @name. The caller frees @ret, also after an error. -EINVAL: it claims to be longer; -EAGAIN: it
 * changed during each of several attempts; else as memory_error().
 */
int pointers_read(struct pointers *ret, const struct process *proc, uint64_t root, size_t max,
		  const char *name, const struct stop_request *stop, struct error *err);
/*
 * Sorts @p, in time that is proportional to its length, and keeps each address once. Drops elements
 * that are no address of a process: append has made room for them but not stored them yet. In no
 * order if @stop asks to stop.
 */
void pointers_sort(struct pointers *p, const struct stop_request *stop);
void pointers_free(struct pointers *p);

#endif
