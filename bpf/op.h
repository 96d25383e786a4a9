/* SPDX-License-Identifier: GPL-2.0 */
/*
 * op: begin and end of an operation (include/op_kind.h), for the probes of calls and queries.
 */
#ifndef GOTAP_BPF_OP_H
#define GOTAP_BPF_OP_H

#include "annotation.h"
#include "op_kind.h"

/* The record of an operation of @kind: @record is REC_OP_BEGIN or REC_OP_END. */
static __always_inline struct annotation op_record(__u8 record, __u8 kind, __u8 flags)
{
	return (struct annotation){
		.kind = record, .flags = kind | (__u16)flags << OP_FLAGS_SHIFT,
	};
}

/* The Go string at @at; none if @at is 0. */
static __always_inline struct text op_text(__u64 at)
{
	__u64 t[2] = {};

	if (at)
		read_user(t, sizeof(t), at);
	return text_at(t[0], t[1]);
}

#endif
