/* SPDX-License-Identifier: GPL-2.0 */
/*
 * http_route: records about the handlers of requests of which no route is known: other routers than
 * http.ServeMux leave Request.Pattern empty, and middlewares pass on copies of the request. The
 * stack has the functions of the handler, and the frame of a ServeMux has the copy with the
 * pattern.
 *
 * Only BPF programs may include this header: a frame of C code may have any value in place of a
 * frame pointer, and a slot of a frame any old word, if its function has stored nothing there yet.
 * A helper of BPF fails at such an address, code inside the target would crash the program.
 */
#ifndef GOTAP_BPF_HTTP_ROUTE_H
#define GOTAP_BPF_HTTP_ROUTE_H

#include "http_text.h"

#ifdef GO_INLINE
#error "code inside the target must not follow these addresses"
#endif

/* Are both the same string? Copies of a request have the method from where the first has it. */
static __always_inline bool http_is_copy(__u64 a, __u64 b)
{
	__u64 first[2] = {}, second[2] = {};

	if (bpf_probe_read_user(first, sizeof(first), (void *)(a + HTTP_REQUEST_METHOD)) ||
	    bpf_probe_read_user(second, sizeof(second), (void *)(b + HTTP_REQUEST_METHOD)))
		return false;
	return first[0] && first[0] == second[0] && first[1] == second[1];
}

/*
 * The innermost copy of @request in the frames of the stack from @bp on that has a pattern; 0:
 * there is none. (*ServeMux).ServeHTTP(w ResponseWriter, r *Request) needs r after a call, so it
 * stores r where its caller has reserved room for the register, the fourth of them.
 */
static __always_inline __u64 http_copy_on_stack(__u64 request, __u64 bp)
{
	enum { FRAMES = 24, ARGUMENTS = 16, FOURTH = ARGUMENTS + 3 * 8 };
	__u64 frame[2] = {}, copy;
	int i;

	for (i = 0; i < FRAMES; i++) {
		if (!bp || bpf_probe_read_user(frame, sizeof(frame), (void *)bp))
			break;
		bp = frame[0];
		if (frame[1] - http_mux_start >= http_mux_end - http_mux_start)
			continue;
		copy = peek_u64(bp + FOURTH);
		if (copy && http_is_copy(copy, request) && http_pattern(copy).len)
			return copy;
	}
	return 0;
}

static __always_inline int http_send_route(__u64 pid_tgid, __u64 request, __u64 pc, __u64 bp)
{
	struct annotation a = {
		.kind = REC_HTTP_ROUTE, .pid_tgid = pid_tgid, .task = request,
		.from = { .pc = pc, .bp = bp },
	};
	__u64 copy;

	if (!request || http_pattern(request).len)
		return 0;
	copy = http_mux_start ? http_copy_on_stack(request, bp) : 0;
	if (copy)
		a.text[0] = http_pattern(copy);
	return send_annotation(&a);
}

#endif
