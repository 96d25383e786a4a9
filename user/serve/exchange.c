// SPDX-License-Identifier: Apache-2.0
/*
 * exchange: one request: who asks, for what, about which process, whether it is granted, and what
 * it takes while it is answered: a slot, children. See server.h.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/show.h"
#include "serve/internal.h"
#include "serve/listing.h"

/* --- begin and end --- */

struct exchange *exchange_new(struct server *s, struct MHD_Connection *c)
{
	struct exchange *x = xcalloc(1, sizeof(*x));
	const union MHD_ConnectionInfo *info =
		mhd.get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);

	x->server = s;
	x->connection = c;
	x->expiry = mhd.get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
	x->subject = SUBJECT_CLOSED;
	x->run = RUN_NONE;
	x->patience = (struct patience){ .client = info ? info->connect_fd : -1, .stop = s->stop };
	atomic_fetch_add(&s->exchanges, 1);
	return x;
}

/* Would a write of a line wait, as a full pipe has no reader? A line is shorter than PIPE_BUF. */
static bool would_wait(FILE *f)
{
	struct pollfd fd = { .fd = fileno(f), .events = POLLOUT };

	return poll(&fd, 1, 0) <= 0;
}

/*
 * Prints a line in one piece. If that would wait, the line is counted and left out: requests and
 * the end wait for no reader.
 */
static void exchange_say(struct server *s, const char *line)
{
	flockfile(stderr);
	if (would_wait(stderr)) {
		s->unsaid++;
	} else {
		if (s->unsaid)
			fprintf(stderr,
				"gotap: %u recordings before this one are not named here, since "
				"stderr was not read\n",
				s->unsaid);
		s->unsaid = 0;
		fputs(line, stderr);
	}
	funlockfile(stderr);
}

/* The line about a recording that has ended; NULL: nothing was recorded. The caller frees it. */
static char *done_text(const struct exchange *x)
{
	char size[SHOW_SIZE];

	if (x->server->o->quiet || !x->since || x->slots != &x->server->recordings)
		return NULL;
	return xasprintf("gotap: %s of process %d%s: %.1f s, %s%s\n", x->request.endpoint->name,
			 x->subject.pid, x->peer.all ? "" : " for its user",
			 (double)(now_ns() - x->since) / 1e9, show_size(x->sent, size),
			 x->cut ? ", not all of it" : "");
}

void exchange_free(struct exchange *x)
{
	_cleanup_free_ char *done = done_text(x);
	struct server *s = x->server;

	run_end(&x->run);
	if (x->slots)
		slots_give(x->slots, &x->peer);
	subject_close(&x->subject);
	free(x);
	if (done)
		exchange_say(s, done);
	atomic_fetch_sub(&s->exchanges, 1);
}

/* --- is the request allowed? --- */

static const char *exchange_header(struct exchange *x, const char *name)
{
	return mhd.lookup_connection_value(x->connection, MHD_HEADER_KIND, name);
}

/*
 * Does the request come from a browser, by a page of another site (Sec-Fetch-Site)? Such a page
 * must not start a recording.
 */
static bool is_from_elsewhere(struct exchange *x)
{
	const char *site = exchange_header(x, "Sec-Fetch-Site");

	return site && strcmp(site, "none") && strcmp(site, "same-origin");
}

static bool check_client(struct exchange *x, struct refusal *why)
{
	const struct serve_options *o = x->server->o;

	if (!o->address.is_unix && !address_is_host(exchange_header(x, MHD_HTTP_HEADER_HOST)))
		return refuse(
			why, 403,
			"the Host of a request must be localhost or the number of an address");
	if (is_from_elsewhere(x))
		return refuse(why, 403, "requests from web pages of other sites are refused");
	if (!token_matches(&o->token, exchange_header(x, MHD_HTTP_HEADER_AUTHORIZATION)))
		return refuse(why, 401, "a token is needed: Authorization: Bearer TOKEN, or "
			      "http://gotap:TOKEN@...");
	if (!peer_of(x->patience.client, o->address.is_unix, &x->peer))
		return refuse(why, 403, "the user at the other end of the connection is not known");
	return true;
}

static bool exchange_check_form(struct exchange *x, const char *method, struct refusal *why)
{
	const char *length = exchange_header(x, MHD_HTTP_HEADER_CONTENT_LENGTH);

	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		return refuse(why, 405, "only GET and HEAD are answered");
	if (exchange_header(x, MHD_HTTP_HEADER_TRANSFER_ENCODING) ||
	    (length && strcmp(length, "0")))
		return refuse(why, 413, "a request has no body here");
	return true;
}

struct taking {
	struct request *request;
	struct refusal *why;
};

static enum MHD_Result take_argument(void *ctx, enum MHD_ValueKind kind, const char *key,
				     const char *value)
{
	struct taking *t = ctx;

	return request_argument(t->request, key, value, t->why) ? MHD_YES : MHD_NO;
}

bool exchange_accept(struct exchange *x, const char *url, const char *method, struct refusal *why)
{
	struct taking taking = { &x->request, why };

	if (!exchange_check_form(x, method, why) || !check_client(x, why) ||
	    !request_begin(&x->request, url, why))
		return false;
	expiry_asks(&x->server->expiry, x->expiry, true);
	mhd.get_connection_values(x->connection, MHD_GET_ARGUMENT_KIND, take_argument, &taking);
	return !why->status && request_settle(&x->request, x->server->o->max_seconds, why);
}

