/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arm64_values: where values of one place of a function are at a later one. In: instructions one
 * after the other. Out: registers and words of the frame, given as operands of the first place.
 * Used by stackalloc.c.
 */
#ifndef GOTAP_TARGET_ARM64_VALUES_H
#define GOTAP_TARGET_ARM64_VALUES_H

#include "gooffsets.h"
#include "target/arm64/walk.h"

struct arm64_value {
	enum { ARM64_UNKNOWN, ARM64_WAS, ARM64_SUM } kind;
	struct go_operand was, more;	/* ARM64_SUM: the two terms */
};

enum { ARM64_SLOTS = 32 };

struct arm64_values {
	struct arm64_value regs[32];
	struct { int64_t disp; struct arm64_value now; } slots[ARM64_SLOTS];
	size_t nslots;
	bool lost;	/* a write to the frame that slots cannot hold */
};

void arm64_values_begin(struct arm64_values *v);
/* Follows one instruction, which is no branch. */
void arm64_values_step(struct arm64_values *v, const struct arm64_insn *insn);
/* A call: all registers are lost. */
void arm64_values_call(struct arm64_values *v);
/* Returns whether the BPF side can read the operand. */
bool arm64_is_known(const struct arm64_value *v);

#endif
