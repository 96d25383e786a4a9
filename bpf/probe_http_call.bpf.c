// SPDX-License-Identifier: GPL-2.0
/*
 * probe_http_call: requests that net/http sends as a client. All go through
 * (*Transport).roundTrip; (*Transport).RoundTrip, its only caller, can be inlined into others. Its
 * end is at its returns, since nothing is called in front of all of them. Results are in registers
 * as arguments are, up to Go 1.16 on the stack: the word numbers count from the return address.
 *
 * The steps between are entries of functions that lead from one part to the next: an end of getConn
 * would be at a return, the entry of (*persistConn).roundTrip behind it costs a tenth. In HTTP/1
 * the goroutine that reads the connection knows of the first byte and of the end of the body.
 */
#include "calling.h"
#include "http.h"
#include "http_call.h"
#include "op.h"

/* (*Transport).roundTrip(req *Request) (*Response, error) */
SEC("uprobe")
int GO_PROGRAM(http_call_begin)(struct pt_regs *ctx)
{
	struct annotation a = op_record(REC_OP_BEGIN, OP_HTTP_CALL, 0);
	__u64 g, url, request;

	a.pid_tgid = current_ids();
	if (!is_target(a.pid_tgid) || go_restarts(ctx, INLINE_NONE))
		return 0;
	request = go_arg2(ctx);
	g = go_g(ctx);
	bpf_map_update_elem(&callings, &g, &request, BPF_ANY);
	url = read_u64(request + HTTP_REQUEST_URL);
	a.task = request;
	a.text[0] = op_text(request + HTTP_REQUEST_METHOD);
	a.text[1] = op_text(url ? url + HTTP_CALL_URL_HOST : 0);
	a.arg = a.text[1].ptr;
	send_fitting(&a, 0);
	return 0;
}

SEC("uprobe")
int GO_PROGRAM(http_call_end)(struct pt_regs *ctx)
{
	struct annotation a = op_record(REC_OP_END, OP_HTTP_CALL, 0);
	__u64 response, error, g, url, status = 0, *request;

	a.pid_tgid = current_ids();
	if (!is_target(a.pid_tgid))
		return 0;
	response = go_word(ctx, 3, arch_arg1(ctx));
	error = go_word(ctx, 4, arch_arg2(ctx));
	if (error)
		a.flags |= HTTP_CALL_ERROR << OP_FLAGS_SHIFT;
	g = go_g(ctx);
	request = bpf_map_lookup_elem(&callings, &g);
	if (request) {
		a.task = *request;
		bpf_map_delete_elem(&callings, &g);
		url = http_no_paths ? 0 : read_u64(a.task + HTTP_REQUEST_URL);
		a.text[0] = op_text(url ? url + HTTP_URL_PATH : 0);
	}
	if (response && !error) {
		status = read_u64(response + HTTP_CALL_STATUS);
		a.arg = read_u64(response + HTTP_CALL_LENGTH);
	}
	send_fitting(&a, status);
	return 0;
}

/* @has_id: the first argument is the id of the record. */
static __always_inline int http_call_step(struct pt_regs *ctx, __u8 step, bool has_id)
{
	__u64 pid_tgid = current_ids(), id;
	struct rec_long *l;

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_NONE))
		return 0;
	id = has_id ? go_arg1(ctx) : 0;
	l = rec_begin(sizeof(*l), pid_tgid, REC_OP_STEP, 0);
	if (!l)
		return 0;
	l->r.id = id;
	l->r.ptr = 0;
	l->r.flags = OP_HTTP_CALL | step << OP_FLAGS_SHIFT;
	l->stack = 0;
	l->arg = 0;
	rec_submit(l);
	return 0;
}

/* (*Transport).getConn(treq, cm) */
SEC("uprobe")
int GO_PROGRAM(http_call_asks)(struct pt_regs *ctx)
{
	return http_call_step(ctx, HTTP_CALL_ASKS_CONN, false);
}

