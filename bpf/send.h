/* SPDX-License-Identifier: GPL-2.0 */
/* send: records that probes of several files make. */
#ifndef GOTAP_BPF_SEND_H
#define GOTAP_BPF_SEND_H

#include "emit.h"

/* Sends a record about @p. */
static __always_inline int send_p(__u64 pid_tgid, __u64 p, __u8 kind, __u8 sub)
{
	struct rec *r = rec_begin(sizeof(*r), pid_tgid, kind, sub);

	if (!r)
		return 0;
	r->id = read_u32(p + off.p_id);
	r->ptr = p;
	rec_submit(r);
	return 0;
}

/* Sends a record of the heap: it has @value bytes, and @delta bytes are about to be added. */
static __always_inline int send_value(__u64 pid_tgid, __u8 kind, __u64 value, __u64 delta)
{
	struct rec_long *l = rec_begin(sizeof(*l), pid_tgid, kind, 0);

	if (!l)
		return 0;
	l->r.id = 0;
	l->r.ptr = delta;
	l->stack = 0;
	l->arg = value;
	rec_submit(l);
	return 0;
}

#endif
