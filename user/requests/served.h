/* SPDX-License-Identifier: Apache-2.0 */
/*
 * served: the requests of a recording while it goes on, one by one, from its events (trace/sink.h).
 * The rows of `gotap top` and the triggers `request` and `errors` are made of them.
 *
 * 	struct served *l = served_new(&ops, ctx);
 * 	... served_event(), served_text() as the observer's functions (trace/observer.h)
 * 	served_free(l);
 *
 * A request gets its route while it is served: the event of its begin has another name, which no
 * reader of the file sees, and the final one comes at its end. It is marked as named then. One that
 * has its final name at its begin is named at once.
 *
 * Memory: SERVED_OPEN requests. If more are open, the oldest one is dropped.
 */
#ifndef GOTAP_REQUESTS_SERVED_H
#define GOTAP_REQUESTS_SERVED_H

#include <stdbool.h>
#include <stdint.h>

#include "requests/result.h"
#include "trace/sink.h"

enum { SERVED_OPEN = 1 << 16, SERVED_NAME = 256 };

struct served_request {
	uint64_t task;
	uint64_t g;		/* the goroutine that began it; 0: not known */
	uint64_t stack;		/* key of the stack at its begin; 0: none */
	uint64_t since, until;	/* ns; until 0: it is open */
	bool named;		/* the name is final */
	bool told;		/* the trace has a name, which may not be the final one */
	char name[SERVED_NAME];
	struct result result;	/* at its end; all 0: it is open, or had no log event */
	void *data;		/* for the user, NULL at first */
	struct served_request *older, *newer;	/* of those that are open */
};

/* Each function may be NULL. */
struct served_ops {
	void (*begun)(void *ctx, struct served_request *q);
	/* @q has ended, and has its name; it is freed after the call. */
	void (*ended)(void *ctx, struct served_request *q);
	/* Nothing more will be known of @q: a gap, or served_free(). It is freed after the call. */
	void (*dropped)(void *ctx, struct served_request *q);
};

struct served;

/* @ops must outlive the result. */
struct served *served_new(const struct served_ops *ops, void *ctx);
/*
 * An event: those of tasks and logs count, all others are left out. @g: the goroutine that runs on
 * its thread; 0: not known.
 */
void served_event(struct served *l, const struct sink_event *e, uint64_t g);
/* The text with number @later is this one (sink_ops.text). */
void served_text(struct served *l, uint64_t later, const char *bytes, size_t n);
/* The goroutine @g has ended: drops its request, of which the end is missing. */
void served_gone(struct served *l, uint64_t g);
/* Drops all that are open, as the events of their ends may be missing: a gap. */
void served_forget(struct served *l);
/* How many are open. */
size_t served_open(const struct served *l);
/* When the oldest of those began, ns; 0: none is open. */
uint64_t served_oldest(const struct served *l);
/* Drops all, and frees @l, which may be NULL. */
void served_free(struct served *l);

#endif
