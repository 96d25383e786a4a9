// SPDX-License-Identifier: GPL-2.0
/*
 * probe_http: requests that net/http serves. Each goes through serverHandler.ServeHTTP, in the
 * goroutine that runs the handler: that of the connection (HTTP/1) or of the stream (HTTP/2). A
 * probe at a RET costs ten times as much as one at a call, because the kernel must step through it.
 * The end of a request is therefore where the server goes on: in HTTP/1 the call of
 * (*conn).hijacked behind the handler, or the closure that (*conn).serve defers, if the handler did
 * not return; in HTTP/2 the closure that runHandler defers.
 */
#include "annotation.h"
#include "http.h"
#include "serving.h"

static __always_inline struct text http_text(__u64 at)
{
	__u64 t[2] = {};

	if (at)
		read_user(t, sizeof(t), at);
	return text_at(t[0], t[1]);
}

/* Sends @a, whose first text has at most 64 bytes in nearly all cases. */
static __always_inline void http_send(const struct annotation *a, __u64 word)
{
	__u32 most = a->text[0].len > a->text[1].len ? a->text[0].len : a->text[1].len;

	if (most <= 64)
		send_room(a, word, 128);
	else if (most <= 256)
		send_room(a, word, 512);
	else
		send_room(a, word, REC_USER_MAX);
}

/* serverHandler.ServeHTTP(rw ResponseWriter, req *Request); the receiver is one word. */
SEC("uprobe")
int GO_PROGRAM(http_begin)(struct pt_regs *ctx)
{
	struct serving s = { .request = go_arg4(ctx), .writer = go_arg3(ctx) };
	__u64 pid_tgid = current_ids(), g, url;
	struct annotation a = { .kind = REC_HTTP_BEGIN, .pid_tgid = pid_tgid, .task = s.request };

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_NONE))
		return 0;
	g = go_g(ctx);
	bpf_map_update_elem(&servings, &g, &s, BPF_ANY);
	url = read_u64(s.request + HTTP_REQUEST_URL);
	a.text[0] = http_text(s.request + HTTP_REQUEST_METHOD);
	a.text[1] = http_text(url ? url + HTTP_URL_PATH : 0);
	a.arg = a.text[1].ptr;
	http_send(&a, 0);
	return 0;
}

/* The field at @at + @offset, a word; 0 if its offset is not known. */
static __always_inline __u64 http_word(__u64 at, __u32 offset)
{
	return offset == GO_OFFSET_NONE ? 0 : read_u64(at + offset);
}

static __always_inline void http_send_end(__u64 pid_tgid, __u64 g, const struct serving *s,
					  __u32 flags)
{
	struct annotation a = { .kind = REC_HTTP_END, .pid_tgid = pid_tgid, .flags = flags };
	__u64 writer, status = 0;

	if (s) {
		a.flags |= HTTP_END_KNOWN;
		a.task = s->request;
		writer = flags & HTTP_END_H2 ? read_u64(s->writer + HTTP_H2_STATE) : s->writer;
		status = http_word(writer, flags & HTTP_END_H2 ? http.h2_status :
								 http.response_status);
		a.arg = http_word(writer, flags & HTTP_END_H2 ? http.h2_written :
								http.response_written);
		if (http.request_pattern != GO_OFFSET_NONE)
			a.text[0] = http_text(s->request + http.request_pattern);
		bpf_map_delete_elem(&servings, &g);
	}
	http_send(&a, status);
}

/* (*conn).hijacked(), called by (*conn).serve behind the handler */
SEC("uprobe")
int GO_PROGRAM(http_end)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), g, conn = go_call_arg1(ctx);
	struct serving *found, s;
	__u32 flags = 0;

	if (!is_target(pid_tgid))
		return 0;
	if (http.conn_hijacked != GO_OFFSET_NONE && read_u8(conn + http.conn_hijacked))
		flags = HTTP_END_HIJACKED;
	g = go_g(ctx);
	found = bpf_map_lookup_elem(&servings, &g);
	if (found)
		s = *found;
	http_send_end(pid_tgid, g, found ? &s : NULL, flags);
	return 0;
}

/* The closure that (*conn).serve defers: it runs at the end of each connection. */
SEC("uprobe")
int GO_PROGRAM(http_unwind)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), g;
	struct serving *found, s;

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_NONE))
		return 0;
	g = go_g(ctx);
	found = bpf_map_lookup_elem(&servings, &g);
	if (!found)
		return 0;
	s = *found;
	http_send_end(pid_tgid, g, &s, HTTP_END_UNWOUND);
	return 0;
}

/* The closure that runHandler of HTTP/2 defers: it runs at the end of each stream. */
SEC("uprobe")
int GO_PROGRAM(http2_end)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), g;
	struct serving *found, s;
	__u32 flags = HTTP_END_H2;

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_NONE))
		return 0;
	g = go_g(ctx);
	if (read_u64(g + HTTP_G_PANIC))
		flags |= HTTP_END_UNWOUND;
	found = bpf_map_lookup_elem(&servings, &g);
	if (found)
		s = *found;
	http_send_end(pid_tgid, g, found ? &s : NULL, flags);
	return 0;
}
