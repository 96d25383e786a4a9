/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buckets: a list of buckets of runtime/mprof.go in the memory of a process, which may be hostile.
 * Out: records with their stacks. heap.c calls it; counts that may be torn are heap.c's part.
 */
#ifndef GOTAP_HEAP_BUCKETS_H
#define GOTAP_HEAP_BUCKETS_H

#include "heap/heap.h"
#include "heap/window.h"

enum {
	BUCKET_HEADER = 48,	/* next, allnext, typ, hash, size, nstk */
	BUCKET_DEPTH = 1024,	/* frames since Go 1.23 (maxProfStackDepth); 32 before */
	BUCKET_COUNTS = 16,	/* words of the longest record: memRecord up to Go 1.26 */
	/* more than any program has: each takes a place in its code */
	BUCKETS_MAX = 4 << 20,
};

/* Words of a record: of a memRecord of 1.@minor, and of a blockRecord. */
unsigned int bucket_words(enum heap_kind kind, int minor);
/*
 * The windows that one look at a list of @opts may read. @bytes: memory that the process has
 * (memory_size(), 0: not known), which bounds the list.
 */
uint64_t buckets_windows(const struct heap_opts *opts, uint64_t bytes);
/* The hash that runtime.stkbucket() gives to a bucket. */
uint64_t bucket_hash(const uint64_t *pcs, size_t n, uint64_t size);

/*
 * Walks the list from @head on. Adds a record without counts for each sound bucket to @ret; those
 * that are not are counted. @counts gets bucket_words() words for each record, as they were at some
 * moment of the walk. @bytes: as above. @windows are new.
 */
void buckets_walk(struct heap_profile *ret, const struct heap_opts *opts, uint64_t head,
		  uint64_t bytes, struct windows *windows, struct vec *counts);

#endif
