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
/* Returns the error text for options that do not go together; NULL: they do. */
const char *push_check(const struct push_options *o);

/*
 * Checks the URL and reads the token, before anything is done. Returns 0 or a negative errno.
 */
int push_ready(const struct push_options *o, struct error *err);
/*
 * Sends @p to the server, and prints the size and the URL to stderr. Sends it again, at most twice,
 * if the server cannot have taken it: there was no connection, or the answer was 429, 502 or 503.
 */
int push_send(const struct push_options *o, struct profile *p, struct error *err);

#endif
