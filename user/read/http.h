/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http: the log event at the end of a served request. Its category is HTTP_CATEGORY; the message is
 * a line of KEY=VALUE, separated by spaces, in this order. A text that has a space, a quote or a
 * byte below 0x20 is quoted as in Go (strconv.Quote). A key that is not known is left out.
 *
 *	status	of the response; 200 if the handler has set none
 *	bytes	of the body of the response
 *	end	panic: the handler did not return (also of runtime.Goexit); hijacked: it took the
 *		connection over, so that status and bytes are not known
 *	proto	h2 for HTTP/2
 *	remote	the address of the client, as http.Request.RemoteAddr
 *	traceparent	of the request (W3C Trace Context), if it has 55 bytes
 *	handler	the function that the name is of, if no pattern of a route is known
 *	route	the name of the request, if its task has another one: the request began in a
 *		generation that ended before the route was known
 *	path	of the URL; the last one, as it may be cut
 */
#ifndef GOTAP_READ_HTTP_H
#define GOTAP_READ_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_CATEGORY "gotap.http"

/* A goroutine that works for a request has a region with this text and the request's name. */
#define HTTP_CHILD "child of "

/*
 * The ids of the tasks that stand for requests are above this one. The ids of runtime/trace count
 * from 1 on, and do not get there.
 */
#define HTTP_TASKS (1ULL << 62)
/*
 * Those above this one are no requests that the program serves, but calls that it makes itself.
 */
#define CALL_TASKS (HTTP_TASKS + (1ULL << 61))

static inline bool http_is_served(uint64_t task)
{
	return task > HTTP_TASKS && task <= CALL_TASKS;
}

/*
 * The number of a request that the program serves, from 1 on: that of `gotap why --request`, for
 * people, and for readers of JSON that hold numbers as doubles.
 */
static inline uint64_t http_request_number(uint64_t task)
{
	return task & ~HTTP_TASKS;
}

/* The name of a request without a route is the method and this. */
#define HTTP_NO_ROUTE "net/http"

/* A pair of the message; the value may be quoted. */
struct http_pair {
	const char *key, *value;
	size_t key_len, value_len;
};

/*
 * Reads the pair at @s, in a message that may be damaged or forged. Returns what comes behind it;
 * NULL: there is none.
 */
const char *http_log_next(const char *s, struct http_pair *p);
bool http_log_is(const struct http_pair *p, const char *key);
/*
 * Copies the value to @to, of @room bytes, and ends it with a NUL; it is cut if it is longer.
 * Undoes \" and \\; other escapes remain, as these texts are for people to read.
 */
void http_log_copy(const struct http_pair *p, char *to, size_t room);

/*
 * Is @asked the name of a request ("GET /cart"), or that without its method ("/cart")?
 */
bool http_name_is(const char *name, const char *asked);

#endif
