// SPDX-License-Identifier: GPL-2.0
/*
 * probe_http_end: the end of a request of HTTP/1 of which the handler has returned. It needs
 * nothing of the begin (probe_http.bpf.c), so that it can run inside the target.
 */
#include "http_text.h"

/*
 * (*conn).hijacked(), which (*conn).serve calls behind the handler. conn.curReq leads to the
 * response, and from there to the request.
 */
SEC("uprobe")
int GO_PROGRAM(http_end)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), conn = go_call_arg1(ctx), response = 0, status = 0;
	struct annotation a = { .kind = REC_HTTP_END };

	if (!is_target(pid_tgid))
		return 0;
	a.pid_tgid = pid_tgid;
	if (http.conn_hijacked != GO_OFFSET_NONE) {
		response = read_u64(conn + http.conn_hijacked - HTTP_HIJACKED_BEHIND);
		if (read_u8(conn + http.conn_hijacked))
			a.flags = HTTP_END_HIJACKED;
	}
	if (response) {
		http_put_request(&a, read_u64(response + HTTP_RESPONSE_REQUEST));
		status = http_word(response, http.response_status);
		a.arg = http_word(response, http.response_written);
	}
	send_fitting(&a, status);
	return 0;
}
