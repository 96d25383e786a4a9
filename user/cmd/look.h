/* SPDX-License-Identifier: Apache-2.0 */
/*
 * look: a running Go process that a command reads from outside: opened, with readers of its memory,
 * its files and their names. Shared by `gotap stacks` and `gotap heap`, which take no rights but
 * that to trace the process.
 */
#ifndef GOTAP_CMD_LOOK_H
#define GOTAP_CMD_LOOK_H

#include "cmd/pick.h"
#include "live/module.h"
#include "live/process.h"
#include "moment/moment.h"
#include "symbol/symbol.h"
#include "target/gobin.h"

struct look {
	struct process proc;
	struct gobin *bin;
	struct vec plugins;		/* struct plugin */
	struct symbolizer *symbols;
	struct corefile *core;		/* proc is this core file; NULL: a process */
	struct moment moment;		/* the image that the core file is, with --image */
};

#define LOOK_CLOSED { .proc = PROCESS_CLOSED, .moment = { .memory = -1 } }

/*
 * Takes an image of @p, as @pick says; without the right to do so, or marks that were cleared
 * before, the error says what to do.
 */
int look_take_image(struct moment *ret, const struct process *p, const struct pick *pick,
		    const struct stop_request *stop, struct error *err);
/*
 * Opens the process or the core file that @pick means. @assume_minor: 0, or the release that it is
 * taken for. The
 * caller closes @l with look_close(), also after an error.
 */
int look_open(struct look *l, const struct pick *pick, int assume_minor, struct error *err);
/*
 * Returns the error of a process that has ended or exec'ed meanwhile; otherwise @r, with its @err.
 */
int look_fate(struct look *l, int r, struct error *err);
/*
 * Opens the memory of the process for writing (proc.writable), unless it is open. An exec or a
 * reused process id cannot bring in the memory of another program: -ESRCH and -ESTALE as
 * look_fate(). Other errors: -errno of open(2), with the rights that it takes.
 */
int look_hold_memory(struct look *l, struct error *err);
void look_close(struct look *l);

#endif
