// SPDX-License-Identifier: Apache-2.0
/* release: see release.h. */
#include "sched/release.h"

#include <stddef.h>
#include <string.h>

/* Columns of waitreason.def. 1.20 has the numbers of 1.19 (no release between changed them). */
enum { COLUMNS = 8 };
static const int column_minor[COLUMNS] = { 19, 21, 22, 23, 24, 25, 26, 27 };

struct wait_reason {
	const char *block_reason;
	signed char number[COLUMNS];
};

enum wait_name {
#define WAIT_REASON(name, ...) WAIT_##name,
#include "sched/waitreason.def"
#undef WAIT_REASON
};

static const struct wait_reason wait_reasons[] = {
#define WAIT_REASON(name, reason, ...) [WAIT_##name] = { reason, { __VA_ARGS__ } },
#include "sched/waitreason.def"
#undef WAIT_REASON
};

/* The last column that is not newer than @minor. */
static int column_of(int minor)
{
	int c = COLUMNS - 1;

	while (c > 0 && column_minor[c] > minor)
		c--;
	return c;
}

static const struct wait_reason *find_wait_reason(int minor, unsigned int wr)
{
	int c = column_of(minor);
	size_t i;

	for (i = 0; i < sizeof(wait_reasons) / sizeof(wait_reasons[0]); i++)
		if (wait_reasons[i].number[c] == (int)wr)
			return &wait_reasons[i];
	return NULL;
}

const char *release_block_reason(int minor, unsigned int wr)
{
	const struct wait_reason *r = find_wait_reason(minor, wr);

	return r && r->block_reason ? r->block_reason : "unspecified";
}

bool release_wait_is_running(int minor, unsigned int wr)
{
	const struct wait_reason *r = find_wait_reason(minor, wr);

	return r && !r->block_reason;
}

bool release_wait_is_worker(int minor, unsigned int wr)
{
	const struct wait_reason *r = find_wait_reason(minor, wr);

	return r == &wait_reasons[WAIT_GCWorkerIdle] || r == &wait_reasons[WAIT_GCWorkerActive];
}

/* Up to Go 1.20 the reason is a text in m.preemptoff, if it is not the collector's own. */
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

	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (!memcmp(reasons[i].start, &start, sizeof(start)))
			return reasons[i].reason;
	return "unknown";
}

const char *release_stw_reason(int minor, unsigned int reason, uint64_t old)
{
	/* runtime/proc.go, stwReasonStrings */
	static const char *const text[] = {
		"unknown", "GC mark termination", "GC sweep termination", "write heap dump",
		"goroutine profile", "goroutine profile cleanup", "all goroutines stack trace",
		"read mem stats", "AllThreadsSyscall", "GOMAXPROCS", "start trace", "stop trace",
		"CountPagesInUse (test)", "ReadMetricsSlow (test)", "ReadMemStatsSlow (test)",
		"PageCachePagesLeaked (test)", "ResetDebugLog (test)",
	};

	if (minor <= 20)
		return old_stw_reason(old);
	return reason < sizeof(text) / sizeof(text[0]) ? text[reason] : text[0];
}

unsigned int release_stack_skip(int minor, enum stack_class class, unsigned int recorded)
{
	switch (class) {
	case STACK_PARK:	/* gopark's traceskip */
	case STACK_READY:	/* ready's traceskip */
	case STACK_USER:	/* stack(3) skips the wrapper in runtime/trace, stack(2) not */
		return recorded;
	case STACK_STOP:	/* GoStop: tl.stack(1) up to 1.24, tl.stack(0) since */
		return minor <= 24 ? 1 : 0;
	case STACK_SYSCALL:
		/*
		 * GoSysCall: tl.stack(4) in 1.22, of which systemstack_switch is
		 * not in our walk; since 1.23 from g.syscallpc with tl.stack(1),
		 * as up to 1.20 (gentraceback, skip 1).
		 */
		return minor <= 22 && minor > 20 ? 3 : 1;
	case STACK_CREATE:	/* GoCreate: systemstack_switch and newproc */
	case STACK_STW:
		return 2;
	case STACK_GC:		/* gcStart, on the goroutine's own stack */
	case STACK_PROCS:	/* systemstack_switch */
	case STACK_ASSIST:
		return 1;
	case STACK_CPU:		/* the very instruction */
	case STACK_SWEEP:	/* from whoever called sweep; the runtime begins with sweep itself */
	case STACK_PREEMPT:	/* preemptPark: GoPark(traceBlockPreempted, 0) */
	case STACK_SNAPSHOT:	/* traceAdvance: traceStack(0, gp) */
	case STACK_WAKE:	/* injectglist: GoUnpark(gp, 0) */
		return 0;
	}
	return 0;
}

/*
 * The functions between whoever wakes a goroutine and ready() that the runtime
 * leaves out by the traceskip that they pass on, all releases up to 1.21: send
 * and recv 3 from chansend and chanrecv but 2 from selectgo, netpollgoready 3,
 * readyWithTime 4 from notifyList and 5 + skipframes from semrelease1, whose
 * callers in package sync count the slow path of their own as one.
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
	return class == STACK_READY && minor <= 21;
}

bool release_is_waker(const char *func)
{
	size_t i;

	for (i = 0; i < sizeof(wakers) / sizeof(wakers[0]); i++)
		if (!strcmp(func, wakers[i]))
			return true;
	return false;
}
