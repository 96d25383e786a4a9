// SPDX-License-Identifier: GPL-2.0
/*
 * probe_grpc: calls of google.golang.org/grpc, served and made. None of the probes that each call
 * passes is at a RET, which the kernel must step through at ten times the price of a call.
 *
 * Served: (*Server).handleStream begins, in the goroutine of the stream; its callers end it with a
 * call of the WaitGroup (probe_grpc_end.bpf.c). WriteStatus of the transport has the status.
 *
 * Made: newClientStream begins a call (unary) or a stream, (*clientStream).finish ends it, in the
 * goroutine that reads its last message or in one that waits for its context. A call or stream that
 * could not be begun ends where the error is returned. The records of one call have a number of
 * their own as the key (struct rpc), since the clientStream is not there yet when it begins.
 */
#include "annotation.h"
#include "depth.h"
#include "op_kind.h"
#include "rpc.h"

static __always_inline struct text rpc_text(__u64 ptr, __u64 len)
{
	return text_at(ptr, len > GRPC_MESSAGE_MOST ? GRPC_MESSAGE_MOST : len);
}

static __always_inline void rpc_flags(struct annotation *a, __u8 flags)
{
	a->flags |= (__u16)flags << OP_FLAGS_SHIFT;
}

/* Puts code and message of a google.rpc.Status into the record; 0: OK. */
static __always_inline void rpc_put_proto(struct annotation *a, __u64 proto)
{
	__u64 message[2] = {};

	if (grpc.code == GO_OFFSET_NONE) {
		a->arg = GRPC_CODE_UNKNOWABLE;
		return;
	}
	if (!proto)
		return;
	a->arg = read_u32(proto + grpc.code);
	read_user(message, sizeof(message), proto + grpc.code + GRPC_CODE_TO_MESSAGE);
	a->text[0] = rpc_text(message[0], message[1]);
}

/* io.EOF is how a stream says that all is well. */
static __always_inline bool rpc_is_eof(__u64 method, __u64 error)
{
	__u64 text[2] = {};
	char eof[3] = {};

	if (method != grpc_plain_error)
		return false;
	read_user(text, sizeof(text), error);
	if (text[1] != sizeof(eof))
		return false;
	read_user(eof, sizeof(eof), text[0]);
	return eof[0] == 'E' && eof[1] == 'O' && eof[2] == 'F';
}

/* Puts the status that an error stands for into the record. */
static __always_inline void rpc_put_error(struct annotation *a, __u64 itab, __u64 error)
{
	__u64 method = itab ? read_u64(itab + GRPC_ITAB_METHOD) : 0;

	if (!itab || rpc_is_eof(method, error))
		return;
	a->arg = GRPC_CODE_UNKNOWABLE;
	if (method != grpc_error || !grpc_error || grpc.error_form == GRPC_ERROR_UNKNOWN)
		return;
	if (grpc.error_form != GRPC_ERROR_IS_PROTO)
		error = read_u64(error);
	if (grpc.error_form == GRPC_ERROR_HAS_STATUS)
		error = read_u64(error);
	a->arg = 0;
	rpc_put_proto(a, error);
}

/* --- served --- */

/* (*Server).handleStream(t transport.ServerTransport, stream *transport.ServerStream, ...) */
SEC("uprobe")
int GO_PROGRAM(grpc_begin)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), stream, method[2] = {};
	struct annotation a = { .kind = REC_OP_BEGIN, .flags = OP_GRPC_SERVED };

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_NONE))
		return 0;
	a.pid_tgid = pid_tgid;
	stream = go_arg4(ctx);
	if (grpc.method_in != GO_OFFSET_NONE)
		stream = read_u64(stream + grpc.method_in);
	read_user(method, sizeof(method), stream + grpc.method);
	a.text[0] = rpc_text(method[0], method[1]);
	send_fitting(&a, 0);
	return 0;
}

