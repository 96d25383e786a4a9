/* SPDX-License-Identifier: Apache-2.0 */
/* result: the message of the log event at the end of a request (read/http.h), read. */
#ifndef GOTAP_REQUESTS_RESULT_H
#define GOTAP_REQUESTS_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "requests/routes.h"

struct result {
	unsigned int status;	/* 0: not known */
	uint64_t bytes;
	bool panic, hijacked, h2;
	bool grpc;		/* a call of gRPC (read/grpc.h) */
	bool has_code;
	unsigned int code;	/* of its status */
	uint64_t g;		/* the goroutine that had the event */
	char path[ROUTES_PATH];	/* cut; without quotes and escapes as far as they are gotap's */
};

/*
 * Reads @message. Keys that it does not know, and what is no KEY=VALUE, are left out: a log of this
 * category may come from a program that forges it, or from a later gotap.
 */
void result_read(struct result *r, const char *message);
/* Returns whether log events of @category have such a message. */
bool result_is_category(const char *category);
/*
 * The status is 500 or above, or the handler did not return; the status of a call of gRPC means a
 * fault of the server.
 */
bool result_failed(const struct result *r);

#endif
