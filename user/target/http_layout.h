/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_layout: where the fields of net/http are that a record of a request needs. In: a Go binary.
 * Out: struct http_layout (include/http.h).
 *
 * The fields of the response have moved inside a minor release (Go 1.26), so that no table by
 * release can have them. (*response).WriteHeader has "w.wroteHeader = true; w.status = code", and
 * so has (*http2responseWriterState).writeHeader: two stores through one register, side by side. In
 * all releases from 1.15 to 1.27 `written` lies 16 bytes before `status`, and wroteBytes of HTTP/2
 * 24 bytes behind it. Two fields have one place in each release:
 *
 *	Request.Pattern		232, since Go 1.23 (server.go, ServeMux.ServeHTTP sets it)
 *	Request.pat		248 in Go 1.22; pattern.str is its first field (pattern.go)
 *
 * (*conn).hijacked returns conn.hijackedv: the only load of a byte that is not from its frame.
 */
#ifndef GOTAP_TARGET_HTTP_LAYOUT_H
#define GOTAP_TARGET_HTTP_LAYOUT_H

#include "http.h"
#include "target/gobin.h"

/* Fills @ret. A field that is not found has GO_OFFSET_NONE. */
void http_layout_find(const struct gobin *b, struct http_layout *ret);

#endif
