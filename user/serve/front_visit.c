// SPDX-License-Identifier: Apache-2.0
/*
 * front_visit: one request of HTTP: its form, its arguments, the question to the server, and the
 * bytes of the answer on their way to the client. Runs in the front, without a right: the server
 * decides who may ask, and checks all that this file sends.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "serve/address.h"
#include "serve/channel.h"
#include "serve/front_internal.h"

struct visit *visit_new(struct front_side *f, struct MHD_Connection *c)
{
	struct visit *v = xcalloc(1, sizeof(*v));
	const union MHD_ConnectionInfo *info =
		mhd.get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);

	v->front = f;
	v->connection = c;
	v->client = info ? info->connect_fd : -1;
	v->expiry = mhd.get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
	v->answer = -1;
	atomic_fetch_add(&f->visits, 1);
	return v;
}

void visit_free(struct visit *v, bool delivered)
{
	const char byte = ASK_DELIVERED;
	struct front_side *f = v->front;

	if (v->answer >= 0 && delivered)
		send(v->answer, &byte, sizeof(byte), MSG_NOSIGNAL | MSG_DONTWAIT);
	cleanup_close(&v->answer);
	free(v);
	atomic_fetch_sub(&f->visits, 1);
}

/* --- its form --- */

static const char *visit_header(struct visit *v, const char *name)
{
	return mhd.lookup_connection_value(v->connection, MHD_HEADER_KIND, name);
}

/*
 * Does the request come from a browser, by a page of another site (Sec-Fetch-Site)? Such a page
 * must not start a recording.
 */
static bool visit_is_from_elsewhere(struct visit *v)
{
	const char *site = visit_header(v, "Sec-Fetch-Site");

	return site && strcmp(site, "none") && strcmp(site, "same-origin");
}

static bool visit_check_form(struct visit *v, const char *url, const char *method,
			     struct refusal *why)
{
	const char *length = visit_header(v, MHD_HTTP_HEADER_CONTENT_LENGTH);

	if (request_is_post(url) && strcmp(method, "POST"))
		return refuse(why, 405, "only POST is answered here");
	if (!request_is_post(url) && strcmp(method, "GET") && strcmp(method, "HEAD"))
		return refuse(why, 405, "only GET and HEAD are answered");
	if (visit_header(v, MHD_HTTP_HEADER_TRANSFER_ENCODING) || (length && strcmp(length, "0")))
		return refuse(why, 413, "a request has no body here");
	if (!v->front->is_unix && 
	    !address_is_host(visit_header(v, MHD_HTTP_HEADER_HOST), v->front->hosts))
		return refuse(
			why, 403,
			"the Host of a request must be localhost, the number of an address, or a "
			"name that gotap serve was given with --host");
	if (visit_is_from_elsewhere(v))
		return refuse(why, 403, "requests from web pages of other sites are refused");
	return true;
}

struct taking {
	struct request *request;
	struct refusal *why;
};

static enum MHD_Result visit_argument(void *ctx, enum MHD_ValueKind kind, const char *key,
				      const char *value)
{
	struct taking *t = ctx;

	return request_argument(t->request, key, value, t->why) ? MHD_YES : MHD_NO;
}

static bool visit_parse(struct visit *v, const char *url, struct refusal *why)
{
	struct taking taking = { &v->request, why };

	if (!request_begin(&v->request, url, why))
		return false;
	v->request.open_metrics =
		request_prefers_open_metrics(visit_header(v, MHD_HTTP_HEADER_ACCEPT));
	mhd.get_connection_values(v->connection, MHD_GET_ARGUMENT_KIND, visit_argument, &taking);
	return !why->status && request_settle(&v->request, v->front->max_seconds, why);
}

/* --- the question --- */

/* The library counts the time of the server's work as time in which the client did nothing. */
static void visit_extend(struct visit *v)
{
	unsigned int seconds = (unsigned int)v->request.seconds + GRACE_SECONDS + QUEUE_MS / 1000;

	mhd.set_connection_option(v->connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
	expiry_set(&v->front->expiry, v->expiry, (seconds + TAKE_SECONDS) * SECOND_NS);
}

/* The reply comes at once: the server only looks at the client. */
static bool visit_ask(struct visit *v, const struct ask *a, struct refusal *why)
{
	struct front_side *f = v->front;
	struct refusal reply;
	int r;

	pthread_mutex_lock(&f->asking);
	r = channel_send(f->channel, a, sizeof(*a), v->client);
	if (!r)
		r = channel_receive(f->channel, &reply, sizeof(reply), &v->answer);
	pthread_mutex_unlock(&f->asking);
	if (r != 1)
		return refuse(why, 503, "gotap serve ends");
	if (!reply.status)
		return true;
	*why = reply;
	return false;
}

/* What is wrong with the path or the arguments is said to a client that may ask alone. */
static bool visit_check(struct visit *v, const char *url, struct refusal *why)
{
	struct refusal wrong = {0};
	struct ask ask;
	bool parsed = visit_parse(v, url, &wrong);

	ask_encode(&ask, parsed ? &v->request : NULL, v->head,
		   visit_header(v, MHD_HTTP_HEADER_AUTHORIZATION));
	if (!visit_ask(v, &ask, why))
		return false;
	if (!parsed)
		*why = wrong;
	else if (v->answer < 0)
		return refuse(why, 503, "too many open files (ulimit -n)");
	return parsed;
}

bool visit_accept(struct visit *v, const char *url, const char *method, struct refusal *why)
{
	/* While the request is looked at, its connection is not closed for another one. */
	expiry_asks(&v->front->expiry, v->expiry, true);
	v->head = !strcmp(method, "HEAD");
	if (visit_check_form(v, url, method, why) && visit_check(v, url, why)) {
		visit_extend(v);
		return true;
	}
	expiry_asks(&v->front->expiry, v->expiry, false);
	return false;
}

/* --- the answer --- */

static bool visit_read(struct visit *v, void *data, size_t n)
{
	char *at = data;
	ssize_t r;

	for (; n; at += r, n -= (size_t)r) {
		r = read(v->answer, at, n);
		if (r <= 0)
			return false;
	}
	return true;
}

/*
 * The next bytes of the answer; called by libmicrohttpd until it gets an end, or has all bytes of
 * an answer of a known size.
 */
static ssize_t visit_next(void *ctx, uint64_t at, char *to, size_t size)
{
	struct visit *v = ctx;
	ssize_t n;

	if (!v->left && !visit_read(v, &v->left, sizeof(v->left)))
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (!v->left)
		return MHD_CONTENT_READER_END_OF_STREAM;
	n = read(v->answer, to, size < v->left ? size : v->left);
	if (n <= 0)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	v->left -= (uint32_t)n;
	return n;
}

enum MHD_Result visit_answer(struct visit *v)
{
	struct MHD_Response *r;
	struct answer answer;

	if (!visit_read(v, &answer, sizeof(answer)))
		refuse(&answer.why, 503, "gotap serve ends");
	answer.why.text[sizeof(answer.why.text) - 1] = 0;
	if (answer.why.status)
		return answer_refuse(v->connection, &answer.why);
	r = mhd.create_response_from_callback(
		answer.size < 0 ? MHD_SIZE_UNKNOWN : (uint64_t)answer.size, FRONT_PIECE, visit_next,
		v, NULL);
	return answer_send(v->connection, r, &v->request, v->head);
}
