/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_ops: the table of functions that an architecture has (code.def). Only target/code.c and
 * other files of target/ use it; plan/ and cmd/ use the functions of target/code.h, which choose
 * the table by the program.
 */
#ifndef GOTAP_TARGET_CODE_OPS_H
#define GOTAP_TARGET_CODE_OPS_H

#include "target/around.h"
#include "target/code.h"

/* What a sweep over the instructions of one function finds. */
struct function_sweep {
	struct vec *ends;	/* uint32_t: offsets of the returns */
	/* int64_t: targets of jumps out of the function, from its start */
	struct vec jumps;
	bool restarts;		/* a jump leads to the first instruction */
};

/* How the kernel runs the first instruction of a function under a uprobe. */
enum first_step { FIRST_EMULATED, FIRST_STEPPED, FIRST_REFUSED };

struct code_ops {
#define CODE_OP(result, name, params, args) result (*name) params;
#define CODE_BYTES(result, name, params) result (*name) params;
#include "target/code.def"
#undef CODE_OP
#undef CODE_BYTES
};

/* Returns the functions for the architecture of @b. */
const struct code_ops *code_of(const struct gobin *b);

/* The functions of each architecture. */
#define CODE_OP(result, name, params, args) result x86_##name params; result arm64_##name params;
#define CODE_BYTES(result, name, params) result x86_##name params; result arm64_##name params;
#include "target/code.def"
#undef CODE_OP
#undef CODE_BYTES

#endif
