/* SPDX-License-Identifier: Apache-2.0 */
/*
 * isolated: runs a function over a hostile file in a process without rights: no capability, user id
 * nobody, one descriptor, system calls for memory and reading only, 512 MB of memory, the first
 * victim of the OOM killer, and bounded time. The result is a block of bytes, which the caller must
 * check like the content of a file. target/ runs libdw in it; `gotap ps` does all its work with
 * files in it.
 *
 * A parser that crashes on a file, or is slow on it, costs only this one answer.
 */
#ifndef GOTAP_BASE_ISOLATED_H
#define GOTAP_BASE_ISOLATED_H

#include <stddef.h>

#include "base/error.h"

struct isolated_work {
	/*
	 * Fills the @size bytes at @answer. Returns 0, or -errno with @err. Runs in a copy of this
	 * process: its other changes of memory are lost.
	 */
	int (*run)(void *ctx, void *answer, struct error *err);
	void *ctx;
	int fd;			/* the descriptor that the process keeps, -1: none */
	size_t size;
	unsigned int seconds;	/* seconds that the work may take, 0: ISOLATED_SECONDS */
};

enum { ISOLATED_SECONDS = 10 };

/*
 * Returns the result of @work->run, or -ETIMEDOUT after @work->seconds, -EBADMSG if the process
 * ended without an answer, or the -errno with which the kernel refused to make or to isolate the
 * process. @answer is complete only if the result is 0.
 */
int isolated_run(const struct isolated_work *work, void *answer, struct error *err);

#endif
