/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_fault: the reason why a trace was refused, and its place. The parts are separate, for output
 * as a line and as JSON. Unknown parts are empty strings, 0 or -1.
 */
#ifndef GOTAP_READ_V2_FAULT_H
#define GOTAP_READ_V2_FAULT_H

#include <stdbool.h>
#include <stdint.h>

struct v2_place {
	uint64_t gen;		/* number of the generation, 0: none yet */
	int64_t batch;		/* number of batches before it in the file, -1: none */
	uint64_t offset;	/* byte offset of the event or record in the file */
	uint64_t thread;	/* M id of the batch, TRACEV2_NO_ID: none */
};

struct v2_fault {
	bool set;
	struct v2_place place;
	char event[200];	/* the event as text, "": none */
	/* the broken rule, in the words of Go's reader if it has this error */
	char rule[320];
	char state[480];	/* the reader's state of the goroutines, Ps and threads concerned */
};

/* Fills the rule of @f. Only the first fault is kept. Returns -EINVAL. */
int fault_set(struct v2_fault *f, const struct v2_place *place, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), cold));

#endif
