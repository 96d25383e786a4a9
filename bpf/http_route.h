/* SPDX-License-Identifier: GPL-2.0 */
/*
 * http_route: records about the handlers of requests of which no route is known: other routers than
 * http.ServeMux leave Request.Pattern empty, and middlewares pass on copies of the request. The
 * stack has the functions of the handler, and the frame of a ServeMux has the copy with the
 * pattern.
 *
 * A slot of a frame has any old word if its function has stored nothing there yet. A helper of BPF
 * fails at such an address, code inside the target would crash the program. That code therefore
 * takes the request only from a frame in which http_mux_return proves that it was stored, as the
 * argument of a call that goes on. It follows frame pointers within the goroutine's stack alone,
 * as for all other stacks (inline/frames.h).
 */
#ifndef GOTAP_BPF_HTTP_ROUTE_H
#define GOTAP_BPF_HTTP_ROUTE_H

#include "http_text.h"

/* Are both the same string? Copies of a request have the method from where the first has it. */
static __always_inline bool http_is_copy(__u64 a, __u64 b)
{
	__u64 first[2] = {}, second[2] = {};

	if (bpf_probe_read_user(first, sizeof(first), (void *)(a + HTTP_REQUEST_METHOD)) ||
	    bpf_probe_read_user(second, sizeof(second), (void *)(b + HTTP_REQUEST_METHOD)))
		return false;
	return first[0] && first[0] == second[0] && first[1] == second[1];
}

/* Where the frame of (*ServeMux).ServeHTTP(w ResponseWriter, r *Request) has r. */
enum { MUX_FRAMES = 24, MUX_ARGUMENTS = 16, MUX_FOURTH = MUX_ARGUMENTS + 3 * 8 };

/*
 * Is @copy, from the frame of a ServeMux, a copy of @request with a pattern? While @request is
 * served no other memory has the address of its method, which is its own in HTTP/1.
 */
static __always_inline bool http_has_pattern(__u64 copy, __u64 request)
{
	return copy && !(copy & 7) && http_is_copy(copy, request) && http_pattern(copy).len;
}

/*
 * The innermost copy of @request in the frames of the stack from @bp on that has a pattern; 0:
 * there is none. (*ServeMux).ServeHTTP needs r after a call, so it stores r where its caller has
 * reserved room for the register, the fourth of them.
 */
#ifdef GO_INLINE
static __always_inline __u64 http_copy_on_stack(__u64 request, __u64 bp, __u64 key)
{
	struct frame f, argument;
	struct window w;
	int i;

	if (!http_mux_return)
		return 0;
	window_open(&w);
	for (i = 0; i < MUX_FRAMES && window_frame(&w, bp, &f); i++) {
		bp = f.bp;
		if (f.ret == http_mux_return && window_frame(&w, bp + MUX_FOURTH, &argument) &&
		    http_has_pattern(argument.bp, request))
			return argument.bp;
	}
	return 0;
}
#else
/*
 * Keys of stacks that have no frame of a ServeMux, each over another one: the walk below is half of
 * the price of a response. A key is that of all frames of the walk, unless its own walk was cut.
 */
enum { HTTP_STACKS = 64 };

extern __u64 http_no_mux[HTTP_STACKS];

static __always_inline bool http_is_whole(__u64 key)
{
	return key && !(key & (STACK_KEY_CUT | STACK_KEY_SHORT)) && stack_depth > MUX_FRAMES + 1;
}

static __always_inline __u64 http_copy_on_stack(__u64 request, __u64 bp, __u64 key)
{
	__u64 *known = &http_no_mux[key & (HTTP_STACKS - 1)], frame[2] = {}, copy;
	bool whole = http_is_whole(key);
	int i;

	if (!http_mux_start || (whole && *known == key))
		return 0;
	for (i = 0; i < MUX_FRAMES && bp; i++) {
		if (bpf_probe_read_user(frame, sizeof(frame), (void *)bp))
			return 0;
		bp = frame[0];
		if (frame[1] - http_mux_start >= http_mux_end - http_mux_start)
			continue;
		whole = false;
		copy = peek_u64(bp + MUX_FOURTH);
		if (http_has_pattern(copy, request))
			return copy;
	}
	if (whole)
		*known = key;
	return 0;
}
#endif

static __always_inline int http_send_route(__u64 pid_tgid, __u64 request, __u64 pc, __u64 bp)
{
	struct annotation a = {
		.kind = REC_HTTP_ROUTE, .pid_tgid = pid_tgid, .task = request,
		.from = { .pc = pc, .bp = bp },
	};
	__u64 copy, key;

	if (!request || http_pattern(request).len)
		return 0;
	key = stack_key(&a.from, STACK_USER);
	copy = http_copy_on_stack(request, bp, key);
	if (copy)
		a.text[0] = http_pattern(copy);
	return send_annotation_of(&a, key);
}

#endif
