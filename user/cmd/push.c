// SPDX-License-Identifier: Apache-2.0
/* push: see push.h. The API: grafana.com/docs/pyroscope, server HTTP API. */
#define _GNU_SOURCE
#include "cmd/push.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/show.h"
#include "cmd/receiver.h"
#include "http/client.h"
#include "read/raw_sink.h"

enum { ATTEMPTS = 3 };

/* --- options --- */

static const char *take_push_name(void *name, const char *arg)
{
	const char *labels = strchr(arg, '{');
	size_t n = strlen(arg);

	*(const char **)name = arg;
	return n && n < 512 && labels != arg && (!labels || (arg[n - 1] == '}' &&
							      !strchr(labels + 1, '{'))) ?
		       NULL :
		       "takes a name, or NAME{LABEL=VALUE,...}";
}

#define FIELD(name) offsetof(struct push_options, name)

const struct option_row push_rows[] = {
	OPTION(0, "push", "URL", OPTION_TAKE, FIELD(url),
	  "send the profile to Pyroscope, or what has its ingest API, at http://HOST[:PORT] "
	  "instead of writing it; types goroutine, sync and cpu as with --as-runtime",
	  .take = option_take_some),
	OPTION(0, "push-name", "NAME", OPTION_TAKE, FIELD(name),
	  "the application, with labels if it shall have some: 'shop{zone=a}'",
	  .take = take_push_name),
	OPTION_TOKEN("push-token", FIELD(token)),
	OPTION(0, "push-user", "USER", OPTION_TAKE, FIELD(user),
	  "with --push-token: the token is the password of USER (Authorization: Basic)",
	  .take = option_take_some),
	OPTION(0, "push-timeout", "TIME", OPTION_DURATION, FIELD(timeout),
	  "give up an attempt after TIME (default 30s); there are three at most"),
	{0},
};

const char *push_check(const struct push_options *o)
{
	if (!o->url && (o->name || o->token || o->user))
		return "--push-name, --push-token and --push-user are about --push";
	if (o->url && !o->name)
		return "--push takes --push-name: the application that the profile is of";
	if (o->user && !o->token)
		return "--push-user takes --push-token FILE";
	return NULL;
}

/* --- the request --- */

int push_ready(const struct push_options *o, struct error *err)
{
	struct receiver to;
	int r = o->url ? receiver_open(&to, o->url, o->token, o->timeout, err) : 0;

	if (o->url && !r)
		receiver_close(&to);
	return r;
}

/*
 * PATH/ingest?name=...&from=...&until=...&format=pprof, as a text that the caller frees. The times
 * are seconds: a shorter profile has a second, else it would have no length.
 */
static char *push_path(const struct push_options *o, const struct url *u, const struct profile *p)
{
	const uint64_t second = 1000000000;
	uint64_t length = p->duration_ns > 0 ? (uint64_t)p->duration_ns : 0;
	uint64_t from = p->wall_ns > 0 ? (uint64_t)p->wall_ns : wall_ns() - length;
	uint64_t until = (from + length + second - 1) / second;
	size_t n = strcspn(u->path, "?");
	struct buf path = {0};

	from /= second;
	while (n && u->path[n - 1] == '/')
		n--;
	buf_add(&path, u->path, n);
	if (n < 7 || strncmp(u->path + n - 7, "/ingest", 7))
		buf_printf(&path, "/ingest");
	buf_printf(&path, "%s%sname=", *strchrnul(u->path, '?') ? strchr(u->path, '?') : "?",
		   *strchrnul(u->path, '?') ? "&" : "");
	url_add_escaped(&path, o->name);
	buf_printf(&path, "&from=%" PRIu64 "&until=%" PRIu64 "&format=pprof&spyName=gotap", from,
		   until > from ? until : from + 1);
	buf_add_byte(&path, 0);
	return (char *)path.data;
}

static bool push_is_busy(const struct http_answer *a)
{
	return a->status == 429 || a->status == 502 || a->status == 503;
}

/* An attempt; another one only if the server cannot have taken the profile. */
static int push_attempt(void *request, unsigned int *pause, struct error *err)
{
	const struct http_request *r = request;
	struct http_answer a;
	int e = http_post(r, &a, err);

	if (e)
		return a.sent || e == -ENOENT ? e : -EAGAIN;
	if (a.status / 100 == 2)
		return 0;
	error_set(err, -EREMOTEIO, "%s refused the profile with status %u%s%s", r->url->shown,
		  a.status, *a.line ? ": " : "", a.line);
	return push_is_busy(&a) ? -EAGAIN : -EREMOTEIO;
}

int push_send(const struct push_options *o, struct profile *p, struct error *err)
{
	_cleanup_free_ char *path = NULL;
	struct raw_sink body;
	char size[SHOW_SIZE];
	struct receiver to;
	int r = receiver_open(&to, o->url, o->token, o->timeout, err);

	if (r)
		return r;
	sink_open(&body, -1, NULL);
	profile_write(p, &body);
	path = push_path(o, &to.url, p);
	r = receiver_try(ATTEMPTS, push_attempt, &(struct http_request){
		.url = &to.url, .path = path, .token = receiver_token(&to), .user = o->user,
		.type = "application/octet-stream", .body = body.buf.data, .size = body.buf.len,
		.timeout_ms = to.timeout_ms }, err);
	if (!r)
		show_printf(stderr, "gotap: %s was sent to %s: %s\n", o->name, to.url.shown,
			    show_size(body.buf.len, size));
	receiver_close(&to);
	buf_free(&body.buf);
	return r;
}
