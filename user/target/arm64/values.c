// SPDX-License-Identifier: Apache-2.0
/* arm64_values: see values.h. */
#include "target/arm64/values.h"

enum { ARM64_WORD = 8 };

void arm64_values_begin(struct arm64_values *v)
{
	unsigned int i;

	*v = (struct arm64_values){0};
	for (i = 0; i < ARM64_SP; i++)
		v->regs[i] = (struct arm64_value){ .kind = ARM64_WAS,
						   .was = { .reg = (unsigned char)i } };
}

static struct arm64_value values_slot(const struct arm64_values *v, int64_t disp)
{
	struct arm64_value none = {0};
	size_t i;

	for (i = 0; i < v->nslots; i++)
		if (v->slots[i].disp == disp)
			return v->slots[i].now;
	if (disp != (short)disp)
		return none;
	return (struct arm64_value){ .kind = ARM64_WAS,
				     .was = { .in_frame = 1, .disp = (short)disp } };
}

static void values_set_slot(struct arm64_values *v, int64_t disp, struct arm64_value now)
{
	size_t i;

	for (i = 0; i < v->nslots && v->slots[i].disp != disp; i++)
		;
	if (i == ARM64_SLOTS) {
		v->lost = true;
		return;
	}
	v->nslots += i == v->nslots;
	v->slots[i].disp = disp;
	v->slots[i].now = now;
}

/* A vector, or less than a word that is not the whole of a value: what is there is not known. */
static void values_store(struct arm64_values *v, const struct arm64_insn *insn)
{
	struct arm64_value none = {0};
	bool word = insn->size >= 4 && !insn->vector;
	int64_t at;

	if (insn->rn != ARM64_SP)
		return;
	values_set_slot(v, insn->imm, word ? v->regs[insn->rd] : none);
	if (insn->pair)
		values_set_slot(v, insn->imm + insn->size, word ? v->regs[insn->rt2] : none);
	for (at = ARM64_WORD; insn->vector && at < insn->size; at += ARM64_WORD)
		values_set_slot(v, insn->imm + at, none);
}

static struct arm64_value values_sum(const struct arm64_values *v, const struct arm64_insn *insn)
{
	const struct arm64_value *a = &v->regs[insn->rn], *b = &v->regs[insn->rm];

	if (a->kind != ARM64_WAS || b->kind != ARM64_WAS)
		return (struct arm64_value){0};
	return (struct arm64_value){ .kind = ARM64_SUM, .was = a->was, .more = b->was };
}

/* Moves of 32 bits keep the whole of a size, because sizes are below 2^32. */
void arm64_values_step(struct arm64_values *v, const struct arm64_insn *insn)
{
	struct arm64_value first = {0}, second = {0};
	unsigned int i;

	if (insn->op == ARM64_LOAD && insn->rn == ARM64_SP && insn->size >= 4 && !insn->vector) {
		first = values_slot(v, insn->imm);
		if (insn->pair)
			second = values_slot(v, insn->imm + insn->size);
	} else if (insn->op == ARM64_MOVE && !insn->has_sp) {
		first = v->regs[insn->rm];
	} else if (insn->op == ARM64_ADD) {
		first = values_sum(v, insn);
	}
	if (insn->op == ARM64_STORE)
		values_store(v, insn);
	for (i = 0; i < ARM64_SP; i++)
		if (arm64_writes(insn, i))
			v->regs[i].kind = ARM64_UNKNOWN;
	if (insn->rd != ARM64_ZERO && arm64_writes(insn, insn->rd) && insn->op != ARM64_STORE)
		v->regs[insn->rd] = first;
	if (insn->pair && insn->op == ARM64_LOAD && insn->rt2 != ARM64_ZERO && !insn->vector)
		v->regs[insn->rt2] = second;
}

void arm64_values_call(struct arm64_values *v)
{
	unsigned int i;

	for (i = 0; i < ARM64_SP; i++)
		v->regs[i].kind = ARM64_UNKNOWN;
}

bool arm64_is_known(const struct arm64_value *v)
{
	return v->kind == ARM64_WAS;
}
