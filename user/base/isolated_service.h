/* SPDX-License-Identifier: Apache-2.0 */
/*
 * isolated_service: a process like that of isolated.h, which lives on and answers many
 * questions about one hostile file. symbol/ runs libdw in it, for names.
 *
 * Nothing that comes out of it is checked but its length. A service that ends, or is too
 * slow, has failed for good: every later question gets the same error.
 */
#ifndef GOTAP_BASE_ISOLATED_SERVICE_H
#define GOTAP_BASE_ISOLATED_SERVICE_H

#include <stddef.h>

#include "base/error.h"
#include "base/vec.h"

struct isolated_service_work {
	const char *name;	/* of the process, at most 15 bytes */
	/* Once, at its begin. 0 and @state, or -errno and @err. */
	int (*open)(void *ctx, void **state, struct error *err);
	/* Appends the answer to @question to the empty @answer. */
	void (*answer)(void *state, const void *question, struct buf *answer);
	void (*close)(void *state);
	void *ctx;
	int fd;			/* the descriptor that it keeps, -1: none */
	size_t question;	/* size of a question: at most ISOLATED_QUESTION */
	size_t longest;		/* an answer that claims to be longer is a fault */
	/* CPU time for one answer, or to begin; 0: ISOLATED_SECONDS */
	unsigned int seconds;
};

enum {
	ISOLATED_QUESTION = 64,
	/* CPU time of all answers together: cmd/compile's 10,000 addresses take 0.2 s. */
	ISOLATED_SERVICE_SECONDS = 60,
	/*
	 * gotap waits at most this many times the CPU time: a machine may be busy with other
	 * programs, and a file may lie on a disk that does not answer.
	 */
	ISOLATED_SERVICE_PATIENCE = 6,
};

struct isolated_service;

/* The result of @work's open, or an error as of isolated_run(). */
int isolated_service_start(struct isolated_service **ret, const struct isolated_service_work *work,
			   struct error *err);
/* Replaces @answer. Not for two threads at once. */
int isolated_service_ask(struct isolated_service *s, const void *question, struct buf *answer,
			 struct error *err);
/* Accepts NULL. */
void isolated_service_end(struct isolated_service *s);

#endif
