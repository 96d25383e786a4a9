/* SPDX-License-Identifier: GPL-2.0 */
/*
 * http_text: the parts that the probes of probe_http.bpf.c and probe_http2.bpf.c share.
 */
#ifndef GOTAP_BPF_HTTP_TEXT_H
#define GOTAP_BPF_HTTP_TEXT_H

#include "annotation.h"
#include "http.h"
#include "http_header.h"

/* The Go string at @at; 0: none. */
static __always_inline struct text http_text(__u64 at)
{
	__u64 t[2] = {};

	if (at)
		read_user(t, sizeof(t), at);
	return text_at(t[0], t[1]);
}

/* The pattern of @request; none, if it has none. */
static __always_inline struct text http_pattern(__u64 request)
{
	if (http.request_pattern != GO_OFFSET_NONE)
		return http_text(request + http.request_pattern);
	if (http.request_pat != GO_OFFSET_NONE)
		return http_text(read_u64(request + http.request_pat));
	return text_at(0, 0);
}

/* Puts request and pattern into a record of an end. */
static __always_inline void http_put_request(struct annotation *a, __u64 request)
{
	a->task = request;
	a->text[0] = http_pattern(request);
}

/* The client of a request. */
struct http_client {
	struct text remote;
	__u64 parent;		/* the value of traceparent; 0: none */
};

/* @kept: bytes at the end of the room that the texts do not get. */
static __always_inline void http_begin_room(const struct annotation *a,
					    const struct http_client *c, const __u32 room,
					    const __u32 kept)
{
	struct rec_user *u = annotation_begin(a, 0, room, room - kept);
	__u32 n = c->remote.len;
	char *peer;

	if (!u)
		return;
	peer = u->text + room - HTTP_PEER;
	asm volatile("" : "+r"(n));	/* as in annotation.h */
	n &= HTTP_PEER_LEN;
	if (n && !bpf_probe_read_user(peer + HTTP_PEER_REMOTE, n, (void *)c->remote.ptr))
		u->r.flags |= n;
	if (kept == HTTP_PEER && c->parent &&
	    !bpf_probe_read_user(peer, HTTP_PARENT_LEN, (void *)c->parent))
		u->r.flags |= HTTP_PEER_PARENT;
	rec_submit(u);
}

/* The thread begins to serve @request. */
static __always_inline void http_send_begin(__u64 pid_tgid, __u64 request)
{
	enum { METHOD_MOST = 32, PATH_MOST = 512 };
	struct annotation a = { .kind = REC_HTTP_BEGIN, .pid_tgid = pid_tgid, .task = request };
	struct http_client c = { .parent = header_parent(read_u64(request + HTTP_REQUEST_HEADER)) };
	__u64 url = read_u64(request + HTTP_REQUEST_URL);

	a.text[0] = http_text(request + HTTP_REQUEST_METHOD);
	if (a.text[0].len > METHOD_MOST)
		a.text[0].len = METHOD_MOST;
	if (!http_no_paths) {
		a.text[1] = http_text(url ? url + HTTP_URL_PATH : 0);
		if (a.text[1].len > PATH_MOST)
			a.text[1].len = PATH_MOST;
		c.remote = http_text(request + HTTP_REQUEST_REMOTE);
		if (c.remote.len > HTTP_PEER_LEN)
			c.remote.len = 0;
	}
	a.arg = a.text[1].ptr;
	/* each text gets one half of its room at most (annotation_begin()) */
	if (!c.parent && a.text[1].len <= 32)
		http_begin_room(&a, &c, 128, HTTP_PEER_ALONE);
	else if (a.text[1].len <= 64)
		http_begin_room(&a, &c, 256, HTTP_PEER);
	else if (a.text[1].len <= 192)
		http_begin_room(&a, &c, 512, HTTP_PEER);
	else
		http_begin_room(&a, &c, REC_USER_MAX, HTTP_PEER);
}

/*
 * Sends the record of an end with status and bytes of the response that @at has the state of; 0:
 * not known, as the offsets of the two words may be.
 */
static __always_inline void http_send_end(struct annotation *a, __u64 at, __u32 status,
					  __u32 written)
{
	if (!at || status == GO_OFFSET_NONE || written == GO_OFFSET_NONE) {
		send_fitting(a, 0);
		return;
	}
	a->flags |= HTTP_END_KNOWN;
	a->arg = read_u64(at + written);
	send_fitting(a, read_u64(at + status));
}

/* The request of @response of HTTP/1 has ended; 0: it is not known. */
static __always_inline void http_send_response(struct annotation *a, __u64 response)
{
	if (response)
		http_put_request(a, read_u64(response + HTTP_RESPONSE_REQUEST));
	http_send_end(a, response, http.response_status, http.response_written);
}

#endif
