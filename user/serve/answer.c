// SPDX-License-Identifier: Apache-2.0
/*
 * answer: whole answers: their headers, errors as net/http/pprof gives them, and those of one
 * piece.
 */
#include <string.h>

#include "base/cleanup.h"
#include "serve/internal.h"

static void add_header(struct MHD_Response *r, const char *name, const char *value)
{
	mhd.add_response_header(r, name, value);
}

enum MHD_Result answer_send(struct MHD_Connection *c, unsigned int status, struct MHD_Response *r,
			   const char *type)
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

const char answer_text_type[] = "text/plain; charset=utf-8";

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
		add_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	if (why->status == MHD_HTTP_SERVICE_UNAVAILABLE)
		add_header(r, MHD_HTTP_HEADER_RETRY_AFTER, "5");
	return answer_send(c, why->status, r, answer_text_type);
}

enum MHD_Result answer_buf(struct MHD_Connection *c, struct buf *body, const char *type)
{
	struct MHD_Response *r =
		mhd.create_response_from_buffer(body->len, body->data, MHD_RESPMEM_MUST_COPY);

	buf_free(body);
	return answer_send(c, MHD_HTTP_OK, r, type);
}
