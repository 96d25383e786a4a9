/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pointers: a slice of pointers in the memory of the process (runtime.allgs, runtime.allp), to
 * which the program appends while the snapshot reads it. Append makes a longer array, and the
 * runtime uses the memory of the old one again. An array counts only if it was the array of the
 * slice from the begin of the read to its end.
 */
#ifndef GOTAP_LIVE_POINTERS_H
#define GOTAP_LIVE_POINTERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "live/process.h"
#include "live/stop_request.h"

/* A zeroed struct is empty. */
struct pointers {
	uint64_t *at;
	size_t n;
};

/*
 * Returns the most elements that a list can have in a program with @size bytes of memory
 * (memory_size()), if each takes at least @bytes_each; never more than @max.
 */
size_t pointers_room(uint64_t size, size_t bytes_each, size_t max);
/*
 * Reads the slice with its header at @root, at most @max elements; errors call it @name. The caller
 * frees @ret by pointers_free(), also after an error. -EINVAL: the slice claims to be longer;
 * -EAGAIN: it changed during each of several attempts; other errors as memory_error().
 */
int pointers_read(struct pointers *ret, const struct process *proc, uint64_t root, size_t max,
		  const char *name, const struct stop_request *stop, struct error *err);
/*
 * Sorts @p, in time proportional to its length, and keeps each address once. Drops elements that
 * are no address of a process: append has made room for them but not stored them yet. The order is
 * undefined if @stop asks to stop.
 */
void pointers_sort(struct pointers *p, const struct stop_request *stop);
void pointers_free(struct pointers *p);

#endif
