/* SPDX-License-Identifier: Apache-2.0 */
/*
 * isolated: runs a function over a hostile file in a process that has nothing to lose: no
 * capability, nobody's user id, no descriptor but one, system calls for memory and reading only,
 * 512 MB of memory, the first place in the list of the OOM killer, and bounded time. Its result is
 * a block of bytes, which the caller must check like the content of a file. target/ runs libdw in
 * it, `gotap ps` all that it does with a file.
 *
 * A fault of a parser, or a file made to be slow, costs that one answer.
 */
#ifndef GOTAP_BASE_ISOLATED_H
#define GOTAP_BASE_ISOLATED_H

#include <stddef.h>

#include "base/error.h"

struct isolated_work {
	/*
	 * Fills the @size bytes at @answer. 0, or -errno and @err. Runs in a copy of this
	 * process: all its other changes are lost.
	 */
	int (*run)(void *ctx, void *answer, struct error *err);
	void *ctx;
	int fd;			/* the descriptor that it keeps, -1: none */
	size_t size;
	unsigned int seconds;	/* that it may take, 0: ISOLATED_SECONDS */
};

enum { ISOLATED_SECONDS = 10 };

/*
 * The work's own result, or: -ETIMEDOUT after @work's seconds, -EBADMSG if it ended without an
 * answer, -errno if no process could be made or the kernel refuses to isolate it. @answer is whole
 * if 0.
 */
int isolated_run(const struct isolated_work *work, void *answer, struct error *err);

#endif
