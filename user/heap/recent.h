/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recent: the heap profile of a process as it was a short time ago, for the moment at which the
 * process has none any more: the kernel kills it for want of memory. A thread reads the profile
 * from time to time and keeps the last one, and an earlier one to compare with. A flight recording
 * makes one object (cmd/record/oom.c).
 *
 * The thread looks every 200 ms at the memory that is used (proc/memory_usage.h), and reads the
 * profile
 *	10 s after the last reading, if a collection has ended since then;
 *	1 s after it, if the anonymous memory of the process has grown by an eighth, and 16 MB;
 *	at once, if that memory has grown by half and 16 MB, or if three quarters of a limit are
 *	used and it has grown by a 32nd part of the limit
 * since then; but a reading waits for 20 times the CPU time that the one before took, and for room
 * in gotap's own cgroup, which may be the process's: it must not take the last of its memory. The
 * counts of
 * struct heap_record that matter are `now`: garbage that no collection has freed yet takes memory,
 * too.
 */
#ifndef GOTAP_HEAP_RECENT_H
#define GOTAP_HEAP_RECENT_H

#include "heap/heap.h"
#include "proc/memory_usage.h"

/* Bytes of buckets that are read at most; a profile of that size takes about as much memory. */
enum { RECENT_BYTES = 32 << 20 };

struct recent;

/* A profile that was read; not @is_set: there is none. */
struct recent_profile {
	bool is_set;
	uint64_t time;			/* of the end of the reading, now_ns() */
	struct memory_usage usage;	/* just before it */
	struct heap_profile heap;
};

struct recent_result {
	/* the earlier one is 10 s older than the last one, or the first of all */
	const struct recent_profile *last, *earlier;
	struct memory_usage begin, end;	/* at the begin, and at the last look */
	/* the last look with a limit, while the process lived, and the one before it */
	struct memory_usage lived, before;
	uint64_t reads, failed;		/* readings, and those that failed */
	/* looks at which a reading was due, and gotap's own cgroup had no room for it */
	uint64_t without_room;
	uint64_t cpu_ns;		/* of all of them, with the readers of the memory */
};

/*
 * Makes the object, of @opts, which is copied; all that it points to must outlive the object.
 * Opens files, but starts no thread. @opts->kind is HEAP_MEMORY.
 */
struct recent *recent_new(const struct heap_opts *opts);
/* Starts the thread. Returns 0 or a negative errno. */
int recent_start(struct recent *r, struct error *err);
/*
 * Ends the thread, after a last look at the memory that is used. The result is valid until
 * recent_free(). Accepts one without a thread, and a second call.
 */
void recent_stop(struct recent *r, struct recent_result *ret);
/* The cgroup of the process; "": not known. */
const char *recent_cgroup(const struct recent *r);
/* Accepts NULL. */
void recent_free(struct recent *r);

#endif
