/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flow: which instructions of one function run after others, and where the function asks the
 * runtime's own tracer (target/trace_hook.h). Used by exitsyscall.c and assist.c.
 */
#ifndef GOTAP_TARGET_X86_FLOW_H
#define GOTAP_TARGET_X86_FLOW_H

#include "target/gobin.h"
#include "target/trace_hook.h"
#include "target/x86/insn.h"

/* A function, and its instruction @insn at offset @at, once that is decoded. */
struct flow {
	const struct gobin *b;
	uint64_t start;
	const uint8_t *code;	/* NULL: the code is not in the file */
	size_t n, at;
	struct x86_insn insn;
};

struct flow flow_of(const struct gobin *b, const struct gobin_func *fn);
/* Decodes the instruction at offset @at. -ENOTSUP if the decoder does not know it. */
int flow_decode(struct flow *f, size_t at);
/* Decodes the first instruction from @at on that is no padding. */
int flow_skip_padding(struct flow *f, size_t at);
bool flow_is_padding(const struct x86_insn *insn);
/* test %reg,%reg of 64 bits */
bool flow_is_test_of(const struct x86_insn *insn, unsigned int reg);
/* Returns the offset to which the decoded relative jump or call leads. */
size_t flow_branch_target(const struct flow *f);
bool flow_calls(const struct flow *f, const char *name);

/* Offsets in a function. */
struct flow_set {
	bool *has;
	size_t n;
};

struct flow_set flow_set(const struct flow *f);
void flow_put(struct flow_set *s, size_t at);
bool flow_has(const struct flow_set *s, size_t at);
void flow_clear(struct flow_set *s);
void flow_free(struct flow_set *s);

/*
 * Adds to @seen the instructions that may run from the @n offsets @from on. The search ends at
 * instructions of @stop, which are added, too. -ENOTSUP if an instruction leads to an unknown
 * place.
 */
int flow_reach(const struct flow *f, const size_t *from, size_t n, const struct flow_set *stop,
	       struct flow_set *seen);
/*
 * Returns whether a way leads from @from to @goal without @avoid; true also if some code cannot be
 * decoded.
 */
bool flow_may_reach(const struct flow *f, size_t from, size_t avoid, size_t goal);
/* Returns whether one of @seen is a return. */
bool flow_returns(const struct flow *f, const struct flow_set *seen);

/*
 * Returns 0 and fills @ret if the decoded instruction begins a question to the tracer. -ENOTSUP if
 * it does not, or if a way that avoids the test of the flag leads to the call. @f then is at
 * another instruction.
 */
int flow_asks_tracer(struct flow *f, struct trace_hook *ret);

#endif
