// SPDX-License-Identifier: Apache-2.0
/* http_layout: see http_layout.h. */
#include "target/http_layout.h"

#include <stddef.h>
#include <string.h>

#include "gooffsets.h"
#include "target/code.h"

/* Offset of the field that is stored after a flag in the function; GO_OFFSET_NONE: not found. */
static unsigned int layout_stored(const struct gobin *b, const char *name)
{
	struct gobin_func fn;
	int32_t at;

	if (gobin_any_func(b, name, &fn) || code_store_after_flag(b, &fn, &at))
		return GO_OFFSET_NONE;
	return (unsigned int)at;
}

static unsigned int layout_moved(unsigned int at, int by)
{
	return at == GO_OFFSET_NONE ? at : at + (unsigned int)by;
}

/* net/http has a copy of golang.org/x/net/http2: a package of its own since Go 1.27. */
static unsigned int layout_h2_status(const struct gobin *b)
{
	unsigned int at;

	at = layout_stored(b, "net/http/internal/http2.(*responseWriterState).writeHeader");
	return at != GO_OFFSET_NONE ? at :
	       layout_stored(b, "net/http.(*http2responseWriterState).writeHeader");
}

static unsigned int layout_hijacked(const struct gobin *b)
{
	struct gobin_func fn;
	int32_t at;

	if (gobin_any_func(b, "net/http.(*conn).hijacked", &fn) ||
	    code_byte_load(b, &fn, &at) || at < HTTP_HIJACKED_BEHIND)
		return GO_OFFSET_NONE;
	return (unsigned int)at;
}

/* Builds of Go 1.24 and 1.25 could keep the old maps (GOEXPERIMENT=noswissmap). */
static unsigned int layout_headers(const struct gobin *b)
{
	enum { GROUPS_SINCE = 24 };

	if (gobin_go_minor(b) < GROUPS_SINCE)
		return HTTP_HEADERS_BUCKETS;
	return strstr(gobin_go_version(b), "X:") ? HTTP_HEADERS_UNKNOWN : HTTP_HEADERS_GROUPS;
}

void http_layout_find(const struct gobin *b, struct http_layout *ret)
{
	int minor = gobin_go_minor(b);

	ret->request_pattern = minor >= 23 ? 232 : GO_OFFSET_NONE;
	ret->request_pat = minor == 22 ? 248 : GO_OFFSET_NONE;
	ret->response_status = layout_stored(b, "net/http.(*response).WriteHeader");
	ret->response_written = layout_moved(ret->response_status, -16);
	ret->h2_status = layout_h2_status(b);
	ret->h2_written = layout_moved(ret->h2_status, 24);
	ret->h2_x_status = layout_stored(
		b, "golang.org/x/net/http2.(*responseWriterState).writeHeader");
	ret->h2_x_written = layout_moved(ret->h2_x_status, 24);
	ret->conn_hijacked = layout_hijacked(b);
	ret->headers = layout_headers(b);
}
