// SPDX-License-Identifier: GPL-2.0
/*
 * probe_http: the requests of HTTP/1 that net/http serves, from the call of the handler in
 * (*conn).serve to the call of (*conn).hijacked behind it. Both are direct calls, so that these
 * programs can run inside the target. A probe at a RET would cost ten times as much, because the
 * kernel must step through it. probe_http2.bpf.c has HTTP/2, and handlers that do not return.
 */
#include "http_text.h"

/*
 * serverHandler.ServeHTTP(rw ResponseWriter, req *Request), as (*conn).serve calls it; the receiver
 * is one word.
 */
SEC("uprobe")
int GO_PROGRAM(http_begin)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids();

	if (!is_target(pid_tgid))
		return 0;
	http_send_begin(pid_tgid, go_call_arg4(ctx));
	return 0;
}

/*
 * (*conn).hijacked(), which (*conn).serve calls behind the handler. conn.curReq leads to the
 * response, and from there to the request.
 */
SEC("uprobe")
int GO_PROGRAM(http_end)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), conn, response = 0;
	struct annotation a = { .kind = REC_HTTP_END };

	if (!is_target(pid_tgid))
		return 0;
	a.pid_tgid = pid_tgid;
	conn = go_call_arg1(ctx);
	if (http.conn_hijacked != GO_OFFSET_NONE) {
		response = read_u64(conn + http.conn_hijacked - HTTP_HIJACKED_BEHIND);
		if (read_u8(conn + http.conn_hijacked))
			a.flags = HTTP_END_HIJACKED;
	}
	http_send_response(&a, response);
	return 0;
}
