// SPDX-License-Identifier: GPL-2.0
/*
 * probe_http_route: which handler writes the header of a response, or takes the connection over
 * (http_route.h).
 */
#include "http_route.h"
#include "serving.h"

#if !defined(GO_OLD) && !defined(GO_INLINE)
__u64 http_no_mux[HTTP_STACKS] = {};
#endif

/*
 * (*conn).hijacked(), which (*response).WriteHeader calls first, and (*conn).hijackLocked(), which
 * (*response).Hijack calls.
 */
SEC("uprobe")
int GO_PROGRAM(http_route)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), conn, response;

	if (!is_target(pid_tgid) || http.conn_hijacked == GO_OFFSET_NONE)
		return 0;
	conn = go_call_arg1(ctx);
	response = read_u64(conn + http.conn_hijacked - HTTP_HIJACKED_BEHIND);
	if (!response)
		return 0;
	return http_send_route(pid_tgid, read_u64(response + HTTP_RESPONSE_REQUEST),
			       go_call_return(ctx), go_fp(ctx));
}

#ifndef GO_INLINE
/* (*http2responseWriterState).writeHeader(code int) */
SEC("uprobe")
int GO_PROGRAM(http2_route)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), g;
	struct serving *s;

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_NONE))
		return 0;
	g = go_g(ctx);
	s = bpf_map_lookup_elem(&servings, &g);
	if (!s)
		return 0;
	return http_send_route(pid_tgid, s->request, go_caller(ctx, INLINE_NONE), go_fp(ctx));
}
#endif
