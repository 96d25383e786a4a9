/* SPDX-License-Identifier: Apache-2.0 */
/*
 * receiver: a server to which a command sends what it has made: `gotap pprof --push` and
 * `gotap requests --otlp`. Its URL, the token for it, and how often a request is tried.
 */
#ifndef GOTAP_CMD_RECEIVER_H
#define GOTAP_CMD_RECEIVER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/token.h"
#include "cmd/options.h"
#include "http/url.h"

/* The file with the token, a row of an option table. */
#define OPTION_TOKEN(name, field) \
	OPTION(0, name, "FILE", OPTION_TAKE, field, \
	  "send the token in that file, which only its owner may read (Authorization: Bearer)", \
	  .take = option_take_some)

struct receiver {
	struct url url;
	struct token token;
	bool has_token;
	unsigned int timeout_ms;	/* of each attempt */
};

/*
 * Reads the URL @url and the token in the file @token, which may be NULL; @timeout: seconds.
 * Returns 0 or a negative errno; then there is nothing to close.
 */
int receiver_open(struct receiver *r, const char *url, const char *token, double timeout,
		  struct error *err);
/* Clears the token and the user of the URL. May be called again. */
void receiver_close(struct receiver *r);
/* The token, for struct http_request; NULL: there is none. */
const char *receiver_token(const struct receiver *r);

/*
 * One attempt. 0: it was taken; -EAGAIN: it may be tried again, after *@pause seconds if the
 * function sets it; another negative errno. @err has the cause.
 */
typedef int receiver_attempt_fn(void *ctx, unsigned int *pause, struct error *err);
/*
 * Tries at most @attempts times. Before each further one, after 1, 2, 4, ... seconds, it prints the
 * error to stderr. Returns 0, or the code of the last error.
 */
int receiver_try(unsigned int attempts, receiver_attempt_fn *attempt, void *ctx,
		 struct error *err);

#endif
