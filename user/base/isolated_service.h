/* SPDX-License-Identifier: Apache-2.0 */
/*
 * isolated_service: a process like that of isolated.h that answers many questions about one hostile
 * file. symbol/ runs libdw in it, for names.
 *
 * gotap checks only the length of an answer: the caller must check its content. After a service has
 * ended, or was too slow, every later question gets the same error.
 */
#ifndef GOTAP_BASE_ISOLATED_SERVICE_H
#define GOTAP_BASE_ISOLATED_SERVICE_H

#include <stddef.h>

#include "base/error.h"
#include "base/vec.h"

struct isolated_service_work {
	const char *name;	/* name of the process, at most 15 bytes */
	/* Runs once, at the start of the process. Returns 0 with @state, or -errno with @err. */
	int (*open)(void *ctx, void **state, struct error *err);
	/* Appends the answer to @question to the empty @answer. */
	void (*answer)(void *state, const void *question, struct buf *answer);
	void (*close)(void *state);
	void *ctx;
	int fd;			/* the descriptor that the process keeps, -1: none */
	size_t question;	/* size of a question: at most ISOLATED_QUESTION */
	size_t longest;		/* most bytes of an answer; a longer one is an error */
	/* CPU time for one answer, or for open; 0: ISOLATED_SECONDS */
	unsigned int seconds;
};

enum {
	ISOLATED_QUESTION = 64,
	/*
	 * CPU time of all answers together. For comparison: 10,000 addresses of cmd/compile take
	 * 0.2 s.
	 */
	ISOLATED_SERVICE_SECONDS = 60,
	/*
	 * gotap waits by the clock at most this many times the CPU time: the machine may be busy
	 * with other programs, and the file may be on a disk that does not answer.
	 */
	ISOLATED_SERVICE_PATIENCE = 6,
};

struct isolated_service;

/*
 * Starts the process and runs @work->open in it. Returns the result of open, or an error of
 * isolated_run().
 */
int isolated_service_start(struct isolated_service **ret, const struct isolated_service_work *work,
			   struct error *err);
/*
 * Asks @question; replaces the content of @answer. Two threads must not call this at the same time.
 */
int isolated_service_ask(struct isolated_service *s, const void *question, struct buf *answer,
			 struct error *err);
/* Accepts NULL. */
void isolated_service_end(struct isolated_service *s);

#endif