/* --- about which process --- */

/*
 * A refusal says nothing about the process but that its id is in use, which every user can see in
 * /proc.
 */
bool exchange_find_subject(struct exchange *x, struct refusal *why)
{
	if (*x->request.name && !exchange_find_by_name(x, why))
		return false;
	if (!subject_open(&x->subject, &x->server->fs, x->request.pid))
		return refuse(why, 404, "there is no process %d", x->request.pid);
	if (!subject_allowed(&x->subject, &x->peer))
		return refuse(why, 403,
			      "process %d is not yours, or has more rights than you: root may ask "
			      "about each process",
			      x->request.pid);
	return true;
}

/*
 * For a user other than root the child checks the process that it has opened itself (--of-user),
 * since the process may exec or end after the check here. This look finds an id that another
 * process has got since.
 */
bool exchange_is_allowed(struct exchange *x, struct refusal *why)
{
	switch (subject_state(&x->subject)) {
	case SUBJECT_GONE:
		return true;
	case SUBJECT_THERE:
		if (subject_allowed(&x->subject, &x->peer))
			return true;
		break;
	case SUBJECT_OTHER:
		break;
	}
	return refuse(why, 403,
		      "process %d is not this user's any more, or another process has its id now",
		      x->request.pid);
}

/* --- a slot, children --- */

bool exchange_take_slot(struct exchange *x, struct slots *slots, struct refusal *why)
{
	unsigned int seconds = (unsigned int)x->request.seconds + GRACE_SECONDS + QUEUE_MS / 1000;

	/*
	 * The library counts the time of gotap's work as time in which the client did nothing, and
	 * would drop it.
	 */
	mhd.set_connection_option(x->connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
	expiry_set(&x->server->expiry, x->expiry, (seconds + TAKE_SECONDS) * SECOND_NS);
	switch (slots_take(slots, &x->peer, &x->patience, QUEUE_MS)) {
	case SLOTS_TAKEN:
		x->slots = slots;
		return true;
	case SLOTS_FULL:
		return refuse(why, 503,
			      "too many requests: others are under way, and wait (gotap serve "
			      "--recordings, --queue)");
	case SLOTS_SHARE:
		return refuse(why, 503,
			      "too many requests of yours: as many as one user may have are under "
			      "way, and "
			      "wait");
	case SLOTS_LATE:
		return refuse(why, 503,
			      "too many requests: none of those under way ended in %d seconds",
			      QUEUE_MS / 1000);
	case SLOTS_STOP:
		return refuse(why, 503, "gotap serve ends");
	case SLOTS_CLIENT:
		break;
	}
	return refuse(why, 503, "the client has gone");
}

bool exchange_start(struct exchange *x, const struct run_args *first, const struct run_args *second,
		    struct refusal *why)
{
	struct error err;

	if (!run_start(&x->run, first, second, &err))
		return true;
	return refuse(why, 500, "%s", err.text);
}

/* --- the answer --- */

/*
 * Reads the command line by the process id, and then checks that no other process has got the id
 * meanwhile.
 */
static enum MHD_Result answer_cmdline(struct exchange *x)
{
	enum { MOST = 1 << 20 };
	struct refusal why = {0};
	struct buf out = {0};

	procfs_read(&x->server->fs, x->subject.pid, "cmdline", MOST, &out);
	if (exchange_is_allowed(x, &why) && subject_state(&x->subject) != SUBJECT_THERE)
		refuse(&why, 404, "process %d has ended", x->subject.pid);
	if (why.status) {
		buf_free(&out);
		return answer_refuse(x->connection, &why);
	}
	if (out.len && !out.data[out.len - 1])
		out.len--;
	return answer_buf(x->connection, &out, answer_text_type);
}

static enum MHD_Result answer_page_of(struct exchange *x)
{
	struct buf out = {0};

	listing_page_of(x->subject.pid, &out);
	return answer_buf(x->connection, &out, "text/html; charset=utf-8");
}

/* Answers HEAD, after the same checks as GET, without recording anything. */
static enum MHD_Result answer_head(struct exchange *x)
{
	struct buf none = {0};

	return answer_buf(x->connection, &none,
			  x->request.debug > 0 ? answer_text_type : "application/octet-stream");
}

static bool exchange_is_about_a_process(const struct request *r)
{
	return r->endpoint->name || r->endpoint->asked == ASKED_CMDLINE ||
	       (r->endpoint->asked == ASKED_INDEX && (r->pid || *r->name));
}

enum MHD_Result exchange_answer(struct exchange *x, bool head)
{
	struct refusal why = {0};

	if (!exchange_is_about_a_process(&x->request))
		return exchange_answer_list(x);
	if (!exchange_find_subject(x, &why))
		return answer_refuse(x->connection, &why);
	if (x->request.endpoint->asked == ASKED_INDEX)
		return answer_page_of(x);
	if (x->request.endpoint->asked == ASKED_CMDLINE)
		return answer_cmdline(x);
	return head ? answer_head(x) : exchange_answer_stream(x);
}
