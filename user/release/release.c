// SPDX-License-Identifier: Apache-2.0
/* release: see release.h. */
#include "release/release.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum how { UNKNOWN, READ, BUILT };

static const enum how releases[] = {
#define RELEASE(minor, how) [minor] = how,
#define TRAIT(...)
#include "release/release.def"
#undef RELEASE
#undef TRAIT
};

_Static_assert(COUNT(releases) == RELEASE_NEWEST + 1, "release.def: no row of RELEASE_NEWEST");

static const struct trait {
	int since, until;
} traits[] = {
#define NEWEST RELEASE_NEWEST
#define RELEASE(minor, how)
#define TRAIT(name, since, until) { since, until },
#include "release/release.def"
#undef NEWEST
#undef RELEASE
#undef TRAIT
};

/* --- which release --- */

int release_of_version(const char *version)
{
	const char *s = strstr(version, "go1.");
	int minor = 0;

	for (s = s ? s + 4 : ""; isdigit((unsigned char)*s) && minor < 1000; s++)
		minor = minor * 10 + (*s - '0');
	return minor;
}

bool release_is_known(int minor)
{
	return minor >= 0 && minor < (int)COUNT(releases) && releases[minor];
}

bool release_is_tested(int minor)
{
	return release_is_known(minor) && releases[minor] == BUILT;
}

int release_nearest(int minor)
{
	int i = minor > RELEASE_NEWEST ? RELEASE_NEWEST : minor;

	while (i >= RELEASE_OLDEST && !release_is_known(i))
		i--;
	return i < RELEASE_OLDEST ? RELEASE_OLDEST : i;
}

bool release_in(int minor, int since, int until)
{
	if (minor > RELEASE_NEWEST)
		minor = RELEASE_NEWEST;
	return since <= minor && minor <= until;
}

bool release_has(int minor, enum release_trait trait)
{
	return release_in(minor, traits[trait].since, traits[trait].until);
}

bool release_assumed(const char *version, int minor, char text[RELEASE_TEXT])
{
	int own = release_of_version(version), like = release_nearest(minor);

	*text = 0;
	if (own == minor && release_is_known(minor))
		return false;
	snprintf(text, RELEASE_TEXT,
		 "Go 1.%d: where probes sit, numbers of wait reasons and of stopped "
		 "worlds, leaf frames that stacks leave out",
		 like);
	return true;
}

/* --- reasons --- */

enum wait_name {
	WAIT_NONE,
#define WAIT_REASON(name, ...) WAIT_##name,
#include "release/waitreason.def"
#undef WAIT_REASON
};

static const char *const block_reasons[] = {
#define WAIT_REASON(name, reason, text) [WAIT_##name] = reason,
#include "release/waitreason.def"
#undef WAIT_REASON
};

static const char *const wait_names[] = {
#define WAIT_REASON(name, reason, text) [WAIT_##name] = #name,
#include "release/waitreason.def"
#undef WAIT_REASON
};

static const char *const wait_texts[] = {
#define WAIT_REASON(name, reason, text) [WAIT_##name] = text,
#include "release/waitreason.def"
#undef WAIT_REASON
};

/* After the names of the wait reasons, which this table uses. */
#include "release/reason_table.h"

_Static_assert(COUNT(wait_by_minor) == RELEASE_NEWEST + 1 &&
		       COUNT(stw_by_minor) == RELEASE_NEWEST + 1,
	       "reason_table.h: run tools/gen-offsets");

/*
 * WAIT_NONE: the release has no such number. A READ release has the numbers of the release before
 * it.
 */
static enum wait_name release_wait_of(int minor, unsigned int wr)
{
	int row = release_nearest(minor);

	while (row > RELEASE_OLDEST && !wait_by_minor[row].n)
		row--;
	return wr < wait_by_minor[row].n ? wait_by_minor[row].of[wr] : WAIT_NONE;
}

const char *release_wait_name(int minor, unsigned int wr)
{
	return wait_names[release_wait_of(minor, wr)];
}

const char *release_wait_text(int minor, unsigned int wr)
{
	return wait_texts[release_wait_of(minor, wr)];
}

const char *release_block_reason(int minor, unsigned int wr)
{
	const char *reason = block_reasons[release_wait_of(minor, wr)];

	return reason ? reason : "unspecified";
}

