/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder: one `gotap record` as a child of gotap, for one of several processes that are
 * recorded (follow.c). A process of its own has its own privileges, memory and failure: it gives
 * up its rights when its probes are there, which one that waits for further processes cannot.
 *
 * It ends, with its trace, when gotap ends, however that ends (base/parent.h).
 */
#ifndef GOTAP_CMD_FOLLOW_RECORDER_H
#define GOTAP_CMD_FOLLOW_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/vec.h"
#include "cmd/record/options.h"

/* The longest time, in s, that it may take until its probes are there, on a busy machine. */
enum { RECORDER_PATIENCE = 60 };

struct recorder {
	pid_t target, pid;
	char *exe, *output;
	bool held;		/* the target waits for the recorder's probes */
	bool from_start;	/* it was held at first */
	bool begun;		/* or it has ended before */
	/* has a byte when the recording has begun, and a held target may go on; -1: closed */
	int socket;
	int report;		/* file without a name, to which it prints */
	off_t read;		/* bytes of it that were read */
	struct buf said;	/* output that was read and that the caller has not taken */
	uint64_t since;		/* CLOCK_MONOTONIC, ns */
	bool ended;
	bool gave_up;		/* it was killed, since its probes were not there in time */
	int status;		/* of wait(2), once ended */
};

/*
 * Starts the recorder of @r, in which the caller has set target, exe, output and held;
 * recorder_free() frees the texts. Returns 0 or a negative errno.
 */
int recorder_start(struct recorder *r, const struct record_options *o, struct error *err);
/* Looks whether it has ended, and then at what it has printed, which comes to r->said. */
void recorder_look(struct recorder *r);
void recorder_free(struct recorder *r);

#endif
