// SPDX-License-Identifier: Apache-2.0
/*
 * front_answer: the headers of answers, and errors as net/http/pprof gives them. Runs in the front.
 */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "serve/front_internal.h"

static const char answer_text_type[] = "text/plain; charset=utf-8";

static void add_header(struct MHD_Response *r, const char *name, const char *value)
{
	mhd.add_response_header(r, name, value);
}

static enum MHD_Result answer_queue(struct MHD_Connection *c, unsigned int status,
				    struct MHD_Response *r, const char *type)
{
	enum MHD_Result ret;

	if (!r)
		return MHD_NO;
	add_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	add_header(r, "X-Content-Type-Options", "nosniff");
	add_header(r, "Cache-Control", "no-store");
	add_header(r, "Content-Security-Policy",
		   "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
	add_header(r, "Referrer-Policy", "no-referrer");
	ret = mhd.queue_response(c, status, r);
	mhd.destroy_response(r);
	return ret;
}

enum MHD_Result answer_refuse(struct MHD_Connection *c, const struct refusal *why)
{
	_cleanup_free_ char *line = xasprintf("%s\n", why->text);
	struct MHD_Response *r =
		mhd.create_response_from_buffer(strlen(line), line, MHD_RESPMEM_MUST_COPY);

	if (!r)
		return MHD_NO;
	add_header(r, "X-Go-Pprof", "1");
	if (why->status == MHD_HTTP_UNAUTHORIZED)
		add_header(r, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Basic realm=\"gotap\"");
	if (why->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		add_header(r, MHD_HTTP_HEADER_ALLOW,
			   strstr(why->text, "POST") ? "POST" : "GET, HEAD");
	if (why->status == MHD_HTTP_SERVICE_UNAVAILABLE)
		add_header(r, MHD_HTTP_HEADER_RETRY_AFTER, "5");
	return answer_queue(c, why->status, r, answer_text_type);
}

/* A profile: a file that a client saves. */
static bool answer_is_file(const struct request *r)
{
	return r->endpoint->name && !r->endpoint->shown && r->debug <= 0;
}

static const char *answer_type(const struct request *r)
{
	if (r->endpoint->asked == ASKED_INDEX)
		return "text/html; charset=utf-8";
	if (r->endpoint->asked == ASKED_PROCESSES_JSON || r->endpoint->asked == ASKED_SNAP ||
	    r->endpoint->asked == ASKED_REQUESTS_JSON)
		return "application/json";
	if (r->endpoint->asked == ASKED_METRICS)
		return r->open_metrics ?
			       "application/openmetrics-text; version=1.0.0; charset=utf-8" :
			       "text/plain; version=0.0.4; charset=utf-8";
	return answer_is_file(r) ? "application/octet-stream" : answer_text_type;
}

enum MHD_Result answer_send(struct MHD_Connection *c, struct MHD_Response *response,
			    const struct request *r, bool head)
{
	char file[64];

	if (response && answer_is_file(r) && !head) {
		snprintf(file, sizeof(file), "attachment; filename=\"%s\"", r->endpoint->name);
		add_header(response, MHD_HTTP_HEADER_CONTENT_DISPOSITION, file);
	}
	return answer_queue(c, MHD_HTTP_OK, response, answer_type(r));
}
