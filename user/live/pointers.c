// SPDX-License-Identifier: Apache-2.0
/* pointers: see pointers.h. */
#include "live/pointers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "live/memory.h"
#include "symbol/goarch.h"

enum { TRIES = 20 };	/* attempts to read a list that grows meanwhile */

/*
 * allgadd() (runtime/proc.go) stores capacity, address and length of the header in that order. If
 * the header has the same address before and after the array was read, the array was that of the
 * list all the time, and the length is one that the list has had. -EAGAIN if the address has
 * changed.
 */
static int read_once(struct pointers *ret, const struct process *proc, uint64_t root, size_t max,
		     const char *name, const struct stop_request *stop, struct error *err)
{
	uint64_t header[3], again[3];
	int why;

	if (!memory_read(proc, root, header, sizeof(header)))
		return memory_error(proc, stop, "the memory", err);
	if (header[1] > header[2])
		return -EAGAIN;
	if (header[1] > max)
		return error_set(err, -EINVAL,
				 "%s of process %d makes no sense: %llu of them have no "
				 "room in its memory",
				 name, proc->pid, (unsigned long long)header[1]);
	ret->at = xrealloc(ret->at, header[1] + 1, sizeof(*ret->at));
	ret->n = header[1];
	why = !ret->n || memory_read(proc, header[0], ret->at, ret->n * sizeof(*ret->at)) ? 0 :
											    errno;
	if (!memory_read(proc, root, again, sizeof(again)))
		return memory_error(proc, stop, why ? name : "the memory", err);
	if (again[0] != header[0])
		return -EAGAIN;
	errno = why;
	return why ? memory_error(proc, stop, name, err) : 0;
}

size_t pointers_room(uint64_t size, size_t bytes_each, size_t max)
{
	uint64_t room = size / bytes_each;

	return size && room < max ? room : max;
}

int pointers_read(struct pointers *ret, const struct process *proc, uint64_t root, size_t max,
		  const char *name, const struct stop_request *stop, struct error *err)
{
	int i, r = -EAGAIN;

	*ret = (struct pointers){0};
	for (i = 0; i < TRIES && r == -EAGAIN; i++)
		r = read_once(ret, proc, root, max, name, stop, err);
	if (r == -EAGAIN)
		r = error_set(err, r, "%s of process %d changes faster than it can be read", name,
			      proc->pid);
	return r;
}

/*
 * Sorts ascending, in time proportional to @n. @other has room for as many. The result is in @at.
 */
static void sort_addresses(uint64_t *at, uint64_t *other, size_t n, const struct stop_request *stop)
{
	enum { BITS = 12, DIGITS = 1 << BITS, PASSES = 4 };	/* 48 bits */
	_cleanup_free_ size_t *starts = xcalloc(DIGITS, sizeof(*starts));
	size_t i, sum, k;
	unsigned int pass;

	for (pass = 0; pass < PASSES && !stop_requested(stop); pass++) {
		uint64_t *from = pass % 2 ? other : at, *to = pass % 2 ? at : other;

		memset(starts, 0, DIGITS * sizeof(*starts));
		for (i = 0; i < n; i++)
			starts[from[i] >> pass * BITS & (DIGITS - 1)]++;
		for (i = sum = 0; i < DIGITS; i++) {
			k = starts[i];
			starts[i] = sum;
			sum += k;
		}
		for (i = 0; i < n; i++)
			to[starts[from[i] >> pass * BITS & (DIGITS - 1)]++] = from[i];
	}
}

static bool pointers_is_address(uint64_t v)
{
	return v && v < GOARCH_ADDRESS_END;
}

void pointers_sort(struct pointers *p, const struct stop_request *stop)
{
	uint64_t *other;
	size_t i, n = 0;

	for (i = 0; i < p->n; i++)
		if (pointers_is_address(p->at[i]))
			p->at[n++] = p->at[i];
	p->n = n;
	other = xcalloc(n + 1, sizeof(*other));
	sort_addresses(p->at, other, n, stop);
	free(other);
	for (i = n = 0; i < p->n; i++)
		if (!n || p->at[i] != p->at[n - 1])
			p->at[n++] = p->at[i];
	p->n = n;
}

void pointers_free(struct pointers *p)
{
	free(p->at);
	*p = (struct pointers){0};
}
