/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client: one request of HTTP/1.1 to a server, on a connection of its own: `gotap pprof --push`,
 * `gotap requests --otlp`, and flight recordings that ask their peers. It takes the status of the
 * answer and the first line of its body, or all of it. No TLS: a library for that would bring 20
 * others into a program that may run as root, and could not be in a static gotap; a proxy, an agent
 * or curl has it.
 *
 * What a server sends is hostile: at most HTTP_ANSWER bytes are read, and a line that is shown has
 * no control characters (base/show.h).
 */
#ifndef GOTAP_HTTP_CLIENT_H
#define GOTAP_HTTP_CLIENT_H

#include <stddef.h>

#include "base/error.h"
#include "http/url.h"

enum { HTTP_ANSWER = 16384, HTTP_LINE = 200 };

struct http_request {
	const struct url *url;
	const char *path;		/* instead of that of the URL, if not NULL */
	/* of a token file (base/token.h), or NULL: then that of the URL, if it has one */
	const char *token;
	/* with it the token is the password of that user; NULL: it is sent as Bearer */
	const char *user;
	const char *type;		/* of the body */
	const void *body;
	size_t size;
	unsigned int timeout_ms;	/* for all of it */
	/* gets the body of the answer, as far as it is in HTTP_ANSWER bytes; NULL: not wanted */
	struct buf *content;
};

struct http_answer {
	unsigned int status;		/* 200 */
	char line[HTTP_LINE];		/* first line of the body, as text; "" */
	unsigned int retry_after;	/* seconds, of the header of that name; 0: there is none */
	/* by an error: the whole request was sent, so the server may have taken it */
	bool sent;
};

/*
 * Sends it as POST and waits for the answer. Returns 0 or a negative errno, as -ETIMEDOUT; -ENOENT:
 * there is no such host.
 */
int http_post(const struct http_request *r, struct http_answer *ret, struct error *err);

/* Reads the answer of @n bytes. False: it is none of HTTP. Declared for tests. */
bool http_parse(const char *text, size_t n, struct http_answer *ret);
/*
 * Appends the body of the answer of @n bytes to @ret, without the lengths of its chunks. Returns
 * whether it is whole; without a length it is as far as it goes. Declared for tests.
 */
bool http_content(const char *text, size_t n, struct buf *ret);

#endif
