// SPDX-License-Identifier: Apache-2.0
/*
 * otlp_send: OTLP over HTTP (opentelemetry.io/docs/specs/otlp, "OTLP/HTTP"): which answers mean
 * that a request may be sent again, and the partial success. See otlp.h.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/show.h"
#include "cmd/requests/otlp.h"
#include "http/client.h"
#include "otlp/response.h"
#include "proc/json.h"

enum { ATTEMPTS = 5 };

static const char otlp_path[] = "/v1/traces";

bool otlp_is_url(const char *to)
{
	return !strncasecmp(to, "http://", 7) || !strncasecmp(to, "https://", 8);
}

/* The path of traces below that of the URL, unless the URL names it; its arguments follow. */
static void otlp_server_path(struct otlp_server *s)
{
	const char *path = s->to.url.path;
	size_t n = strcspn(path, "?"), end = strlen(otlp_path);
	bool named;

	while (n && path[n - 1] == '/')
		n--;
	named = n >= end && !memcmp(path + n - end, otlp_path, end);
	snprintf(s->path, sizeof(s->path), "%.*s%s%s", (int)n, path, named ? "" : otlp_path,
		 path + strcspn(path, "?"));
}

int otlp_server_open(struct otlp_server *s, const struct otlp_cmd_options *o, bool json,
		     struct error *err)
{
	int ret;

	*s = (struct otlp_server){ .json = json };
	ret = receiver_open(&s->to, o->to, o->token, o->timeout, err);
	otlp_server_path(s);
	return ret;
}

/* --- answers --- */

/* A number of 64 bits may be a text in JSON. */
static uint64_t otlp_json_number(struct json_object *all, const char *path)
{
	const char *text = json_text(all, path);
	int64_t n = *text ? (int64_t)strtoll(text, NULL, 10) : json_number(all, path);

	return n > 0 ? (uint64_t)n : 0;
}

/* An answer that has no partial success is a whole one. */
static void otlp_read_json(const struct buf *content, struct otlp_response *r)
{
	struct json_object *all = json_parse((const char *)content->data, content->len);

	r->rejected = otlp_json_number(all, "partialSuccess\nrejectedSpans");
	snprintf(r->message, sizeof(r->message), "%s",
		 json_text(all, "partialSuccess\nerrorMessage"));
	json_close(all);
}

static void otlp_take_partial(struct otlp_server *s, const struct buf *content, size_t spans)
{
	struct otlp_response r = {0};

	if (s->json)
		otlp_read_json(content, &r);
	else
		response_read(content->data, content->len, &r);
	if (r.rejected > spans)
		r.rejected = spans;
	s->sent += spans - r.rejected;
	s->rejected += r.rejected;
	if (*r.message && !s->told)
		show_printf(stderr, r.rejected ? "gotap: %s did not take %llu spans: %s\n" :
			    "gotap: %s took all %llu spans, and says: %s\n", s->to.url.shown,
			    (unsigned long long)(r.rejected ? r.rejected : spans), r.message);
	s->told |= *r.message != 0;
}

static bool otlp_is_busy(unsigned int status)
{
	return status == 429 || status == 502 || status == 503 || status == 504;
}

static int otlp_refused(const struct otlp_server *s, const struct http_answer *a,
			const struct buf *content, struct error *err)
{
	struct otlp_response r = {0};
	const char *why = a->line;

	if (!s->json && response_read_status(content->data, content->len, &r))
		why = r.message;
	error_set(err, -EREMOTEIO, "%s refused the spans with status %u%s%s", s->to.url.shown,
		  a->status, *why ? ": " : "", why);
	return otlp_is_busy(a->status) ? -EAGAIN : -EREMOTEIO;
}

/* A request with @spans spans. */
struct otlp_post {
	struct otlp_server *server;
	struct http_request request;
	size_t spans;
};

static int otlp_attempt(void *post, unsigned int *pause, struct error *err)
{
	struct otlp_post *p = post;
	struct http_answer a = {0};
	int ret;

	p->request.content->len = 0;
	ret = http_post(&p->request, &a, err);
	*pause = a.retry_after;
	if (ret)
		return ret == -ENOENT || ret == -EBADMSG ? ret : -EAGAIN;
	if (a.status / 100 != 2)
		return otlp_refused(p->server, &a, p->request.content, err);
	otlp_take_partial(p->server, p->request.content, p->spans);
	return 0;
}

/*
 * A request that was sent and not answered is sent again, as the protocol has it: its spans have
 * the same ids.
 */
int otlp_server_take(void *server, const void *data, size_t size, size_t spans, struct error *err)
{
	struct otlp_server *s = server;
	struct buf content = {0};
	struct otlp_post p = { .server = s, .spans = spans, .request = {
		.url = &s->to.url, .path = s->path, .token = receiver_token(&s->to),
		.type = s->json ? "application/json" : "application/x-protobuf", .body = data,
		.size = size, .timeout_ms = s->to.timeout_ms, .content = &content } };
	int ret = receiver_try(ATTEMPTS, otlp_attempt, &p, err);

	buf_free(&content);
	return ret;
}
