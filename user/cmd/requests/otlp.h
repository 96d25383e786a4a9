/* SPDX-License-Identifier: Apache-2.0 */
/*
 * otlp: `gotap requests --otlp` (docs/otlp.md): otlp.c reads a trace and writes its spans to a
 * file, otlp_send.c sends them to a server.
 */
#ifndef GOTAP_CMD_REQUESTS_OTLP_H
#define GOTAP_CMD_REQUESTS_OTLP_H

#include "cmd/options.h"
#include "cmd/receiver.h"

struct reread;

struct otlp_cmd_options {
	const char *to;		/* a file, a URL, "-"; NULL: not asked for */
	const char *format, *service, *token;
	double timeout;		/* s, of each attempt */
	bool waits;
};

#define OTLP_CMD_DEFAULT { .timeout = 10 }

/* For a table of struct otlp_cmd_options. */
extern const struct option_row otlp_rows[];
/* Returns the error text for options that do not go together; NULL: they do. */
const char *otlp_check(const struct otlp_cmd_options *o);

/*
 * Exports the requests of the trace, those of @route and with @label alone if these are not NULL.
 * Prints what was exported, and what was not, to stderr. Returns the exit status.
 */
int otlp_export(const struct otlp_cmd_options *o, struct reread *file, const char *binary,
		const char *route, const char *label);

/* --- otlp_send.c --- */

/* Is @to a URL? */
bool otlp_is_url(const char *to);

struct otlp_server {
	struct receiver to;
	char path[URL_PATH + 16];	/* with /v1/traces */
	bool json;
	uint64_t sent, rejected;	/* spans */
	bool told;			/* a warning of the server was printed */
};

/* Opens @s->to, which the caller closes. Returns 0 or a negative errno. */
int otlp_server_open(struct otlp_server *s, const struct otlp_cmd_options *o, bool json,
		     struct error *err);
/*
 * Sends a request of OTLP with @spans spans; @server is a struct otlp_server. Where the server is
 * busy, or is not reached, it is tried again, at most four times. Returns 0, or a negative errno.
 */
int otlp_server_take(void *server, const void *data, size_t size, size_t spans, struct error *err);

#endif
