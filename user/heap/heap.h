/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap: the heap, block and mutex profiles that the runtime of a process keeps, read from its
 * memory while it runs (runtime/mprof.go, Go 1.15 to 1.27). In: an open process, the addresses of
 * the runtime's variables. Out: the records that runtime.MemProfile, BlockProfile and MutexProfile
 * would return at this moment. Nothing is written, and no thread is stopped. Called by `gotap
 * heap`.
 *
 * A bucket is a place of allocation: its stack and the size of the objects never change, and it is
 * never freed. Its memRecord has the published counts (active), and those of three cycles of the
 * collector to come (future). MemProfile returns active + future[cycle % 3], which change only when
 * the runtime flushes a cycle, once in a collection. If both looks at these words find the same,
 * and the cycle is the same before and after, they are the counts of one moment; if not, all is
 * read again.
 */
#ifndef GOTAP_HEAP_HEAP_H
#define GOTAP_HEAP_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"
#include "live/process.h"
#include "live/stop_request.h"
#include "target/profile_vars.h"

/* runtime/mprof.go: bucketType */
enum heap_kind { HEAP_MEMORY = 1, HEAP_BLOCK = 2, HEAP_MUTEX = 3 };

/* Why a bucket is not in the profile. */
enum heap_refusal {
	HEAP_BAD_KIND,		/* it is of another kind, or its size is impossible */
	HEAP_BAD_DEPTH,		/* it has more frames than the runtime stores */
	HEAP_BAD_HASH,		/* its hash is not that of its stack and size */
	HEAP_BAD_PC,		/* an address of its stack is in no code of the program */
	HEAP_BAD_COUNTS,	/* more was freed than allocated, or the bytes do not fit */
	HEAP_UNREADABLE,
	HEAP_REFUSALS,
};

/* Why the list ends before its end. */
enum heap_cut {
	HEAP_WHOLE,
	HEAP_CUT_LOOP,		/* a bucket leads to an earlier one */
	HEAP_CUT_UNREADABLE,	/* a bucket cannot be read */
	HEAP_CUT_LONG,		/* it is longer than the memory of the program */
};

struct heap_counts {
	uint64_t allocs, frees;
};

struct heap_record {
	uint64_t bucket;		/* its address: the same place has the same one for ever */
	uint64_t size;			/* of an object; 0 in block and mutex profiles */
	/* its stack, leaf first: pcs[first] to pcs[first + n - 1] */
	size_t first;
	uint32_t n;
	/*
	 * HEAP_MEMORY: as MemProfile has them, and with all that happened since: allocations up to
	 * now, frees up to the last sweep
	 */
	struct heap_counts published, now;
	double count;			/* HEAP_BLOCK, HEAP_MUTEX: events, and ... */
	int64_t cycles;			/* ... how long they took, in cputicks() */
};

struct heap_profile {
	struct vec records;		/* struct heap_record, the newest bucket first */
	struct vec pcs;			/* uint64_t, return addresses */
	uint64_t rate;			/* MemProfileRate; 0: off, or not known */
	uint64_t block_rate;		/* cputicks(); 0: off, or not known */
	uint64_t mutex_rate;		/* one of so many is sampled; 0: off, or not known */
	bool has_block_rate, has_mutex_rate;
	uint32_t cycle;			/* of the collector, by the profile's count */
	/*
	 * no collection has published counts yet: those of MemProfile are then the sums of all
	 */
	bool unpublished;
	/* the collector moved during each attempt: counts may be of two moments */
	bool moved;
	unsigned int attempts;
	enum heap_cut cut;
	uint64_t refused[HEAP_REFUSALS];
};

/* Code of the process, in memory: [start, end). */
struct heap_text {
	uint64_t start, end;
};

enum { HEAP_WINDOW = 256 << 10, HEAP_WINDOWS = 256 };

struct heap_opts {
	const struct process *proc;
	const struct profile_vars *vars;	/* link-time addresses */
	int minor;			/* release 1.@minor */
	enum heap_kind kind;
	const struct heap_text *text;
	size_t ntext;
	/* bytes of buckets that are read at most, the newest first; 0: as many as there are */
	uint64_t most;
	/* windows of HEAP_WINDOW bytes that the reader holds at a time; 0: HEAP_WINDOWS */
	unsigned int windows;
	const struct stop_request *stop;	/* may be NULL */
};

/*
 * Reads the profile of @opts->kind. The caller frees @ret with heap_free(), also after an error.
 * -ENOENT: the runtime's variables were not found; other errors as memory_error().
 */
int heap_read(struct heap_profile *ret, const struct heap_opts *opts, struct error *err);
/* Stores the collector's cycle, as heap_profile.cycle. False: it cannot be read. */
bool heap_read_cycle(const struct heap_opts *opts, uint32_t *ret);
void heap_free(struct heap_profile *p);
/* Returns the number of buckets that were refused. */
uint64_t heap_refused(const struct heap_profile *p);
/* Words for enum heap_refusal and heap_cut. */
const char *heap_refusal_text(enum heap_refusal why);
const char *heap_cut_text(enum heap_cut why);

/*
 * Returns the number of objects of @size bytes for which a sampled one stands, as runtime/pprof has
 * it (scaleHeapSample): one in @rate bytes is sampled.
 */
double heap_scale(uint64_t size, uint64_t rate);
/* @count sampled objects of @size bytes, which may be negative, scaled by heap_scale(). */
struct heap_scaled {
	int64_t objects, bytes;
};
struct heap_scaled heap_scaled(int64_t count, uint64_t size, double scale);

#endif
