/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classes: where the time of ops was spent. A part of a goroutine's run lies between two events
 * with stacks: the code of both ends in one frame (the common one), and the functions of the
 * program that ran for all of it are that frame and those that called it. Those on the way up from
 * the first stack and on the way down to the second one had an unknown part of it. All parts with
 * the same functions are one class. A function that makes no event is not among them: CPU samples
 * show it, and say which part of the time of a class each function has.
 *
 * Memory: CLASSES_MOST classes; further parts have class 0, and count as unattributed.
 */
#ifndef GOTAP_WHATIF_CLASSES_H
#define GOTAP_WHATIF_CLASSES_H

#include <stdbool.h>

#include "base/map64.h"
#include "base/vec.h"
#include "spans/stack_set.h"

enum { CLASSES_MOST = 1 << 14, CLASS_NAMES = 16, CLASS_SAMPLES_LEAST = 10 };

enum class_kind {
	CLASS_NONE,
	CLASS_RUN,
	CLASS_ASSIST,
	CLASS_SLEEP,
	CLASS_NETWORK,
	CLASS_SYSCALL,
	CLASS_WAIT,
	CLASS_KINDS,
};

struct class {
	uint8_t kind;			/* enum class_kind */
	/*
	 * Functions of the program: the common frame, those that called it, and from @nsure on
	 * those that have an unknown part of the time
	 */
	uint8_t nnames, nsure;
	bool pace;			/* a goroutine's loop sleeps so between its rounds */
	const char *names[CLASS_NAMES];
	const char *file;
	uint64_t line;			/* of the first name */
	int64_t ns;			/* of all ops */
	uint64_t n;
	uint64_t samples;
	int64_t nominal;		/* of sleeps: without being late, ns */
};

struct classes {
	struct stack_set *stacks;	/* of the spans */
	struct vec list;		/* struct class; the first one is unused */
	struct map64 by_stacks;		/* kind and two stacks -> number */
	struct map64 by_place;		/* kind and stack of a wait -> number */
	struct map64 by_names;		/* kind and names -> number */
	struct map64 samples;		/* class and function -> index of sampled */
	struct vec sampled;		/* struct class_sampled */
	uint64_t crowded;		/* ops that found no room for their class */
};

struct class_sampled {
	uint32_t class;
	const char *function;
	uint64_t n;
};

void classes_init(struct classes *c, struct stack_set *stacks);
void classes_free(struct classes *c);
/*
 * Returns the class of a part that ran from stack @from to @to, in a goroutine that began with
 * @root, and counts it; 0: it has none.
 */
uint32_t classes_run(struct classes *c, bool assist, const char *root, uint32_t from, uint32_t to,
		     int64_t ns);
/* Returns the class of a wait or a system call at @stack, without counting it. */
uint32_t classes_at(struct classes *c, enum class_kind kind, uint32_t stack);
/* Counts an op of class @class; a negative @ns takes one back. */
void classes_count(struct classes *c, uint32_t class, int64_t ns);
/* A CPU sample with @stack lies in an op of class @class. */
void classes_sample(struct classes *c, uint32_t class, uint32_t stack);
/*
 * Returns the part of the time of @class that belongs to @function and what it calls, 0 to 1.
 * *@sure: false if nothing says which part it is, and the value is the largest possible one.
 */
double classes_share(const struct classes *c, uint32_t class, const char *function, bool *sure);

static inline struct class *class_at(const struct classes *c, uint32_t class)
{
	return vec_at(&c->list, struct class, class);
}

#endif