/* The function that the caller of handleStream defers, where it begins. */
SEC("uprobe")
int GO_PROGRAM(grpc_deferred)(struct pt_regs *ctx)
{
	struct annotation a = { .kind = REC_OP_END, .flags = OP_GRPC_SERVED };

	a.pid_tgid = current_ids();
	if (!is_target(a.pid_tgid) || go_restarts(ctx, INLINE_NONE))
		return 0;
	send_room(&a, 0, 128);
	return 0;
}

/* Sends the status that the function with its probe here, WriteStatus(s, st), writes. */
static __always_inline int rpc_note(struct pt_regs *ctx, __u8 flags)
{
	__u64 pid_tgid = current_ids(), status, caller;
	struct annotation a = { .kind = REC_OP_NOTE, .flags = OP_GRPC_SERVED };

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_NONE))
		return 0;
	a.pid_tgid = pid_tgid;
	caller = go_caller(ctx, INLINE_NONE);
	if (caller > grpc_unary_start && caller <= grpc_unary_end)
		flags |= GRPC_UNARY;
	else if (caller > grpc_stream_start && caller <= grpc_stream_end)
		flags |= GRPC_STREAM;
	rpc_flags(&a, flags);
	status = go_arg3(ctx);
	rpc_put_proto(&a, status ? read_u64(status) : 0);
	send_fitting(&a, 0);
	return 0;
}

/* (*http2Server).WriteStatus, writeStatus */
SEC("uprobe")
int GO_PROGRAM(grpc_status)(struct pt_regs *ctx)
{
	return rpc_note(ctx, 0);
}

/* (*serverHandlerTransport).WriteStatus, writeStatus */
SEC("uprobe")
int GO_PROGRAM(grpc_http_status)(struct pt_regs *ctx)
{
	return rpc_note(ctx, GRPC_OVER_HTTP);
}

/* --- made --- */

/* A number that no other call has: a CPU runs one probe at a time. */
static __always_inline __u64 rpc_token(void)
{
	return bpf_ktime_get_ns() << 8 | (bpf_get_smp_processor_id() & 0xff);
}

/* invoke() of package grpc passes a StreamDesc without name and flags, streams have both. */
static __always_inline bool rpc_is_unary(__u64 desc)
{
	return !read_u64(desc + GRPC_DESC_NAME_LEN) && !read_u16(desc + GRPC_DESC_FLAGS);
}

/* Sets the call aside in which the goroutine makes @r. */
static __always_inline void rpc_put_outer(__u64 g, struct rpc *r)
{
	struct rpc *found = bpf_map_lookup_elem(&rpcs, &g), outer;
	__u64 key;

	if (!found || found->kind != OP_GRPC_CALL)
		return;
	outer = *found;
	r->outer = outer.token;
	key = RPC_TOKEN | outer.token;
	bpf_map_update_elem(&rpcs, &key, &outer, BPF_ANY);
}

/* newClientStream(ctx, desc *StreamDesc, cc, method string, opts) */
SEC("uprobe")
int GO_PROGRAM(grpc_call_begin)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), g;
	struct annotation a = { .kind = REC_OP_BEGIN };
	struct rpc r = {};

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_NONE))
		return 0;
	a.pid_tgid = pid_tgid;
	g = go_g(ctx);
	rpc_put_outer(g, &r);
	r.depth = depth_here(ctx, g) - ARCH_PUSHED;	/* of the caller */
	r.token = rpc_token();
	r.kind = rpc_is_unary(go_arg3(ctx)) ? OP_GRPC_CALL : OP_GRPC_STREAM;
	bpf_map_update_elem(&rpcs, &g, &r, BPF_ANY);
	a.flags = r.kind;
	a.task = r.token;
	a.text[0] = rpc_text(go_arg5(ctx), go_word(ctx, 6, arch_arg6(ctx)));
	send_fitting(&a, 0);
	return 0;
}

/* The call of (*clientStream).withRetry in newClientStream, or in newClientStreamWithParams. */
SEC("uprobe")
int GO_PROGRAM(grpc_call_stream)(struct pt_regs *ctx)
{
	__u64 stream = go_call_arg1(ctx), g;
	struct rpc *found, r;

	if (!is_target(current_ids()))
		return 0;
	g = go_g(ctx);
	found = bpf_map_lookup_elem(&rpcs, &g);
	if (!found || found->kind != OP_GRPC_STREAM)
		return 0;
	found->stream = stream;
	r = *found;
	bpf_map_update_elem(&rpcs, &stream, &r, BPF_ANY);
	return 0;
}

