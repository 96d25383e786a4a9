/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flow: which instructions of one function run after others, and where it asks the runtime's own
 * tracer (target/trace_hook.h). Used by exitsyscall.c and assist.c.
 */
#ifndef GOTAP_TARGET_X86_FLOW_H
#define GOTAP_TARGET_X86_FLOW_H

#include "target/gobin.h"
#include "target/trace_hook.h"
#include "target/x86/insn.h"

/* A function, and the instruction @insn at offset @at of it, once it is decoded. */
struct flow {
	const struct gobin *b;
	uint64_t start;
	const uint8_t *code;	/* NULL: not in the file */
	size_t n, at;
	struct x86_insn insn;
};

struct flow flow_of(const struct gobin *b, const struct gobin_func *fn);
/* -ENOTSUP if there is no instruction at that offset that the decoder knows. */
int flow_decode(struct flow *f, size_t at);
/* The first one from @at on that is no padding. */
int flow_skip_padding(struct flow *f, size_t at);
bool flow_is_padding(const struct x86_insn *insn);
/* test %reg,%reg of 64 bits */
bool flow_is_test_of(const struct x86_insn *insn, unsigned int reg);
/* Offset to which the relative jump or call leads. */
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
 * Can @goal be reached from @from without going through @avoid? True if that cannot be found out,
 * too.
 */
bool flow_may_reach(const struct flow *f, size_t from, size_t avoid, size_t goal);
/* Is one of @seen a return? */
bool flow_returns(const struct flow *f, const struct flow_set *seen);

/*
 * Is the decoded instruction the begin of a question to the tracer? -ENOTSUP if not, and where
 * another way than by the test of the flag leads to the call. @f is elsewhere then.
 */
int flow_asks_tracer(struct flow *f, struct trace_hook *ret);

#endif
