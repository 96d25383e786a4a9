/* SPDX-License-Identifier: Apache-2.0 */
/*
 * release: the known Go releases and their differences (release.def), the numbers of their reasons
 * (reason_table.h, waitreason.def), and the leaf frames that their tracers leave out. Offsets of
 * fields are in target/. target, plan, sched and cmd call this module. @minor is the NN of go1.NN
 * in all functions.
 *
 * A release after RELEASE_NEWEST is treated as RELEASE_NEWEST; release_assumed() has a text about
 * this for the report.
 */
#ifndef GOTAP_RELEASE_RELEASE_H
#define GOTAP_RELEASE_RELEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "record.h"
#include "waits.h"

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
/* True if @minor is in release.def. */
bool release_is_known(int minor);
/* True if tests run programs of the release's compiler. */
bool release_is_tested(int minor);
/* The last known release that is not newer than @minor; the oldest one if there is none. */
int release_nearest(int minor);
/* True if @minor, or RELEASE_NEWEST if @minor is newer, is in [@since, @until]. */
bool release_in(int minor, int since, int until);
bool release_has(int minor, enum release_trait trait);

enum { RELEASE_TEXT = 192 };
/*
 * True if a program of @version was recorded as one of another release, Go 1.@minor, or if its
 * release is newer than RELEASE_NEWEST. Then @text names the assumed release and the assumed
 * traits.
 */
bool release_assumed(const char *version, int minor, char text[RELEASE_TEXT]);

/*
 * True if @func, a name with its package's path, belongs to the standard library, with the runtime.
 * The first element of the path decides: in the standard library it has no dot.
 */
bool release_is_std(const char *func);

/* The identifier of runtime.waitReason @wr; NULL for a number that the release does not have. */
const char *release_wait_name(int minor, unsigned int wr);

/* The text of @wr in a goroutine dump ("chan receive"); "" or NULL: none. */
const char *release_wait_text(int minor, unsigned int wr);

/*
 * The reason of a GoBlock for runtime.waitReason @wr; "unspecified" for a
 * number that the release does not have.
 */
const char *release_block_reason(int minor, unsigned int wr);

/*
 * The kind of object that a goroutine waits for with @wr; how its address is found; and what the
 * address is beyond that of the object, in bytes. WAIT_NOTHING and WAIT_HOW_NONE: none is known.
 */
enum wait_kind release_wait_kind(int minor, unsigned int wr);
enum wait_how release_wait_how(int minor, unsigned int wr);
unsigned int release_wait_offset(int minor, unsigned int wr);

/*
 * True if a g in _Gwaiting with @wr in fact runs: the collector or another part of the runtime
 * works on it.
 */
bool release_wait_is_running(int minor, unsigned int wr);

/* True if only the collector's workers (gcBgMarkWorker) wait with @wr. */
bool release_wait_is_worker(int minor, unsigned int wr);

/*
 * True if a goroutine with the start function @start belongs to the runtime, as by
 * runtime.isSystemGoroutine. gotap counts the finalizer goroutine as one of the runtime at all
 * times.
 */
bool release_is_system_start(const char *start);

/*
 * The text of runtime.stwReason @reason (Go 1.21 and later). Up to 1.20 the text for m.preemptoff,
 * of which @old has the first 8 bytes.
 */
const char *release_stw_reason(int minor, unsigned int reason, uint64_t old);

/*
 * The number of leaf frames to leave out of a stack of @class. @recorded: the number in the record,
 * for classes in which the number is an argument of a runtime function.
 */
unsigned int release_stack_skip(int minor, enum stack_class class, unsigned int recorded);

/* The value of _KindSpecialProfile: the kind of the special record of a sampled object. */
unsigned int release_special_profile(int minor);

/*
 * True where the leaf frames to leave out are found by name (release_is_waker()), from goready on:
 * up to Go 1.21 the traceskip of ready() is no longer available when its stack is taken.
 */
bool release_skips_by_name(int minor, enum stack_class class);
bool release_is_waker(const char *func);

#endif
