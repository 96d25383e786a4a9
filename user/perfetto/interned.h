/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interned: texts, frames and stacks that events name by number. Each is written once, before the
 * first event that uses it. Part of perfetto.c.
 *
 * Memory: some bytes for each text, a bit for each frame and stack. The limits of spans/spans.h
 * bound their numbers.
 */
#ifndef GOTAP_PERFETTO_INTERNED_H
#define GOTAP_PERFETTO_INTERNED_H

#include "base/map64.h"
#include "perfetto/packets.h"
#include "spans/stack_set.h"

/* Categories and names of annotations, all written at the begin of the trace. */
#define INTERNED_CATEGORIES_LIST(X)							\
	X(RUNNING, "running") X(RUNNABLE, "runnable") X(WAITING, "waiting")		\
	X(SYSCALL, "syscall") X(GAP, "gap") X(WAKE, "wake") X(CREATE, "create")		\
	X(GC, "gc") X(STW, "stop-the-world") X(ASSIST, "assist") X(SWEEP, "sweep")	\
	X(TASK, "task") X(REGION, "region") X(LOG, "log") X(SAMPLE, "sample") X(LOSS, "loss")	\
	X(DAMAGE, "damage") X(LINUX, "linux") X(ORIGIN, "origin")			\
	X(CALL, "call")
#define INTERNED_ANNOTATIONS_LIST(X)							\
	X(GOROUTINE, "goroutine") X(REASON, "reason") X(LABELS, "labels")		\
	X(LOST_P, "lost_p") X(OPEN_BEGIN, "open_begin") X(OPEN_END, "open_end")		\
	X(TASK, "task") X(PARENT, "parent") X(CATEGORY, "category")			\
	X(SWEPT, "bytes_swept") X(RECLAIMED, "bytes_reclaimed") X(P, "p") X(M, "m") X(BY, "by")	\
	X(WAITS_FOR, "waits_for")

enum interned_category {
	CATEGORY_NONE,
#define X(name, text) CATEGORY_##name,
	INTERNED_CATEGORIES_LIST(X)
#undef X
};

enum interned_annotation {
	NOTE_NONE,
#define X(name, text) NOTE_##name,
	INTERNED_ANNOTATIONS_LIST(X)
#undef X
};

/* Numbers of texts by address: equal texts with two addresses have two numbers. */
struct interned_texts {
	struct map64 numbers;
	uint32_t field;		/* INTERNED_NAMES... */
};

struct interned {
	struct packets *packets;
	const struct stack_set *stacks;
	struct interned_texts names, functions, sources;
	struct buf frames_done, stacks_done;	/* a bit for each frame or stack that was written */
};

/* Writes the constant texts. @packets and @stacks must outlive @n. */
void interned_begin(struct interned *n, struct packets *packets, const struct stack_set *stacks);
void interned_free(struct interned *n);
/* Returns the number of @text, and writes it if it is new. @text must live as long as @n. */
uint32_t interned_name(struct interned *n, const char *text);
/* Returns the number of a stack of n->stacks, and writes the stack; 0 for stack 0. */
uint32_t interned_stack_new(struct interned *n, uint32_t stack);

static inline uint32_t interned_stack(struct interned *n, uint32_t stack)
{
	size_t byte = stack / 8;

	if (byte < n->stacks_done.len && n->stacks_done.data[byte] >> stack % 8 & 1)
		return stack;
	return stack ? interned_stack_new(n, stack) : 0;
}

#endif
