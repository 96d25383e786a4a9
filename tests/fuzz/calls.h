/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls: the fuzzers of libgotap take from their input which function to call next, and with which arguments. Here are
 * the functions that read such an input, and those that keep the files that libgotap writes.
 */
#ifndef GOTAP_TESTS_FUZZ_CALLS_H
#define GOTAP_TESTS_FUZZ_CALLS_H

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "gotap/event.h"

struct tape {
	const uint8_t *p, *end;
};

static inline uint8_t byte(struct tape *t)
{
	return t->p < t->end ? *t->p++ : 0;
}

/* Small numbers, and now and then one of any size. */
static inline uint64_t number(struct tape *t)
{
	uint64_t v = byte(t);

	if (v == 0xff)
		return GOTAP_NONE;
	if (v < 0xf0 || t->end - t->p < 8)
		return v;
	memcpy(&v, t->p, sizeof(v));
	t->p += sizeof(v);
	return v;
}

/* A file of memory that was written, mapped; NULL: it is empty. */
static inline void *bytes_of(int fd, size_t *n)
{
	void *data;

	*n = (size_t)lseek(fd, 0, SEEK_END);
	data = *n ? mmap(NULL, *n, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
	must(data != MAP_FAILED, "the file can be mapped");
	return data;
}

#endif
