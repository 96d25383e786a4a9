/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prober: a process of gotap's own that holds the probes (bpf.c starts it and asks it).
 *
 * The kernel takes a breakpoint out of a program when the last reference to its
 * link goes, in the context of the process that drops it. With a SIGKILL pending
 * there, it cannot read the program's page and leaves the breakpoint ("uprobe:
 * failed to unregister, leaking uprobe"): forever, and the program dies at it as soon
 * as the kernel forgets it. The same happens in the middle of an attach. So no
 * process that somebody may kill makes or closes a link. A forked child does
 * that, in a session of its own, with all signals blocked and out of the OOM
 * killer's reach; only it holds links. It does what it is asked over a socket,
 * and when gotap ends, in whatever way, it takes all probes away and ends last.
 */
#ifndef GOTAP_CAPTURE_PROBER_H
#define GOTAP_CAPTURE_PROBER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/vec.h"

struct prober {
	pid_t pid;			/* 0: there is none */
	int socket;
	pthread_mutex_t lock;		/* of the socket: one request at a time */
};

/* The meaning is that of the two functions of the job. */
struct prober_request {
	uint32_t what, parts;
	uint64_t offset;
};

/* What the prober does, both in its own process. */
struct prober_job {
	int (*serve)(void *ctx, const struct prober_request *rq, struct error *err);
	void (*end)(void *ctx);		/* nobody asks any more */
	void *ctx;
	struct vec keep;		/* int: descriptors that those need; all others are closed */
};

/* Forks it. @job and all that it needs must be complete: it is a copy from now on. */
int prober_start(struct prober *p, const struct prober_job *job, struct error *err);
/* Has it done and returns what serve() does. -EPIPE: the prober was killed. */
int prober_ask(struct prober *p, const struct prober_request *rq, struct error *err);
/* Is it there? It ends before gotap only if it is killed. */
bool prober_lives(const struct prober *p);
/* Returns when it has ended, and with it all probes. Accepts a zeroed one. */
void prober_end(struct prober *p);

#endif
