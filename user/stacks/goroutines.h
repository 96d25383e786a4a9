/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goroutines: all goroutines of a running process with their stacks and labels, read from its
 * memory while it goes on. In: the description of the program (plan_describe()), an open process
 * with readers, its names. Out: struct goroutines. `gotap stacks` asks.
 *
 * A goroutine that runs writes its stack and saves no place. So a stack counts only if the
 * goroutine did not run while it was read: two looks, before and after, find the same place and the
 * same counter of departures. The counters are g.trackingSeq, which casgstatus() counts up whenever
 * a goroutine leaves _Grunning (Go 1.17 and later; modulo 256), and in a syscall m.syscalltick.
 * Where the looks differ, it is read again, some times.
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
	STACK_RUNNING,		/* it runs: its stack is in the registers of its thread */
	STACK_MOVED,		/* it ran each time while its stack was read */
	STACK_UNREADABLE,
};

/* Did it run during a watch (watch.h)? */
enum g_still {
	STILL_NOT_WATCHED,
	STILL_MOVED,		/* it ran, or did not exist yet */
	/* each look found the same place; up to Go 1.16, which counts nothing */
	STILL_SAME,
	STILL_COUNTED,		/* and the same counter */
	/* the collector saw it wait before the watch began, and it has not run since */
	STILL_PROVEN,
};

struct goroutine {
	uint64_t goid, parent;		/* parent 0: not known */
	uint64_t create_pc, start_pc;
	uint64_t bubble;		/* of testing/synctest; 0: none */
	/*
	 * g.waitsince: the collection that first saw the wait put the end of the one before it
	 * there (gcMark, work.tstart). 0: none has seen it. The runtime prints the time since then,
	 * in which the goroutine did not wait all the time.
	 */
	uint64_t wait_since;
	uint64_t waited_ns;		/* as the runtime has it; 0: not known */
	/* what is sure: since a later collection, which other goroutines tell of */
	uint64_t waited_least_ns;
	const char *labels;		/* as read/labels.h has them; NULL: none */
	uint32_t stack;			/* in stacks; of STACK_KNOWN */
	uint32_t tid;			/* the thread that it is on, as /proc shows it; 0: none */
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
	size_t read_again;		/* attempts beyond the first */
};

/* What tells whether a goroutine ran between two looks. */
struct g_facts {
	uint64_t goid, pc, sp, lo, hi, m, labels;
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

/* The caller frees @ret, after an error, too. -EINTR: opts->stop asked to stop. */
int goroutines_read(struct goroutines *ret, const struct goroutines_opts *opts, struct error *err);
void goroutines_free(struct goroutines *gs);

/* --- looks.c: also for watch.c --- */

enum { G_BYTES = 512 };		/* covers every field of a g that is read, all releases */

/* The list of all gs, sorted by address. */
struct pointers;
int goroutines_list(const struct goroutines_opts *opts, struct pointers *ret, struct error *err);
/*
 * Looks at @n gs at once; goid 0: it is none, or could not be read. @bytes: G_BYTES for each; may
 * be NULL.
 */
void goroutines_look(const struct goroutines_opts *opts, const uint64_t *gs, size_t n,
		     struct g_facts *ret, uint8_t *bytes);
/* Can @a and @b be of one stay at one place? False of a goroutine that runs. */
bool g_facts_same(const struct g_facts *a, const struct g_facts *b);
/* Equal for facts of which that is true, and different for others. 0: of a goroutine that runs. */
uint64_t g_facts_key(const struct g_facts *f);

#endif
