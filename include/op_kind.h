/* SPDX-License-Identifier: Apache-2.0 */
/* op_kind: the kinds of operations (op.def) as numbers. Both sides compile this header. */
#ifndef GOTAP_OP_KIND_H
#define GOTAP_OP_KIND_H

enum op_kind {
	OP_NONE,
#define OP(number, name) OP_##name = number,
#include "op.def"
#undef OP
	OP_KINDS = 64,
};

/* The word `flags` of REC_OP_BEGIN and REC_OP_END: the kind, and 8 bits of that kind above it. */
enum { OP_KIND_MASK = 0xff, OP_FLAGS_SHIFT = 8 };

#endif
