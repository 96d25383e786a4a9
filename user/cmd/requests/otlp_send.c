// SPDX-License-Identifier: Apache-2.0
/*
 * otlp_send: OTLP over HTTP (opentelemetry.io/docs/specs/otlp, "OTLP/HTTP"): which answers mean
 * that a request may be sent again, and the partial success. See otlp.h.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/show.h"
#include "cmd/requests/otlp.h"
#include "http/client.h"
#include "otlp/response.h"
#include "proc/json.h"

enum { ATTEMPTS = 5, PAUSE = 1, HOUR = 3600 };

static const char otlp_path[] = "/v1/traces";

bool otlp_is_url(const char *to)
{
	return !strncasecmp(to, "http://", 7) || !strncasecmp(to, "https://", 8);
}

/* The path of traces below that of the URL, unless the URL names it; its arguments follow. */
static void otlp_server_path(struct otlp_server *s)
{
	const char *path = s->url.path;
	size_t n = strcspn(path, "?"), end = strlen(otlp_path);
	bool named;

	while (n && path[n - 1] == '/')
		n--;
	named = n >= end && !memcmp(path + n - end, otlp_path, end);
	snprintf(s->path, sizeof(s->path), "%.*s%s%s", (int)n, path, named ? "" : otlp_path,
		 path + strcspn(path, "?"));
}

int otlp_server_init(struct otlp_server *s, const struct otlp_cmd_options *o, bool json,
		     struct error *err)
{
	double timeout = o->timeout < HOUR ? o->timeout : HOUR;
	int ret;

	*s = (struct otlp_server){ .json = json, .has_token = o->token,
				   .timeout_ms = (unsigned int)(timeout * 1000) + 1 };
	ret = url_parse(&s->url, o->to, err);
	if (!ret && o->token)
		ret = token_read(&s->token, o->token, err);
	otlp_server_path(s);
	return ret;
}

void otlp_server_forget(struct otlp_server *s)
{
	token_forget(&s->token);
	explicit_bzero(s->url.user, sizeof(s->url.user));
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
			    "gotap: %s took all %llu spans, and says: %s\n", s->url.shown,
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
	error_set(err, -EREMOTEIO, "%s refused the spans with status %u%s%s", s->url.shown,
		  a->status, *why ? ": " : "", why);
	return otlp_is_busy(a->status) ? -EAGAIN : -EREMOTEIO;
}

/* One attempt. 0; -EAGAIN: it may be tried again, after @a->retry_after; another errno. */
static int otlp_send_once(struct otlp_server *s, const struct http_request *r, size_t spans,
			  struct http_answer *a, struct error *err)
{
	int ret;

	r->content->len = 0;
	ret = http_post(r, a, err);
	if (ret)
		return ret == -ENOENT || ret == -EBADMSG ? ret : -EAGAIN;
	if (a->status / 100 != 2)
		return otlp_refused(s, a, r->content, err);
	otlp_take_partial(s, r->content, spans);
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
	struct http_answer a = {0};
	struct http_request r = {
		.url = &s->url, .path = s->path, .token = s->has_token ? s->token.text : NULL,
		.type = s->json ? "application/json" : "application/x-protobuf", .body = data,
		.size = size, .timeout_ms = s->timeout_ms, .content = &content };
	int ret = -EAGAIN, i;

	for (i = 0; i < ATTEMPTS && ret == -EAGAIN; i++) {
		if (i) {
			show_printf(stderr, "gotap: %s; it is tried again\n", err->text);
			sleep(a.retry_after ? a.retry_after : (unsigned int)PAUSE << (i - 1));
		}
		ret = otlp_send_once(s, &r, spans, &a, err);
	}
	buf_free(&content);
	return ret ? err->code : 0;
}
