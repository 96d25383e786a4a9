/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run: one gotap, or two with a pipe between them, as child processes: their output, the text of
 * their error, their end. A request has at most one. Children are ended by the signal that a
 * recording takes as its end, and get it too when the thread that started them ends, however that
 * happens (base/parent.h); no shell is between.
 */
#ifndef GOTAP_SERVE_RUN_H
#define GOTAP_SERVE_RUN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/vec.h"
#include "serve/patience.h"

enum { RUN_CHILDREN = 2, RUN_ARGS = 24, RUN_SAID = 4096 };

/* The arguments of a gotap, begun with its name; run_arg() adds, and copies nothing. */
struct run_args {
	const char *arg[RUN_ARGS + 1];
	unsigned int n;
	int in;				/* its standard input, which run_start() copies; 0: none */
};

/* Adds an argument, or two. The texts must live until run_start() has returned. */
void run_arg(struct run_args *a, const char *arg);
void run_arg2(struct run_args *a, const char *arg, const char *value);

struct run {
	pid_t pid[RUN_CHILDREN];	/* 0: none, or waited for */
	/* standard output of the last child; standard error of all. -1: closed */
	int out, said_fd;
	struct buf said;		/* the last RUN_SAID bytes of standard error */
	bool asked;			/* the first child was asked to end */
	bool failed;			/* one of them ended with another status than 0 */
};

/* RUN_NONE: nothing was started, and run_end() may be called. */
#define RUN_NONE ((struct run){ .out = -1, .said_fd = -1 })

/*
 * Starts one gotap, or two: the output of the first goes to @second, unless that is NULL. Returns 0
 * or a negative errno.
 */
int run_start(struct run *r, const struct run_args *first, const struct run_args *second,
	      struct error *err);

enum run_state {
	RUN_DATA,	/* *@n bytes came */
	RUN_OVER,	/* all children have ended, and all that they wrote was read */
	RUN_LATE, RUN_CLIENT_GONE,
};

/*
 * Waits for output. If the server ends meanwhile (PATIENCE_STOP), asks the recording to end, and
 * reads what it then writes, for some seconds at most (by the deadline in @p).
 */
enum run_state run_read(struct run *r, struct patience *p, void *data, size_t size, size_t *n);
/*
 * The server ends: asks the recording to end, and extends the deadline in @p by some seconds for
 * what it then writes.
 */
void run_stop(struct run *r, struct patience *p);
/* Asks the first child to end its recording now: the output is then shorter, but complete. */
void run_ask(struct run *r);
/* Ends all children that are left, kills those that do not end, waits for them, and frees. */
void run_end(struct run *r);
/*
 * The error of a child: its first line of standard error that begins with "gotap: ", without that,
 * or else its last line. Control characters are shown as text. The caller frees it.
 */
char *run_error(const struct run *r);

#endif
