// SPDX-License-Identifier: Apache-2.0
/* code: chooses the functions of target/code.h by the architecture of the program (code.def). */
#include "target/code_ops.h"

static const struct code_ops code_tables[GOARCHES] = {
	[GOARCH_AMD64] = {
#define CODE_OP(result, name, params, args) .name = x86_##name,
#define CODE_BYTES(result, name, params) .name = x86_##name,
#include "target/code.def"
#undef CODE_OP
#undef CODE_BYTES
	},
	[GOARCH_ARM64] = {
#define CODE_OP(result, name, params, args) .name = arm64_##name,
#define CODE_BYTES(result, name, params) .name = arm64_##name,
#include "target/code.def"
#undef CODE_OP
#undef CODE_BYTES
	},
};

const struct code_ops *code_of(const struct gobin *b)
{
	return &code_tables[gobin_arch(b)->id];
}

#define CODE_OP(result, name, params, args) \
	result name params { return code_of(b)->name args; }
#define CODE_BYTES(result, name, params)
#include "target/code.def"
