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
 * argument of a call that goes on, and the pattern only if it is a constant of the program. It
 * follows frame pointers within the goroutine's stack alone, as for all other stacks
 * (inline/frames.h).
 *
 * The copy may have been collected meanwhile, since the ServeMux needs it no longer: the memory of
 * the heap remains mapped, and may be an object of any type. http_is_copy() looks whether it is a
 * request, and the only pointer in it that is followed is one to constants, which are always there.
 */
#ifndef GOTAP_BPF_HTTP_ROUTE_H
#define GOTAP_BPF_HTTP_ROUTE_H

#include "http_text.h"

/* The begin of an http.Request, the same in all releases. */
struct http_request {
	__u64 method[2], url, proto[2], major, minor;
};

/*
 * Is @a a copy of the request @b, as Request.WithContext() makes them? In HTTP/1 the method and the
 * protocol are parts of one string, which no other request has.
 */
static __always_inline bool http_is_copy(__u64 a, __u64 b)
{
	struct http_request first = {}, second = {};

	if (bpf_probe_read_user(&first, sizeof(first), (void *)(a + HTTP_REQUEST_METHOD)) ||
	    bpf_probe_read_user(&second, sizeof(second), (void *)(b + HTTP_REQUEST_METHOD)))
		return false;
	return first.method[0] && first.method[0] == second.method[0] &&
	       first.method[1] == second.method[1] && first.proto[0] == second.proto[0] &&
	       first.proto[1] == second.proto[1] && first.major == second.major &&
	       first.minor == second.minor;
}

/* MUX_FOURTH: (*ServeMux).ServeHTTP(w ResponseWriter, r *Request) has r there in its arguments. */
enum { MUX_FRAMES = 24, MUX_FOURTH = 3 * 8 };

/* Is the text where the program has its constants, and no longer than these? */
static __always_inline bool http_is_constant(const struct text *t)
{
	__u64 at = t->ptr - constants_start, size = constants_end - constants_start;

	return at < size && t->len <= size - at;
}

/*
 * The pattern of @copy, from the frame of a ServeMux; none, if it is not a copy of @request, or if
 * it is no constant and this is code inside of the target.
 */
static __always_inline struct text http_copied_pattern(__u64 copy, __u64 request)
{
	struct text t;

	if (!copy || copy & 7 || !http_is_copy(copy, request))
		return text_at(0, 0);
	t = http_pattern(copy);
#ifdef GO_INLINE
	if (!http_is_constant(&t))
		return text_at(0, 0);
#endif
	return t;
}

/*
 * The pattern of the innermost copy of @request in the frames of the stack from @bp on that has
 * one. (*ServeMux).ServeHTTP needs r after a call, so it stores r where its caller has
 * reserved room for the register, the fourth of them.
 */
#ifdef GO_INLINE
static __always_inline struct text http_pattern_on_stack(__u64 request, __u64 bp, __u64 key)
{
	struct text none = {}, t;
	struct frame f, argument;
	struct window w;
	int i;

	if (!http_mux_return)
		return none;
	window_open(&w);
	for (i = 0; i < MUX_FRAMES && window_frame(&w, bp, &f); i++) {
		bp = f.bp;
		if (f.ret != http_mux_return ||
		    !window_frame(&w, go_frame_args(bp) + MUX_FOURTH, &argument))
			continue;
		t = http_copied_pattern(argument.bp, request);
		if (t.len)
			return t;
	}
	return none;
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

static __always_inline struct text http_pattern_on_stack(__u64 request, __u64 bp, __u64 key)
{
	__u64 *known = &http_no_mux[key & (HTTP_STACKS - 1)], frame[2] = {};
	struct text none = {}, t;
	bool whole = http_is_whole(key);
	int i;

	if (!http_mux_start || (whole && *known == key))
		return none;
	for (i = 0; i < MUX_FRAMES && bp; i++) {
		if (bpf_probe_read_user(frame, sizeof(frame), (void *)bp))
			return none;
		bp = frame[0];
		if (frame[1] - http_mux_start >= http_mux_end - http_mux_start)
			continue;
		whole = false;
		t = http_copied_pattern(peek_u64(go_frame_args(bp) + MUX_FOURTH), request);
		if (t.len)
			return t;
	}
	if (whole)
		*known = key;
	return none;
}
#endif

static __always_inline int http_send_route(__u64 pid_tgid, __u64 request, __u64 pc, __u64 bp)
{
	struct annotation a = {
		.kind = REC_HTTP_ROUTE, .pid_tgid = pid_tgid, .task = request,
		.from = { .pc = pc, .bp = bp },
	};
	__u64 key;

	if (!request || http_pattern(request).len)
		return 0;
	key = stack_key(&a.from, STACK_USER);
	a.text[0] = http_pattern_on_stack(request, bp, key);
	return send_annotation_of(&a, key);
}

#endif
