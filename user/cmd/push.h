/* SPDX-License-Identifier: Apache-2.0 */
/*
 * push: sends a profile to a server with Pyroscope's ingest API, for `gotap pprof --push`.
 */
#ifndef GOTAP_CMD_PUSH_H
#define GOTAP_CMD_PUSH_H

#include <stdint.h>

#include "base/error.h"
#include "cmd/options.h"
#include "pprof/profile.h"

struct push_options {
	const char *url;		/* NULL: nothing is sent */
	const char *name;		/* "app{label=value,...}" */
	const char *token, *user;	/* a file; NULL: none */
	double timeout;			/* s, of each attempt */
};

#define PUSH_DEFAULT { .timeout = 30 }

/* For a table of struct push_options. */
extern const struct option_row push_rows[];
/* What is wrong with them together, or NULL. */
const char *push_check(const struct push_options *o);

/*
 * Checks the URL and reads the token, before anything is done. Returns 0 or a negative errno.
 */
int push_ready(const struct push_options *o, struct error *err);
/*
 * Sends @p. Tries again, twice, if the server cannot have taken it: it could not be connected to,
 * or said 429, 502 or 503. Says on stderr what was sent.
 */
int push_send(const struct push_options *o, struct profile *p, struct error *err);

#endif
