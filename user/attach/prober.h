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
 * killer's reach; only it holds links. It serves requests over a socket, and when
 * gotap ends, in whatever way, it takes all probes away and ends last.
 *
 * A gotap that is stopped (SIGSTOP, Ctrl-Z, a debugger) cannot take them away, and the
 * program would pay for probes without a reader. So gotap's threads
 * count up a number that both processes share (prober_beat). If it stands still for
 * the job's patience while there are probes, the prober takes them away and ends.
 */
#ifndef GOTAP_ATTACH_PROBER_H
#define GOTAP_ATTACH_PROBER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/vec.h"

struct prober {
	/* From prober_start() to prober_end() these stay as they are, also when it was killed. */
	pid_t pid;			/* 0: there is none */
	int socket;
	struct prober_shared *shared;	/* with the prober */
	pthread_mutex_t lock;		/* of the socket: one request at a time */
	bool gone;			/* a request got no answer: there will be none */
};

/* The meaning is that of the two functions of the job. */
struct prober_request {
	uint32_t what, parts;
	uint64_t offset;
};

/* The work of the prober, both in its own process. */
struct prober_job {
	int (*serve)(void *ctx, const struct prober_request *rq, struct error *err);
	void (*end)(void *ctx);		/* nobody asks any more, or gotap is stopped */
	bool (*has_probes)(void *ctx);
	/*
	 * After end(): is there something left to do, which gotap need not wait for? Then later()
	 * is called in one more process, which has only the descriptors that has_more() names, and
	 * ends with it; signals that end a process end it. Both NULL: no.
	 */
	bool (*has_more)(void *ctx, struct vec *keep);
	void (*later)(void *ctx);
	void *ctx;
	unsigned int patience_ms;	/* with a gotap that is stopped while there are probes */
	/* int: descriptors that serve() needs; all others are closed */
	struct vec keep;
};

/* Forks it. @job and all that it needs must be complete: it is a copy from now on. */
int prober_start(struct prober *p, const struct prober_job *job, struct error *err);
/* Returns the result of serve() in the prober. -EPIPE: there is no prober, or it has ended. */
int prober_ask(struct prober *p, const struct prober_request *rq, struct error *err);
/* Says that gotap runs. From any thread. */
void prober_beat(struct prober *p);
/* Is it there? It ends before gotap only if it is killed or gave up. From any thread. */
bool prober_lives(const struct prober *p);
/* Has it taken the probes away because gotap was stopped? From any thread. */
bool prober_gave_up(const struct prober *p);
/*
 * Waits until one that lives no more has ended, with all that it does at its end. False: it was
 * killed, so that it may have done less.
 */
bool prober_wait(const struct prober *p);
/* Returns when it has ended, and with it all probes. Accepts a zeroed one. */
void prober_end(struct prober *p);

#endif
