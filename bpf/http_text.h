/* SPDX-License-Identifier: GPL-2.0 */
/*
 * http_text: the parts that the probes of probe_http.bpf.c and probe_http_end.bpf.c share.
 */
#ifndef GOTAP_BPF_HTTP_TEXT_H
#define GOTAP_BPF_HTTP_TEXT_H

#include "annotation.h"
#include "http.h"

/* The Go string at @at; 0: none. */
static __always_inline struct text http_text(__u64 at)
{
	__u64 t[2] = {};

	if (at)
		read_user(t, sizeof(t), at);
	return text_at(t[0], t[1]);
}

/* The word at @at + @offset; 0 if the offset is not known. */
static __always_inline __u64 http_word(__u64 at, __u32 offset)
{
	return offset == GO_OFFSET_NONE ? 0 : read_u64(at + offset);
}

/* Puts request and pattern into a record of an end. */
static __always_inline void http_put_request(struct annotation *a, __u64 request)
{
	a->flags |= HTTP_END_KNOWN;
	a->task = request;
	if (http.request_pattern != GO_OFFSET_NONE)
		a->text[0] = http_text(request + http.request_pattern);
	else if (http.request_pat != GO_OFFSET_NONE)
		a->text[0] = http_text(read_u64(request + http.request_pat));
}

#endif
