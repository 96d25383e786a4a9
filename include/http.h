/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http: the requests that net/http serves: where the probes find their data, and how a request
 * ended (REC_HTTP_END). Both sides compile this header.
 */
#ifndef GOTAP_HTTP_H
#define GOTAP_HTTP_H

/*
 * Offsets of fields of net/http; GO_OFFSET_NONE: not known, the value is then missing.
 * user/target/http_layout.h has their sources.
 */
struct http_layout {
	unsigned int request_pattern;	/* Request.Pattern, since Go 1.23 */
	unsigned int request_pat;	/* Request.pat, in Go 1.22: a pointer to the pattern */
	unsigned int response_status, response_written;
	/* of http2responseWriterState: status, wroteBytes; of that of golang.org/x/net/http2 */
	unsigned int h2_status, h2_written;
	unsigned int h2_x_status, h2_x_written;
	unsigned int conn_hijacked;	/* conn.hijackedv */
	unsigned int headers;		/* enum http_headers */
};

/* The form of a map. */
enum http_headers { HTTP_HEADERS_UNKNOWN, HTTP_HEADERS_BUCKETS, HTTP_HEADERS_GROUPS };

/* In all releases from Go 1.15 to 1.27. */
enum {
	HTTP_REQUEST_METHOD = 0,
	HTTP_REQUEST_URL = 16,
	HTTP_REQUEST_HEADER = 56,
	HTTP_REQUEST_REMOTE = 176,
	HTTP_URL_PATH = 56,
	HTTP_RESPONSE_CONN = 0,
	HTTP_RESPONSE_REQUEST = 8,
	HTTP_H2_STATE = 0,	/* http2responseWriter.rws */
	HTTP_H2_REQUEST = 8,	/* responseWriterState.req; a struct since Go 1.27 */
	/* conn.hijackedv behind the pointer in conn.curReq; between them curState and mu */
	HTTP_HIJACKED_BEHIND = 24,
	HTTP_G_PANIC = 32,	/* runtime.g._panic: not nil while the goroutine panics, or exits */
};

/*
 * REC_HTTP_BEGIN has the peer in the last HTTP_PEER bytes of its room: the value of traceparent,
 * and from HTTP_PEER_REMOTE on the address of the client. Its flags are the length of that address
 * and HTTP_PEER_PARENT if there is a traceparent; if not, the texts may reach to HTTP_PEER_REMOTE.
 */
enum {
	HTTP_PARENT_LEN = 55,
	HTTP_PEER = 120,
	HTTP_PEER_REMOTE = 56,
	HTTP_PEER_LEN = 63,
	HTTP_PEER_PARENT = 64,
	HTTP_PEER_ALONE = HTTP_PEER - HTTP_PEER_REMOTE,	/* bytes of the address alone */
};

/* Flags of REC_HTTP_END. */
enum http_end {
	HTTP_END_KNOWN = 1,	/* status and bytes are there */
	HTTP_END_H2 = 2,
	HTTP_END_HIJACKED = 4,	/* the handler has taken the connection over */
	/* The handler did not return: it panicked, or called runtime.Goexit. */
	HTTP_END_UNWOUND = 8,
};

#endif
