/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings: the state of finding.c and the interface of its families, one file findings_*.c each. finding.c gives
 * a family the spans that concern it; when the trace has ended, each judges and adds its findings.
 *
 * A family keeps sums by place and by goroutine slot, never by event, and each table has a limit.
 */
#ifndef GOTAP_REPORT_FINDINGS_H
#define GOTAP_REPORT_FINDINGS_H

#include "base/map64.h"
#include "read/view.h"
#include "report/finding.h"

/* --- places (findings_place.c): a function and a line, found from a stack --- */

/* A place has 17 bits: four facts in one key of map64. Places beyond are place 0, which is not known. */
enum { PLACES_MAX = (1 << 17) - 1 };

/* Facts of a stack, by the functions of the library that it ends in: its frames before the first one of the program. */
enum stack_trait {
	STACK_LOCK = 1,		/* Mutex, RWMutex, Once, the lock of a file descriptor */
	STACK_NET = 2,		/* package net */
	STACK_FILE = 4,		/* package os, or a system call on a file */
	STACK_C = 8,		/* a call of C code */
	STACK_IDLE_CALL = 16,	/* a system call that may wait for work: read, wait4, poll */
	STACK_REQUEST = 32,	/* a client's side of the network: a dial, a look-up, a request */
	STACK_GC_CALL = 64,	/* runtime.GC, debug.FreeOSMemory */
	STACK_BROADCAST = 128,	/* sync.(*Cond).Broadcast */
	STACK_HANDLER = 256,	/* the program's code, called by a server of the library */
};

struct place {
	const char *func, *file;
	uint64_t line;
};

struct stack_facts {
	uint32_t place;		/* the innermost frame of the program; where it has none, of the library */
	uint32_t holder;	/* the same, but for a deferred closure the function that it belongs to */
	uint16_t traits;
	bool known;
};

struct places {
	struct vec list;	/* struct place; number 1 is the first */
	struct map64 by_key;
	struct vec facts;	/* struct stack_facts, by stack */
	struct vec library;	/* uint8_t by frame: 0 not looked at, 1 the program's, 2 the library's */
};

struct findings;

struct stack_facts findings_stack(struct findings *f, uint32_t stack);
/* Place 0 has empty texts. */
struct place findings_place(const struct findings *f, uint32_t place);
/* "main.f (f.go:12)". */
void findings_name(const struct findings *f, struct buf *text, uint32_t place);

/* --- a set of the first goroutines that something happens to --- */

enum { FEW = 16 };

struct few {
	uint64_t ids[FEW];
	uint32_t n;
};

/* Adds @id unless it is in it, or it is full. */
void few_add(struct few *few, uint64_t id);

/* --- families --- */

struct world;

struct findings {
	struct spans *spans;
	struct places places;
	int64_t first, last;
	struct vec list;		/* struct finding */
	double lost;			/* ns of goroutines */
	bool done;
	struct world *world;
};

/* ns of the trace, at least 1. */
double findings_wall(const struct findings *f);

/* A finding without its text: @ns lost, @place to blame, those that suffered, the worst time. */
struct verdict {
	const char *kind;
	double ns;
	uint32_t place;
	const struct few *goroutines;
	int64_t from, to;
};

/* Adds it with @text, which is taken. */
void findings_add(struct findings *f, const struct verdict *v, struct buf *text);
/* "1.2 s", "35 ms". */
void findings_time(struct buf *text, double ns);

/* findings_world.c: who stops the world. */
struct world *world_new(void);
void world_free(struct world *w);
void world_range(struct findings *f, const struct range_span *r);
void world_judge(struct findings *f);

#endif