static const struct release_object {
	enum wait_how how;
	enum wait_kind kind;
	unsigned int offset;
} wait_objects[] = {
#define WAIT_OBJECT(name, how, kind, offset) \
	[WAIT_##name] = { WAIT_HOW_##how, WAIT_##kind, offset },
#include "release/waitobject.def"
#undef WAIT_OBJECT
};

static struct release_object release_object_of(int minor, unsigned int wr)
{
	enum wait_name name = release_wait_of(minor, wr);

	return name < COUNT(wait_objects) ? wait_objects[name] : (struct release_object){0};
}

enum wait_kind release_wait_kind(int minor, unsigned int wr)
{
	return release_object_of(minor, wr).kind;
}

enum wait_how release_wait_how(int minor, unsigned int wr)
{
	enum wait_how how = release_object_of(minor, wr).how;

	if (how == WAIT_HOW_SEMA && !release_has(minor, RELEASE_SEMA_IN_G))
		return WAIT_HOW_SEMA_SLOT;
	return how;
}

unsigned int release_wait_offset(int minor, unsigned int wr)
{
	return release_object_of(minor, wr).offset;
}

bool release_wait_is_running(int minor, unsigned int wr)
{
	enum wait_name name = release_wait_of(minor, wr);

	return name && !block_reasons[name];
}

bool release_wait_is_worker(int minor, unsigned int wr)
{
	enum wait_name name = release_wait_of(minor, wr);

	return name == WAIT_GCWorkerIdle || name == WAIT_GCWorkerActive;
}

bool release_is_system_start(const char *start)
{
	return !strncmp(start, "runtime.", 8) && strcmp(start, "runtime.main") &&
	       strcmp(start, "runtime.corostart") && strcmp(start, "runtime.handleAsyncEvent");
}

/*
 * The reason from the first 8 bytes of m.preemptoff: up to Go 1.20 the runtime has no stwReason.
 * The collector's own reasons are "" and "gcing".
 */
static const char *old_stw_reason(uint64_t start)
{
	static const struct {
		char start[9];
		const char *reason;
	} reasons[] = {
		{ "", "GC sweep termination" },
		{ "gcing", "GC mark termination" },
		{ "write he", "write heap dump" },
		{ "profile", "goroutine profile" },
		{ "profile ", "goroutine profile cleanup" },
		{ "stack tr", "all goroutines stack trace" },
		{ "read mem", "read mem stats" },
		{ "doAllThr", "AllThreadsSyscall" },
		{ "GOMAXPRO", "GOMAXPROCS" },
		{ "start tr", "start trace" },
		{ "stop tra", "stop trace" },
	};
	size_t i;

	for (i = 0; i < COUNT(reasons); i++)
		if (!memcmp(reasons[i].start, &start, sizeof(start)))
			return reasons[i].reason;
	return "unknown";
}

const char *release_stw_reason(int minor, unsigned int reason, uint64_t old)
{
	int row = release_nearest(minor);

	if (release_has(minor, RELEASE_STW_REASON_IN_TEXT))
		return old_stw_reason(old);
	return reason < stw_by_minor[row].n ? stw_by_minor[row].of[reason] : "unknown";
}

unsigned int release_stack_skip(int minor, enum stack_class class, unsigned int recorded)
{
	switch (class) {
	case STACK_PARK:	/* the argument traceskip of gopark */
	case STACK_READY:	/* the argument traceskip of ready */
	case STACK_USER:	/* stack(3) skips the wrapper in runtime/trace, stack(2) does not */
		return recorded;
	case STACK_STOP:	/* GoStop: tl.stack(1) up to 1.24, tl.stack(0) since 1.25 */
		return release_has(minor, RELEASE_STOP_SKIPS_LEAF) ? 1 : 0;
	case STACK_SYSCALL:
		/*
		 * GoSysCall: tl.stack(4) in 1.22; one of the 4 frames is systemstack_switch, which
		 * gotap's walk does not have. Since 1.23 from g.syscallpc with tl.stack(1), as up
		 * to 1.20 (gentraceback, skip 1).
		 */
		return release_has(minor, RELEASE_SYSCALL_SKIPS_THREE) ? 3 : 1;
	case STACK_CREATE:	/* GoCreate skips systemstack_switch and newproc */
	case STACK_STW:
		return 2;
	case STACK_GC:		/* skips gcStart, on the goroutine's own stack */
	case STACK_PROCS:	/* skips systemstack_switch */
	case STACK_ASSIST:
		return 1;
	case STACK_CPU:		/* the interrupted instruction itself is the leaf */
	/* a probe's walk begins at the caller of sweep; the runtime's stack begins with sweep */
	case STACK_SWEEP:
	case STACK_END:
	case STACK_PREEMPT:	/* preemptPark: GoPark(traceBlockPreempted, 0) */
	case STACK_SNAPSHOT:	/* traceAdvance: traceStack(0, gp) */
	case STACK_WAKE:	/* injectglist: GoUnpark(gp, 0) */
	case STACK_ALLOC:	/* runtime/pprof skips by name, as frames/stacks.c does */
		return 0;
	}
	return 0;
}

unsigned int release_special_profile(int minor)
{
	if (release_has(minor, RELEASE_SPECIAL_PROFILE_2))
		return 2;
	return release_has(minor, RELEASE_SPECIAL_PROFILE_3) ? 3 : 4;
}

/*
 * The functions between the one that wakes a goroutine and ready(). Up to Go 1.21 the runtime
 * leaves them out by the traceskip that they pass on: send and recv pass 3 from chansend and
 * chanrecv but 2 from selectgo, netpollgoready passes 3, readyWithTime 4 from notifyList and 5 +
 * skipframes from semrelease1. The callers of semrelease1 in package sync count their own slow path
 * as one frame.
 */
static const char *const wakers[] = {
	"runtime.systemstack_switch", "runtime.goready", "runtime.send", "runtime.recv",
	"runtime.chansend", "runtime.chanrecv", "runtime.closechan", "runtime.netpollgoready",
	"runtime.readyWithTime",
	"runtime.semrelease1", "runtime.semrelease", "sync.runtime_Semrelease",
	"sync.(*Mutex).unlockSlow", "sync.(*RWMutex).rUnlockSlow",
	"sync.runtime_notifyListNotifyOne", "sync.runtime_notifyListNotifyAll",
};

bool release_skips_by_name(int minor, enum stack_class class)
{
	return class == STACK_READY && release_has(minor, RELEASE_READY_SKIP_BY_NAME);
}

bool release_is_waker(const char *func)
{
	size_t i;

	for (i = 0; i < COUNT(wakers); i++)
		if (!strcmp(func, wakers[i]))
			return true;
	return false;
}
