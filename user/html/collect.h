/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collect: gathers the data of the page while the trace is read: a row for each goroutine that
 * matters, sums by function and by stack, ranges, regions and tasks, counters, notes. Each span
 * becomes a record in a spill (enum spool_kind), which detail.c reads again when the whole trace is
 * known.
 *
 * Each table has a maximum size; entries that found no room are counted, and the page shows the
 * count.
 */
#ifndef GOTAP_HTML_COLLECT_H
#define GOTAP_HTML_COLLECT_H

#include "base/map64.h"
#include "html/levels.h"
#include "html/spill.h"
#include "oncpu/oncpu.h"
#include "read/origin.h"
#include "spans/spans.h"

enum {
	COLLECT_ROWS = 60000,		/* goroutines in the page */
	COLLECT_ROWS_MAX = 120000,	/* goroutines with a row while the trace is read */
	COLLECT_TEXTS = 100000,
	COLLECT_FUNCTIONS = 2000,
	COLLECT_FLAME = 400000,		/* stacks with a sum */
	COLLECT_NOTES = 1000,
	COLLECT_THREADS = 4000,
	SERIES_BUCKETS = 1024,
	HISTOGRAM_BUCKETS = 88,		/* two for each power of two ns */
};

/* State of a goroutine, P or thread. Numbers and order are those of the page's script. */
enum page_state {
	PAGE_RUN,		/* several merged stays: levels.h */
	PAGE_RUNNING,
	PAGE_RUNNABLE,
	PAGE_SYSCALL,
	PAGE_WAITING,
	PAGE_GAP,		/* not recorded */
	PAGE_STATES,
};

/*
 * Why a thread with a goroutine was not on a CPU. The text and the tid of a stay have details.
 * Sleep in a system call does not count.
 */
enum page_off {
	PAGE_OFF_QUEUED = 1,	/* another task had the CPU */
	PAGE_OFF_THROTTLED,
	PAGE_OFF_KERNEL,	/* a page fault, a block device, a lock of the kernel */
	/* stopped, frozen, or asleep while Go has its goroutine as running */
	PAGE_OFF_OTHER,
	PAGE_OFF_UNKNOWN,	/* not recorded: the thread may have been on a CPU */
	PAGE_OFFS,
};

/* The first byte of a record. */
enum spool_kind {
	SPOOL_STATE = 7,	/* a span: the state (enum page_state), and the flags that follow */
	SPOOL_REASON = 8, SPOOL_STACK = 16, SPOOL_PLACE = 32, SPOOL_WAKER = 64,
	SPOOL_INTO_SYSCALL = 128,
	/* time off the CPU, before the record of its span; enum page_off << 3 */
	SPOOL_OFF = 0,
	SPOOL_GOROUTINE = 6,	/* a goroutine gets a slot, or its name becomes known */
	SPOOL_P_LOST = 7,	/* a P has no thread from now on */
};

struct row {
	uint64_t id, creator;
	uint64_t serial;	/* number of the goroutine in the trace, from 1 on */
	uint32_t name, created_at, spans;
	bool created, ended, system;
	const char *labels;
	int64_t from, to;
	int64_t in[PAGE_STATES];
	int64_t longest[PAGE_STATES], longest_at[PAGE_STATES];
	uint32_t classes[LEVELS];	/* number of spans by level_of() of their length */
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

/* The kinds of ranges, regions and tasks. The longest objects of each kind are kept. */
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

/* A heap with the shortest object first. */
struct objects {
	struct vec v;		/* struct object */
	uint64_t dropped;
	int64_t dropped_longest;
};

struct series {
	uint32_t name;
	/* number to add in all buckets from this one on: goroutines that were found only later */
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
	/* sums by enum page_off for running stays with a P; 0 for UNKNOWN */
	int64_t off_ns[PAGE_OFFS];
	/* the file of threads is of another recording: records SPOOL_OFF are ignored */
	bool off_forgotten;
	struct spill spool;
	int64_t spool_time;		/* time of the last record */

	struct map64 text_numbers;	/* by address: number in texts */
	struct vec texts;		/* const char * */
	struct origin origin;		/* which program the trace is of */

	struct vec rows;		/* struct row */
	struct vec slots;		/* struct slot, by goroutine->slot */
	uint64_t goroutines;		/* number of goroutines in the whole trace */

	struct map64 function_numbers;	/* by name */
	/* struct function; the first one has the sums of functions without room */
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

	struct map64 thread_numbers;	/* M -> number in threads + 1 */
	struct vec threads;		/* uint64_t */
	/* struct gap: from the first stay of each of @threads to its last one */
	struct vec thread_lives;
	struct map64 procs;		/* P -> number of its spans */
	uint64_t proc_classes[LEVELS], thread_classes[LEVELS];

	struct vec notes;		/* struct note */
	uint64_t notes_dropped, losses;
	struct vec gaps;		/* struct gap, in the order of from */
	int64_t first, last;
	uint64_t events, samples, span_count;
};

void collect_init(struct html *h, struct spans *s);
void collect_free(struct html *h);
/* Returns the number of @text in the page. A text without room gets the number 1. */
uint32_t collect_text(struct html *h, const char *text);
/* Returns the bucket of a histogram: each power of two has two buckets. */
unsigned histogram_bucket(uint64_t ns);
/* Sorts the rows by how much they matter, most first, and keeps the first COLLECT_ROWS. */
void collect_rank(struct html *h);

#endif
