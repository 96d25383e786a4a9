/* SPDX-License-Identifier: GPL-2.0 */
/*
 * annotation: a record with two texts of the program, for the probes of annotations and of
 * requests.
 */
#ifndef GOTAP_BPF_ANNOTATION_H
#define GOTAP_BPF_ANNOTATION_H

#include "emit.h"
#include "stack.h"

/* A Go string: its address, and how many of its bytes the trace format takes. */
struct text {
	__u64 ptr;
	__u32 len;
};

static __always_inline struct text text_at(__u64 ptr, __u64 len)
{
	return (struct text){ ptr, len > REC_TEXT_MAX ? REC_TEXT_MAX : (__u32)len };
}

struct annotation {
	__u64 pid_tgid;
	__u64 task, arg;
	struct stack_start from;
	struct text text[2];
	__u8 kind;
	__u16 flags;		/* of the record */
	__u8 skip;		/* leaf frames that the runtime's tracer leaves out */
};

/*
 * Reads @n bytes of a text to @to. A text that is not in memory is most likely a constant of the
 * program: either the program has not touched its page yet, or the kernel has reclaimed the page.
 * The record is then marked, and user space takes the text from the program's file
 * (user/capture/texts.h).
 */
static __always_inline __u8 read_text(char *to, __u32 n, __u64 from, enum rec_missing mark)
{
	if (!bpf_probe_read_user(to, n, (void *)from))
		return 0;
	__sync_fetch_and_add(&texts_missing, 1);
	return mark;
}

/*
 * Makes a record with @room bytes behind its head, of which the texts take @space at most; NULL:
 * there is no room. The caller submits it.
 */
static __always_inline struct rec_user *annotation_begin(const struct annotation *a, __u64 key,
							 const __u32 room, const __u32 space)
{
	struct rec_user *u = ring_reserve(ring_of_cpu(), sizeof(*u) + room);
	__u32 first = a->text[0].len, second = a->text[1].len;
	__u8 missing = 0;

	if (!u)
		return 0;
	rec_fill(&u->r, (__u32)a->pid_tgid, a->kind, 0);
	u->r.id = a->task;
	u->r.ptr = a->text[0].ptr;
	u->stack = key;
	u->arg = a->arg;
	u->room = room;
	/*
	 * The verifier wants both bounds right before each read. The compiler knows the first one
	 * from the callers and would drop the test, see below.
	 */
	asm volatile("" : "+r"(first));
	if (first > space)
		first = space;
	if (first)
		missing = read_text(u->text, first, a->text[0].ptr, REC_MISSING_FIRST);
	if (second > space - first)
		second = space - first;
	/*
	 * The compiler knows the bounds that follow and would drop the test. The verifier of Linux
	 * 5.10 has forgotten them, because it keeps no bounds of a spilled register.
	 */
	asm volatile("" : "+r"(first), "+r"(second));
	if (second && first <= space / 2 && second <= space / 2) {
		missing |= read_text(u->text + first, second, a->text[1].ptr, REC_MISSING_SECOND);
	} else {
		second = 0;
	}
	u->len[0] = first;
	u->len[1] = second;
	u->r.sub = missing;
	u->r.flags = a->flags;
	return u;
}

static __always_inline void send_room(const struct annotation *a, __u64 key, const __u32 room)
{
	struct rec_user *u = annotation_begin(a, key, room, room);

	if (u)
		rec_submit(u);
}

/* In the smallest room that has space for both texts. */
static __always_inline void send_fitting(const struct annotation *a, __u64 word)
{
	__u32 most = a->text[0].len > a->text[1].len ? a->text[0].len : a->text[1].len;

	if (!most)
		send_room(a, word, REC_USER_NONE);
	else if (most <= 64)
		send_room(a, word, 128);
	else if (most <= 256)
		send_room(a, word, 512);
	else
		send_room(a, word, REC_USER_MAX);
}

static __always_inline void define_if_new(const struct annotation *a, __u64 key)
{
	if (stack_is_new(key))
		stack_define(key, &a->from, (__u32)a->pid_tgid, STACK_USER, a->skip);
}

/* With the stack from a->from on, of which @key is the key. */
static __always_inline int send_annotation_of(const struct annotation *a, __u64 key)
{
	if (STACK_FIRST)
		define_if_new(a, key);
	send_fitting(a, key);
	if (!STACK_FIRST)
		define_if_new(a, key);
	return 0;
}

static __always_inline int send_annotation(const struct annotation *a)
{
	return send_annotation_of(a, stack_key(&a->from, STACK_USER));
}

#endif
