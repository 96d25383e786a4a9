/* SPDX-License-Identifier: Apache-2.0 */
/*
 * release: the known Go releases and their differences (release.def), the numbers of their
 * reasons (reason_table.h, waitreason.def), and the leaf frames that their tracers leave out.
 * Offsets of fields are in target/. target, plan, sched and
 * cmd ask here. @minor is the NN of go1.NN throughout.
 *
 * A later release than RELEASE_NEWEST is answered for as if it were that one.
 * release_assumed() says so, for the report.
 */
#ifndef GOTAP_RELEASE_RELEASE_H
#define GOTAP_RELEASE_RELEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "record.h"

enum { RELEASE_OLDEST = 15, RELEASE_NEWEST = 27 };

enum release_trait {
#define RELEASE(minor, how)
#define TRAIT(name, since, until) RELEASE_##name,
#include "release/release.def"
#undef RELEASE
#undef TRAIT
};

/* NN of "go1.NN...", also within "devel go1.27-abc"; 0 if there is none. */
int release_of_version(const char *version);
/* Is it in release.def? */
bool release_is_known(int minor);
/* Do tests run programs of its compiler? */
bool release_is_tested(int minor);
/* The last known release that is not newer than @minor; the oldest one if there is none. */
int release_nearest(int minor);
/* Is @minor, or RELEASE_NEWEST if that is older, one of @since to @until? */
bool release_in(int minor, int since, int until);
bool release_has(int minor, enum release_trait trait);

enum { RELEASE_TEXT = 192 };
/*
 * Was a program of @version, recorded as one of Go 1.@minor, taken for another release than its
 * own, or for one that gotap knows because its own is newer? Then @text names that release and
 * the traits that were assumed.
 */
bool release_assumed(const char *version, int minor, char text[RELEASE_TEXT]);

/*
 * Is @func, with its package's path, of the standard library (or the runtime)? The first element of
 * the path decides: it has no dot there.
 */
bool release_is_std(const char *func);

/* The name of runtime.waitReason @wr; NULL for a number that the release does not have. */
const char *release_wait_name(int minor, unsigned int wr);

/* As a dump of goroutines has it ("chan receive"); "" or NULL: none. */
const char *release_wait_text(int minor, unsigned int wr);

/*
 * The reason of a GoBlock for runtime.waitReason @wr; "unspecified" for a
 * number that the release does not have.
 */
const char *release_block_reason(int minor, unsigned int wr);

/* Is a g in _Gwaiting with @wr really running (worked on by the collector and the like)? */
bool release_wait_is_running(int minor, unsigned int wr);

/* Is @wr one that only the collector's workers (gcBgMarkWorker) wait with? */
bool release_wait_is_worker(int minor, unsigned int wr);

/*
 * Is a goroutine that begins with the function @start one of the runtime itself? As
 * runtime.isSystemGoroutine, for which the one that runs finalizers counts as such at all times.
 */
bool release_is_system_start(const char *start);

/*
 * The text of runtime.stwReason @reason (Go 1.21 and later), up to 1.20 that of m.preemptoff,
 * which begins with the bytes of @old.
 */
const char *release_stw_reason(int minor, unsigned int reason, uint64_t old);

/*
 * Leaf frames to leave out of a stack of @class. @recorded: the number in its record, for
 * classes where it is an argument in the runtime.
 */
unsigned int release_stack_skip(int minor, enum stack_class class, unsigned int recorded);

/*
 * Up to Go 1.21 ready() has not kept its traceskip when its stack is taken.
 * Then the leaf frames to leave out are found by their names, from goready on.
 */
bool release_skips_by_name(int minor, enum stack_class class);
bool release_is_waker(const char *func);

#endif
