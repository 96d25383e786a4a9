// SPDX-License-Identifier: GPL-2.0
/*
 * probe_http: requests that net/http serves. Each goes through serverHandler.ServeHTTP, in the
 * goroutine that runs the handler: that of the connection (HTTP/1) or of the stream (HTTP/2). A
 * probe at a RET costs ten times as much as one at a call, because the kernel must step through it.
 * The end of a request is therefore where the server goes on: in HTTP/1 the call of
 * (*conn).hijacked behind the handler (probe_http_end.bpf.c), or the closure that (*conn).serve
 * defers, if the handler did not return; in HTTP/2 the closure that runHandler defers.
 */
#include "http_text.h"
#include "serving.h"

/* serverHandler.ServeHTTP(rw ResponseWriter, req *Request); the receiver is one word. */
SEC("uprobe")
int GO_PROGRAM(http_begin)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), g, url;
	struct annotation a = { .kind = REC_HTTP_BEGIN };
	struct serving s = {};

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_NONE))
		return 0;
	a.pid_tgid = pid_tgid;
	a.task = s.request = go_arg4(ctx);
	s.writer = go_arg3(ctx);
	g = go_g(ctx);
	bpf_map_update_elem(&servings, &g, &s, BPF_ANY);
	url = read_u64(s.request + HTTP_REQUEST_URL);
	a.text[0] = http_text(s.request + HTTP_REQUEST_METHOD);
	if (!http_no_paths)
		a.text[1] = http_text(url ? url + HTTP_URL_PATH : 0);
	a.arg = a.text[1].ptr;
	send_fitting(&a, 0);
	return 0;
}

/*
 * The end of the request that @g serves, of which the record has @flags. @status, @written: offsets
 * of these fields from @writer, a field of the request's writer or the writer itself.
 */
static __always_inline void http_end_of(struct annotation *a, const struct serving *s,
					__u64 writer, __u32 status, __u32 written)
{
	http_put_request(a, s->request);
	a->arg = http_word(writer, written);
	send_fitting(a, http_word(writer, status));
}

/*
 * The closure that (*conn).serve defers: it runs at the end of each connection. The map has the
 * last request of the connection, also if that one has ended: user space knows which are open.
 */
SEC("uprobe")
int GO_PROGRAM(http_unwind)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), g;
	struct annotation a = { .kind = REC_HTTP_END, .flags = HTTP_END_UNWOUND };
	struct serving *found, s;

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_NONE))
		return 0;
	a.pid_tgid = pid_tgid;
	g = go_g(ctx);
	found = bpf_map_lookup_elem(&servings, &g);
	if (!found)
		return 0;
	s = *found;
	bpf_map_delete_elem(&servings, &g);
	http_end_of(&a, &s, s.writer, http.response_status, http.response_written);
	return 0;
}

/* The closure that runHandler of HTTP/2 defers: it runs at the end of each stream. */
SEC("uprobe")
int GO_PROGRAM(http2_end)(struct pt_regs *ctx)
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
	http_end_of(&a, &s, read_u64(s.writer + HTTP_H2_STATE), http.h2_status, http.h2_written);
	return 0;
}
