/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lists: the candidates for units, which candidates.c fills while a trace is read, and choose.c
 * judges. A list is all instances of one kind, function, handler and place.
 */
#ifndef GOTAP_UNIT_LISTS_H
#define GOTAP_UNIT_LISTS_H

#include "unit/unit.h"

/* Properties of a wait, by its reason. */
enum unit_wait {
	UNIT_WAIT_OTHER,	/* a lock, a send, a join */
	UNIT_WAIT_WORK,		/* a receive, a select, a condition: work can arrive there */
	UNIT_WAIT_NET,
	UNIT_WAIT_SLEEP,
};

/* A stack, as far as units need it. */
struct unit_place {
	bool known;
	bool program;		/* a frame is not of the standard library */
	uint32_t at;		/* number of the line of its place (why/place.h); 0: none */
	uint16_t depth;		/* frames from the begin of the goroutine to that of @at */
	const char *handler;	/* the outermost function of the program; NULL: none */
};

struct unit_list {
	enum unit_kind kind;
	const char *root;	/* the function with which the goroutines began, or the type */
	const char *handler;	/* NULL: as @root */
	uint32_t at;		/* line of the wait between rounds; 0: none */
	uint16_t depth;		/* of that wait */
	uint8_t wait;		/* enum unit_wait */
	bool library;		/* the wait has no frame of the program */
	bool program;		/* some stack of these goroutines has a frame of the program */
	bool served;		/* tasks that stand for requests (read/http.h) */
	uint64_t n;
	int64_t ns;
	/* parts of @ns: asleep, until a timer, or until the trace ends; for the network; running */
	int64_t pace, net, running;
	/* waits that were ended by a goroutine that this one had woken shortly before */
	uint64_t replies;
	int64_t first, last;	/* begin of the first instance, end of the last one */
	uint64_t stride;	/* every stride-th instance is kept */
	struct vec kept;	/* struct instance */
	struct instance slowest[UNIT_SLOWEST];
	size_t nslowest, quickest;	/* index of the quickest one of @slowest */
	struct dist dist;
	/* the function of the goroutines that created those of a list of goroutines: a vote */
	const char *creator;
	double creators;
};

struct unit_lists {
	struct vec lists;	/* struct unit_list */
	struct map64 by_key;
};

/* Returns the list, and adds it if there is room; NULL: there is none. */
struct unit_list *unit_list_of(struct unit_lists *l, enum unit_kind kind, const char *root,
			       const char *handler, uint32_t at);
/* Adds an instance of @list. */
void unit_list_add(struct unit_list *list, const struct instance *in);
void unit_lists_free(struct unit_lists *l);

#endif
