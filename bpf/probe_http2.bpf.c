// SPDX-License-Identifier: GPL-2.0
/*
 * probe_http2: the requests of HTTP/2 that net/http and golang.org/x/net/http2 serve, each in a
 * goroutine of its own, and the ends of those of HTTP/1 of which the handler did not return. They
 * end where the server goes on: in HTTP/1 in the closure that (*conn).serve defers, in HTTP/2 in
 * the one that runHandler defers.
 */
#include "http_route.h"
#include "serving.h"

/* The g of this thread has begun to serve the request that @s has. */
static __always_inline int http2_serve(struct pt_regs *ctx, __u64 pid_tgid,
				       const struct serving *s)
{
	__u64 g = go_g(ctx);

	bpf_map_update_elem(&servings, &g, s, BPF_ANY);
	http_send_begin(pid_tgid, s->request);
	return 0;
}

/* (*serverConn).runHandler(rw *responseWriter, req *http.Request, handler func(...)) */
SEC("uprobe")
int GO_PROGRAM(http2_begin)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids();
	struct serving s = {};

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_NONE))
		return 0;
	s.writer = go_arg2(ctx);
	s.request = go_arg3(ctx);
	return http2_serve(ctx, pid_tgid, &s);
}

#ifndef GO_OLD
/*
 * Go 1.27: http2Handler.ServeHTTP(w *http2.ResponseWriter, req *http2.ServerRequest) has made an
 * http.Request of @req, which is in the register of a first result. Its frame has the arguments
 * where the caller reserved room for them; @w leads to the state of which @req is a part.
 */
SEC("uprobe")
int http2_handler(struct pt_regs *ctx)
{
	enum { RECEIVER_WORDS = 2 };
	__u64 pid_tgid = current_ids(), args[2] = {}, state;
	struct serving s = {};

	if (!is_target(pid_tgid))
		return 0;
	s.request = go_arg1(ctx);
	read_user(args, sizeof(args), go_frame_args(go_fp(ctx)) + RECEIVER_WORDS * sizeof(__u64));
	state = peek_u64(args[0] + HTTP_H2_STATE);
	if (state && state + HTTP_H2_REQUEST == args[1])
		s.writer = args[0];
	return http2_serve(ctx, pid_tgid, &s);
}
#endif

/* The handler of @request panics, or exits: its frames are on the stack yet. */
static __always_inline void http_send_panic(struct pt_regs *ctx, __u64 pid_tgid, __u64 request)
{
	http_send_route(pid_tgid, request, go_caller(ctx, INLINE_NONE), go_fp(ctx));
}

/*
 * The *conn among the variables that the closure of (*conn).serve has captured, of which the order
 * has changed: its response leads back to it. 0: none of them is.
 */
static __always_inline __u64 http_captured_response(struct pt_regs *ctx)
{
	__u64 words[2] = {}, response;
	__u32 i;

	if (http.conn_hijacked == GO_OFFSET_NONE ||
	    !read_user(words, sizeof(words), go_captured(ctx)))
		return 0;
	for (i = 0; i < 2; i++) {
		response = words[i] ? peek_u64(words[i] + http.conn_hijacked -
					       HTTP_HIJACKED_BEHIND) : 0;
		if (response && peek_u64(response + HTTP_RESPONSE_CONN) == words[i])
			return response;
	}
	return 0;
}

/*
 * The closure that (*conn).serve defers: it runs at the end of each connection. The last request of
 * the connection may have ended: user space knows which are open.
 */
SEC("uprobe")
int GO_PROGRAM(http_unwind)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids();
	struct annotation a = { .kind = REC_HTTP_END, .flags = HTTP_END_UNWOUND };
	__u64 response;

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_NONE))
		return 0;
	a.pid_tgid = pid_tgid;
	response = http_captured_response(ctx);
	if (response && read_u64(go_g(ctx) + HTTP_G_PANIC))
		http_send_panic(ctx, pid_tgid, read_u64(response + HTTP_RESPONSE_REQUEST));
	http_send_response(&a, response);
	return 0;
}

/* @status, @written: where the state of a response has them. */
static __always_inline int http2_ends(struct pt_regs *ctx, __u32 status, __u32 written)
{
	__u64 pid_tgid = current_ids(), g;
	struct annotation a = { .kind = REC_HTTP_END, .flags = HTTP_END_H2 };
	struct serving *found, s;

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_NONE))
		return 0;
	a.pid_tgid = pid_tgid;
	g = go_g(ctx);
	if (read_u64(g + HTTP_G_PANIC))
		a.flags |= HTTP_END_UNWOUND;
	found = bpf_map_lookup_elem(&servings, &g);
	if (!found) {
		send_fitting(&a, 0);
		return 0;
	}
	s = *found;
	bpf_map_delete_elem(&servings, &g);
	if (a.flags & HTTP_END_UNWOUND)
		http_send_panic(ctx, pid_tgid, s.request);
	http_put_request(&a, s.request);
	http_send_end(&a, s.writer ? read_u64(s.writer + HTTP_H2_STATE) : 0, status, written);
	return 0;
}

/* The closure that runHandler of HTTP/2 defers: it runs at the end of each stream. */
SEC("uprobe")
int GO_PROGRAM(http2_end)(struct pt_regs *ctx)
{
	return http2_ends(ctx, http.h2_status, http.h2_written);
}

/* Likewise that of golang.org/x/net/http2. */
SEC("uprobe")
int GO_PROGRAM(http2_x_end)(struct pt_regs *ctx)
{
	return http2_ends(ctx, http.h2_x_status, http.h2_x_written);
}
