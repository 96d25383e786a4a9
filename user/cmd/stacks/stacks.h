/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks: `gotap stacks`: all goroutines of a running process now. Shared by its files: options
 * and the process (stacks.c), which goroutines are shown (wanted.c), as text (text.c), JSON
 * (json.c), and a profile (pprof.c). The runtime's own search for leaks: leaks.c; that by the graph
 * of the heap: leaked.c.
 */
#ifndef GOTAP_CMD_STACKS_STACKS_H
#define GOTAP_CMD_STACKS_STACKS_H

#include <regex.h>
#include <stdbool.h>
#include <stdio.h>

#include "cmd/look.h"
#include "cmd/pick.h"
#include "heapgraph/heapgraph.h"
#include "plan/plan.h"
#include "stacks/goroutines.h"
#include "stacks/shown.h"
#include "stacks/watch.h"

struct stacks_options {
	struct pick pick;
	const char *states;		/* a list with commas; NULL: all */
	const char *func;		/* regular expression; NULL: all */
	regex_t func_regex;		/* of func */
	uint64_t goid;			/* 0: all */
	double watch;			/* seconds; 0: no */
	int assume_minor;		/* 0: the release that the program says */
	double within;			/* seconds that --detect-leaks waits */
	bool group, json, pprof, system, no_labels, still, leaked, detect;
	bool reachability;		/* --leaked by the graph of the heap (leaked.c) */
};

/* Text of stacks that were printed before; most goroutines have one of a few. */
struct stack_texts {
	struct vec texts;		/* struct buf, by number of the stack */
	size_t bytes;			/* of all */
};

struct stacks {
	const struct stacks_options *o;
	struct look look;
	struct plan plan;
	struct roots roots;
	struct watch watch;
	struct goroutines gs;
	/* uint8_t, by number of the stack: does --func match it? 0: not tried */
	struct vec matches;
	struct stack_texts texts;
	size_t left_out;		/* goroutines of the runtime, without --system */
	struct graph_counts graph;	/* with o->reachability */
};

/* Do the options ask for it? */
bool stacks_wants(struct stacks *s, const struct goroutine *g);

/* Goroutines of one stack, one set of labels and, where the stack is not known, one state. */
struct stacks_group {
	struct vec members;		/* const struct goroutine * */
};

/* Groups (struct stacks_group) of all that are wanted, the largest first. */
void stacks_group(struct stacks *s, struct vec *ret);
void stacks_free_groups(struct vec *groups);

/* Writes one stack, as text or as JSON. */
typedef void stack_writer(struct stacks *s, uint32_t stack, FILE *to);
/* What @write writes of @stack; the text is valid until the next call. */
const struct buf *stacks_text_of(struct stacks *s, uint32_t stack, stack_writer *write);

void stacks_print(struct stacks *s);
void stacks_print_groups(struct stacks *s);
void stacks_print_json(struct stacks *s);
/* leaks.c: -ENOTSUP if the release of the program does not look for leaked goroutines. */
int stacks_check_leaks(const struct stacks *s, struct error *err);
/*
 * leaks.c: has the next collection of the program look for leaked goroutines, and waits for its
 * end. -ETIMEDOUT: no collection came; -EINTR: a signal came.
 */
int stacks_detect_leaks(struct stacks *s, struct error *err);
/*
 * leaked.c: finds leaked goroutines of s->gs by the graph of the heap, and gives them the status
 * G_LEAKED; those that the runtime has marked, and the graph does not find, get G_WAITING. The
 * process must be still; errors as heapgraph_read().
 */
int stacks_find_leaks(struct stacks *s, struct error *err);
/* leaked.c: says what the graph lacks. */
void stacks_say_graph(const struct stacks *s);
/* To standard output; the error is that of writing. */
int stacks_write_profile(struct stacks *s, struct error *err);

#endif
