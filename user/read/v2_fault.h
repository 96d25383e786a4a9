/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v2_fault: why a trace was refused, and where. The parts are kept apart so
 * that they can be shown as a line or as JSON; parts that are not known are
 * empty strings, 0 or -1.
 */
#ifndef GOTAP_READ_V2_FAULT_H
#define GOTAP_READ_V2_FAULT_H

#include <stdbool.h>
#include <stdint.h>

struct v2_place {
	uint64_t gen;		/* generation number, 0 = none yet */
	int64_t batch;		/* how many batches come before it in the file, -1 = none */
	uint64_t offset;	/* of the event or record, in bytes from the start of the file */
	uint64_t thread;	/* M id of the batch, TRACEV2_NO_ID = none */
};

struct v2_fault {
	bool set;
	struct v2_place place;
	char event[200];	/* in text form, "" if it is not about one */
	char rule[320];		/* what is wrong, in the words of Go's reader where it has any */
	char state[480];	/* what the reader knew of those concerned */
};

/* Fills @f's rule; the first fault stays, later ones are dropped. Returns -EINVAL. */
int fault_set(struct v2_fault *f, const struct v2_place *place, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), cold));

#endif