/* The goroutine has begun no other call since; one around it may go on. */
static __always_inline void rpc_forget(__u64 g, const struct rpc *r)
{
	__u64 key = RPC_TOKEN | r->outer;
	struct rpc *found = r->outer ? bpf_map_lookup_elem(&rpcs, &key) : 0, outer;

	if (!found) {
		bpf_map_delete_elem(&rpcs, &g);
		return;
	}
	outer = *found;
	bpf_map_update_elem(&rpcs, &g, &outer, BPF_ANY);
	bpf_map_delete_elem(&rpcs, &key);
}

static __always_inline void rpc_send_end(__u64 pid_tgid, const struct rpc *r, __u64 itab,
					 __u64 error)
{
	struct annotation a = { .kind = REC_OP_END, .pid_tgid = pid_tgid };

	a.flags = r->kind;
	a.task = r->token;
	rpc_put_error(&a, itab, error);
	send_fitting(&a, 0);
}

/*
 * newClientStream has returned: with an error the call ends here, without one it goes on. A
 * call that has ended before (newClientStream then calls finish) is not there any more: a call
 * around it may be, from another depth.
 */
static __always_inline int rpc_begun(struct pt_regs *ctx, __u64 pid_tgid, __u32 kind, __u64 itab,
				     __u64 error)
{
	struct rpc *found, r;
	__u64 g;

	if (!itab && kind == OP_GRPC_CALL)
		return 0;
	g = go_g(ctx);
	found = bpf_map_lookup_elem(&rpcs, &g);
	if (!found || found->kind != kind)
		return 0;
	if (kind == OP_GRPC_CALL && found->depth != depth_here(ctx, g))
		return 0;
	r = *found;
	rpc_forget(g, &r);
	if (!itab)
		return 0;
	if (r.stream)
		bpf_map_delete_elem(&rpcs, &r.stream);
	rpc_send_end(pid_tgid, &r, itab, error);
	return 0;
}

/*
 * The jump behind the call of newClientStream in invoke(). With GO_ABI_STACK the results are on the
 * stack, behind nine words of arguments and the two of the first result.
 */
SEC("uprobe")
int GO_PROGRAM(grpc_call_refused)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids();

	return is_target(pid_tgid) ?
	       rpc_begun(ctx, pid_tgid, OP_GRPC_CALL,
			 go_word(ctx, ARCH_CALL_WORD + 11, arch_arg3(ctx)),
			 go_word(ctx, ARCH_CALL_WORD + 12, arch_arg4(ctx))) : 0;
}

/* The returns of (*ClientConn).NewStream: once for each stream, so that their price is borne. */
SEC("uprobe")
int GO_PROGRAM(grpc_stream_opened)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids();

	return is_target(pid_tgid) ?
	       rpc_begun(ctx, pid_tgid, OP_GRPC_STREAM, go_word(ctx, 12, arch_arg3(ctx)),
			 go_word(ctx, 13, arch_arg4(ctx))) : 0;
}

/* (*clientStream).finish(err): the first one counts. */
SEC("uprobe")
int GO_PROGRAM(grpc_call_end)(struct pt_regs *ctx)
{
	__u64 pid_tgid = current_ids(), stream, g;
	struct rpc *found, r;

	if (!is_target(pid_tgid) || go_restarts(ctx, INLINE_NONE))
		return 0;
	stream = go_arg1(ctx);
	found = bpf_map_lookup_elem(&rpcs, &stream);
	if (found) {
		r = *found;
		bpf_map_delete_elem(&rpcs, &stream);
	} else {
		g = go_g(ctx);
		found = bpf_map_lookup_elem(&rpcs, &g);
		if (!found)
			return 0;
		r = *found;
		rpc_forget(g, &r);
	}
	rpc_send_end(pid_tgid, &r, go_arg2(ctx), go_arg3(ctx));
	return 0;
}
