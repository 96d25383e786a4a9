/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goroutines: all goroutines of a running process with their stacks and labels, read from its
 * memory while it runs. In: the description of the program (plan_describe()), an open process with
 * readers, its names. Out: struct goroutines. Called by `gotap stacks`.
 *
 * A goroutine that runs changes its stack, and its g does not have its place. A stack therefore
 * counts only if the goroutine did not run while the stack was read: two looks, before and after
 * the read, must find the same place and the same counter of departures. The counters are
 * g.trackingSeq, which casgstatus() increments when a goroutine leaves _Grunning (Go 1.17 and
 * later; modulo 256), and in a syscall m.syscalltick. If the looks differ, the goroutine is read
 * again, some times.
 */
#ifndef GOTAP_STACKS_GOROUTINES_H
#define GOTAP_STACKS_GOROUTINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strset.h"
#include "base/vec.h"
#include "live/process.h"
#include "live/roots.h"
#include "live/stop_request.h"
#include "plan/plan.h"
#include "stacks/stackset.h"
#include "stacks/unwind.h"
#include "symbol/symbol.h"

/* runtime/runtime2.go: g.atomicstatus without the scan bit. */
enum g_status {
	G_RUNNABLE = 1,
	G_RUNNING = 2,
	G_SYSCALL = 3,
	G_WAITING = 4,
	G_DEAD = 6,
	G_COPYSTACK = 8,
	G_PREEMPTED = 9,
	G_LEAKED = 10,
	G_DEADEXTRA = 11,
	G_STATUSES = 12,
};

enum stack_known {
	STACK_KNOWN,
	STACK_RUNNING,		/* it runs, so that its place is in the registers of its thread */
	STACK_MOVED,		/* it ran each time while its stack was read */
	STACK_UNREADABLE,
};

/* Whether the goroutine ran during a watch (watch.h). */
enum g_still {
	STILL_NOT_WATCHED,
	STILL_MOVED,		/* it ran, or did not exist yet */
	/* each look found the same place; Go up to 1.16 has no counter */
	STILL_SAME,
	STILL_COUNTED,		/* each look found the same place and the same counter */
	/* the collector saw it wait before the watch began, and it has not run since */
	STILL_PROVEN,
};

struct goroutine {
	uint64_t goid, parent;		/* parent 0: not known */
	uint64_t create_pc, start_pc;
	uint64_t bubble;		/* of testing/synctest; 0: none */
	/*
	 * g.waitsince: the collection that first saw the wait has put the end time of the
	 * collection before it there (gcMark, work.tstart). 0: no collection has seen the wait. The
	 * runtime prints the time since then, although the goroutine need not have waited since
	 * then.
	 */
	uint64_t wait_since;
	uint64_t waited_ns;		/* as the runtime prints it; 0: not known */
	/*
	 * the time that is certain: since a later collection, known from waitsince of other
	 * goroutines
	 */
	uint64_t waited_least_ns;
	const char *labels;		/* in the form of read/labels.h; NULL: none */
	uint32_t stack;			/* number in @stacks; for STACK_KNOWN */
	uint32_t tid;			/* the thread that it is on, an id in /proc; 0: none */
	uint8_t status, reason;		/* g.waitreason */
	uint8_t known, still;		/* enum stack_known, enum g_still */
	bool locked;			/* to its thread */
	bool labels_unread;
};

struct goroutines {
	struct vec all;			/* struct goroutine, by goid */
	struct stackset stacks;
	struct strset *labels;
	struct unwinder unwinder;
	/* elements of allgs that are no goroutines, or could not be read */
	size_t unreadable;
	size_t moved;			/* STACK_MOVED */
	size_t read_again;		/* attempts beyond the first one */
};

/* The facts by which two looks show whether a goroutine ran between them. */
struct g_facts {
	uint64_t goid, pc, sp, lo, hi, m, labels;
	uint64_t link;	/* g.sched.lr; 0 in a syscall, and where there is no such register */
	uint64_t oldp, wait_since;
	uint32_t status, tick;
	uint8_t sequence;
	bool coroutine;		/* waits for the other side of iter.Pull: see looks_facts_of() */
};

struct watch;

struct goroutines_opts {
	const struct plan *plan;
	const struct process *proc;
	const struct roots *roots;
	struct symbolizer *symbols;
	const struct stop_request *stop;	/* may be NULL */
	const struct watch *watch;		/* may be NULL */
};

/*
 * Reads the goroutines. The caller frees @ret by goroutines_free(), also after an error. -EINTR:
 * opts->stop asks to stop.
 */
int goroutines_read(struct goroutines *ret, const struct goroutines_opts *opts, struct error *err);
void goroutines_free(struct goroutines *gs);

/* --- looks.c: also for watch.c --- */

enum { G_BYTES = 512 };		/* covers every field of a g that is read, all releases */

/* Stores the list of all gs, sorted by address. */
struct pointers;
int goroutines_list(const struct goroutines_opts *opts, struct pointers *ret, struct error *err);
/*
 * Looks at @n gs at once. goid 0: it is no goroutine, or could not be read. @bytes: G_BYTES for
 * each g; may be NULL.
 */
void goroutines_look(const struct goroutines_opts *opts, const uint64_t *gs, size_t n,
		     struct g_facts *ret, uint8_t *bytes);
/* Returns whether @a and @b can belong to one stay at one place. False if the goroutine runs. */
bool g_facts_same(const struct g_facts *a, const struct g_facts *b);
/*
 * Returns a key: equal for facts that g_facts_same() finds equal, different for others. 0: the
 * goroutine runs.
 */
uint64_t g_facts_key(const struct g_facts *f);

#endif