/* (*persistConn).roundTrip(req), which Transport.roundTrip calls when getConn has returned */
SEC("uprobe")
int GO_PROGRAM(http_call_has)(struct pt_regs *ctx)
{
	return http_call_step(ctx, HTTP_CALL_HAS_CONN, true);
}

/* RoundTrip of a connection of HTTP/2 */
SEC("uprobe")
int GO_PROGRAM(http_call_has_h2)(struct pt_regs *ctx)
{
	return http_call_step(ctx, HTTP_CALL_HAS_CONN, false);
}

/* (*persistConn).readResponse(rc, trace), in the goroutine that reads the connection */
SEC("uprobe")
int GO_PROGRAM(http_call_first)(struct pt_regs *ctx)
{
	return http_call_step(ctx, HTTP_CALL_FIRST_BYTE, true);
}

/*
 * Begins the record of a hit; false: the hit makes none. The caller reads the stack only then,
 * because another process may have the same code.
 */
static __always_inline bool http_call_hit(struct pt_regs *ctx, struct annotation *a, bool at_entry)
{
	a->pid_tgid = current_ids();
	return is_target(a->pid_tgid) && !(at_entry && go_restarts(ctx, INLINE_NONE));
}

/* @error: the error that the function returns, 0 for nil; @value: its other result. */
static __always_inline int http_call_return(struct annotation *a, __u64 error, __u64 value)
{
	if (error)
		a->flags |= HTTP_CALL_ERROR << OP_FLAGS_SHIFT;
	else
		a->arg = value;
	send_fitting(a, 0);
	return 0;
}

/*
 * (*persistConn).wroteRequest(), which the goroutine that reads the connection calls when it has
 * read a response, in front of the next one; and closeLocked(err)
 */
SEC("uprobe")
int GO_PROGRAM(http_body_end)(struct pt_regs *ctx)
{
	struct annotation a = op_record(REC_OP_END, OP_HTTP_BODY, 0);

	if (!http_call_hit(ctx, &a, true))
		return 0;
	a.task = go_arg1(ctx);
	send_fitting(&a, 0);
	return 0;
}

/*
 * (*Transport).dialConn(ctx, cm connectMethod, ...) (*persistConn, error). A connectMethod is a
 * pointer, two strings and a bool, of which the second string is the address.
 */
SEC("uprobe")
int GO_PROGRAM(http_dial_begin)(struct pt_regs *ctx)
{
	struct annotation a = op_record(REC_OP_BEGIN, OP_HTTP_DIAL, 0);

	if (!http_call_hit(ctx, &a, true))
		return 0;
	a.text[0] = text_at(go_word(ctx, 7, arch_arg7(ctx)), go_word(ctx, 8, arch_arg8(ctx)));
	send_fitting(&a, 0);
	return 0;
}

SEC("uprobe")
int GO_PROGRAM(http_dial_end)(struct pt_regs *ctx)
{
	struct annotation a = op_record(REC_OP_END, OP_HTTP_DIAL, 0);

	if (!http_call_hit(ctx, &a, false))
		return 0;
	return http_call_return(&a, go_word(ctx, 11, arch_arg2(ctx)),
				go_word(ctx, 10, arch_arg1(ctx)));
}

/* (*persistConn).addTLS(...) error; up to Go 1.16 it has no context: (name, trace) error */
SEC("uprobe")
int GO_PROGRAM(http_tls_begin)(struct pt_regs *ctx)
{
	struct annotation a = op_record(REC_OP_BEGIN, OP_HTTP_TLS, 0);

	if (http_call_hit(ctx, &a, true))
		send_fitting(&a, 0);
	return 0;
}

SEC("uprobe")
int GO_PROGRAM(http_tls_end)(struct pt_regs *ctx)
{
	struct annotation a = op_record(REC_OP_END, OP_HTTP_TLS, 0);

	if (!http_call_hit(ctx, &a, false))
		return 0;
	return http_call_return(&a, go_word(ctx, 5, arch_arg1(ctx)), 0);
}
