/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collect: all that the page needs and that is gathered while the trace is read: a row for each
 * goroutine that matters, sums by function and by stack, ranges, regions and tasks, counters,
 * notes; and every span, in a spill of records (enum spool_kind), which detail.c reads again when
 * the whole trace is known.
 *
 * Each table has an upper size; what had no room is counted, and the page says it.
 */
#ifndef GOTAP_HTML_COLLECT_H
#define GOTAP_HTML_COLLECT_H

#include "base/map64.h"
#include "html/levels.h"
#include "html/spill.h"
#include "oncpu/oncpu.h"
#include "spans/spans.h"

enum {
	COLLECT_ROWS = 60000,		/* goroutines in the page */
	COLLECT_ROWS_MAX = 120000,	/* while the trace is read */
	COLLECT_TEXTS = 100000,
	COLLECT_FUNCTIONS = 2000,
	COLLECT_FLAME = 400000,		/* stacks with their sums */
	COLLECT_NOTES = 1000,
	COLLECT_THREADS = 4000,
	SERIES_BUCKETS = 1024,
	HISTOGRAM_BUCKETS = 88,		/* two for each power of two ns */
};

/* What a goroutine, P or thread does. Numbers and their order are those of the page's script. */
enum page_state {
	PAGE_RUN,		/* several stays that are merged: levels.h */
	PAGE_RUNNING,
	PAGE_RUNNABLE,
	PAGE_SYSCALL,
	PAGE_WAITING,
	PAGE_GAP,		/* not recorded */
	PAGE_STATES,
};

/*
 * Why a thread with a goroutine was not on a CPU. Text and tid of a stay say more. Asleep in a
 * system call is no such time.
 */
enum page_off {
	PAGE_OFF_QUEUED = 1,	/* another task had the CPU */
	PAGE_OFF_THROTTLED,
	PAGE_OFF_KERNEL,	/* a page fault, a block device, a lock of the kernel */
	PAGE_OFF_OTHER,		/* stopped, frozen, asleep while Go has it as running */
	PAGE_OFF_UNKNOWN,	/* not recorded: it may have been on one */
	PAGE_OFFS,
};

/* The first byte of a record. */
enum spool_kind {
	SPOOL_STATE = 7,	/* a span: enum page_state, and flags as follows */
	SPOOL_REASON = 8, SPOOL_STACK = 16, SPOOL_PLACE = 32, SPOOL_WAKER = 64,
	SPOOL_INTO_SYSCALL = 128,
	SPOOL_OFF = 0,		/* before the span that it is a part of; enum page_off << 3 */
	SPOOL_GOROUTINE = 6,	/* a goroutine takes a slot, or gets its name */
	SPOOL_P_LOST = 7,	/* a P has no thread from now on */
};

struct row {
	uint64_t id, creator;
	uint64_t serial;	/* of all goroutines of the trace, from 1 on */
	uint32_t name, created_at, spans;
	bool created, ended, system;
	const char *labels;
	int64_t from, to;
	int64_t in[PAGE_STATES];
	int64_t longest[PAGE_STATES], longest_at[PAGE_STATES];
	uint32_t classes[LEVELS];	/* spans by enum of levels.h */
};

struct function {
	uint32_t name;
	uint64_t goroutines;
	uint64_t n[PAGE_STATES];
	int64_t in[PAGE_STATES], longest[PAGE_STATES], longest_at[PAGE_STATES];
	uint64_t longest_g[PAGE_STATES];
	uint32_t histogram[PAGE_STATES][HISTOGRAM_BUCKETS];
};

enum flame_kind {
	FLAME_WAIT,
	FLAME_WAKER,
	FLAME_RUNNABLE,
	FLAME_SYSCALL,
	FLAME_CPU,
	FLAME_CREATE,
	FLAMES
};

struct flame {
	uint32_t kind, reason, stack;
	uint64_t ns, n;
};

/* A range, region or task; those that last longest are kept. */
enum object_kind {
	OBJECT_GC,
	OBJECT_STW,
	OBJECT_ASSIST,
	OBJECT_SWEEP,
	OBJECT_RANGE,
	OBJECT_REGION,
	OBJECT_TASK,
	OBJECTS,
};

struct object {
	uint8_t kind;
	bool open_begin, open_end;
	uint32_t name, reason, stack, depth;
	int64_t from, to;
	uint64_t g;		/* TRACEV2_NO_ID: none */
	uint64_t task, parent;
};

/* A heap, the shortest first. */
struct objects {
	struct vec v;		/* struct object */
	uint64_t dropped;
	int64_t dropped_longest;
};

struct series {
	uint32_t name;
	/* to be added from that bucket on: what was found only later */
	int64_t more[SERIES_BUCKETS];
	double low[SERIES_BUCKETS], high[SERIES_BUCKETS], last[SERIES_BUCKETS];
	bool has[SERIES_BUCKETS];
};

struct note {
	int64_t time;
	uint64_t g;
	bool ours;
	char *text;
};

struct gap {
	int64_t from, to;
};

struct longest {
	int64_t from, to;
	uint64_t g;
};

enum { LONGEST = 12 };

struct html {
	struct spans *spans;
	struct oncpu *oncpu;		/* NULL: there is no file of threads */
	uint64_t off_classes[LEVELS];
	int64_t off_ns[PAGE_OFFS];	/* sums, of the P lanes; of UNKNOWN 0 */
	/* the file is not of this recording: records of SPOOL_OFF count for nothing */
	bool off_forgotten;
	struct spill spool;
	int64_t spool_time;		/* of the last record */

	struct map64 text_numbers;	/* by address: number in texts */
	struct vec texts;		/* const char * */

	struct vec rows;		/* struct row */
	struct vec slots;		/* struct slot, by goroutine->slot */
	uint64_t goroutines;		/* of the whole trace */

	struct map64 function_numbers;	/* by name */
	/* struct function; the first one is of those without room */
	struct vec functions;
	struct map64 flame_numbers;
	struct vec flames;		/* struct flame */
	uint64_t flames_dropped;
	struct objects objects[OBJECTS];
	struct longest longest[PAGE_STATES][LONGEST], stw[LONGEST];

	unsigned series_shift;		/* a bucket is 1 << this ns */
	struct vec series;		/* struct series * */
	struct series *alive_series, *runnable_series;
	int64_t alive, runnable;

	struct map64 thread_numbers;	/* of Ms: number in threads + 1 */
	struct vec threads;		/* uint64_t */
	struct map64 procs;		/* of Ps: spans */
	uint64_t proc_classes[LEVELS], thread_classes[LEVELS];

	struct vec notes;		/* struct note */
	uint64_t notes_dropped, losses;
	struct vec gaps;		/* struct gap, by from */
	int64_t first, last;
	uint64_t events, samples, span_count;
};

void collect_init(struct html *h, struct spans *s);
void collect_free(struct html *h);
/* The number of @text in the page. */
uint32_t collect_text(struct html *h, const char *text);
/* Numbers that fall into the same half of a power of two are one bucket. */
unsigned histogram_bucket(uint64_t ns);
/* Leaves the COLLECT_ROWS that matter most, the first one most. */
void collect_rank(struct html *h);

#endif
