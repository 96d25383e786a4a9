/* SPDX-License-Identifier: Apache-2.0 */
/*
 * held: the job of the prober (prober.h). It holds the links to the probes, and with --attach
 * inline the code in the target, and answers the requests of bpf.c.
 */
#ifndef GOTAP_ATTACH_HELD_H
#define GOTAP_ATTACH_HELD_H

#include "attach/bpf_internal.h"

/* Requests to the prober. The comments name the content of prober_request.parts. */
enum {
	PROBER_ATTACH, PROBER_DETACH,	/* enum bpf_parts */
	PROBER_CALIBRATE,		/* enum calibration */
	PROBER_PRIVILEGES,		/* the privileges that it keeps */
	PROBER_DETACH_REGION,		/* index of a region of the plan */
	PROBER_INJECT, PROBER_PATCH,	/* --attach inline */
};

/*
 * Starts a prober for the loaded programs of @b. @verbose: it keeps stderr, for messages of libbpf.
 * Errors as of prober_start().
 */
int held_start(struct prober *ret, struct bpf_side *b, bool verbose, struct error *err);

#endif
