/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign: the door for records of code inside the target (`--attach inline`). They come from
 * memory that the target can write, so that any byte of them may be forged. foreign_take() looks at
 * a copy that is gotap's own, and checks all that later code relies on: a record that has passed is
 * as good as one of the kernel's. Those that are refused are counted by the reason.
 */
#ifndef GOTAP_RINGS_FOREIGN_H
#define GOTAP_RINGS_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"
#include "rings/foreign_stacks.h"
#include "rings/foreign_threads.h"

/* Why a record was refused. */
enum foreign_fault {
	FOREIGN_KIND,	/* code in the target makes none of that kind */
	FOREIGN_SIZE,	/* it does not end in the bytes that are there: nor do those behind it */
	FOREIGN_VALUE,	/* a word has a value that it cannot have */
	FOREIGN_TEXT,	/* lengths of texts that do not fit their room */
	FOREIGN_THREAD,	/* of a thread that the target does not have */
	FOREIGN_STACK,	/* a stack beyond those that there may be */
	FOREIGN_FAULTS,
};

enum { FOREIGN_KINDS = REC_SKIP + 1 };

/* Which values the words of a kind can have. */
struct foreign_rule {
	uint64_t id, ptr, stack, arg;	/* the highest ones */
	uint64_t id_least;
	uint16_t flags;
	uint8_t sub;
	uint8_t ptr_low;	/* bits of ptr that are 0 */
	uint8_t texts;		/* how many there are, if it has_texts */
	bool sent;		/* code in the target makes such records */
	bool has_words, has_texts, has_stack, is_stack, arg_is_tid;
	/*
	 * For foreign_passes(). The length of a record; 0: foreign_passes() does not know the kind.
	 * Bits that are 0 in id, ptr, stack and arg: all of those above the highest value. Bits of
	 * the word stack that are the key of a stack.
	 */
	uint8_t size;
	uint64_t id_zero, ptr_zero, stack_zero, arg_zero, key;
	uint32_t head_zero;	/* likewise of kind, sub and flags, as foreign_head() has them */
};

struct foreign {
	struct foreign_rule rules[FOREIGN_KINDS];	/* by kind */
	struct foreign_threads threads;
	struct foreign_stacks stacks;
	uint64_t turned;	/* ns: when this second began */
	uint64_t refused[FOREIGN_FAULTS];	/* since the start */
};

/* @early_goid: a goroutine has its goid before its creation is recorded, as from Go 1.24 on. */
void foreign_init(struct foreign *f, const struct process *proc, bool early_goid);
/* Accepts a zeroed one. */
void foreign_free(struct foreign *f);
/* A round of the drain begins at @now, ns. */
void foreign_round(struct foreign *f, uint64_t now);
/* foreign_take() of any record. */
size_t foreign_examine(struct foreign *f, struct rec *r, size_t avail, bool *sound);

/* The words kind, sub and flags as one. */
static inline uint32_t foreign_head(const struct rec *r)
{
	uint32_t head;

	_Static_assert(offsetof(struct rec, sub) == offsetof(struct rec, kind) + 1 &&
		       offsetof(struct rec, flags) == offsetof(struct rec, kind) + 2, "record.h");
	__builtin_memcpy(&head, &r->kind, sizeof(head));
	return head;
}

static inline const struct foreign_rule *foreign_rule(const struct foreign *f,
						      const struct rec *r)
{
	return &f->rules[r->kind % FOREIGN_KINDS];
}

/*
 * True for a sound record, of which the thread and the stack are recent ones, as those of nearly
 * all are. All words of a struct rec_long can be read.
 */
static inline bool foreign_passes(const struct foreign *f, const struct foreign_rule *rule,
				  const struct rec *r)
{
	const struct rec_long *l = (const struct rec_long *)r;
	uint64_t bad = (r->id & rule->id_zero) | (r->ptr & rule->ptr_zero) |
		       (l->stack & rule->stack_zero) | (l->arg & rule->arg_zero) |
		       (foreign_head(r) & rule->head_zero);
	uint64_t key = l->stack & rule->key;

	return rule->size && !bad && foreign_threads_knows(&f->threads, r->tid) &&
	       foreign_stacks_knows(&f->stacks, key);
}

/*
 * The record at @r, of which @avail bytes are gotap's own. Returns its length, 0 if it has none,
 * and then nothing behind it has. Sets @sound to whether it may pass; if not, it is counted. A
 * record whose stack is one too many passes without it.
 */
static inline size_t foreign_take(struct foreign *f, struct rec *r, size_t avail, bool *sound)
{
	const struct foreign_rule *rule;

	if (avail >= sizeof(struct rec_long)) {
		rule = foreign_rule(f, r);
		*sound = true;
		if (foreign_passes(f, rule, r))
			return rule->size;
	}
	return foreign_examine(f, r, avail, sound);
}

/* Records that were refused, for any reason. */
uint64_t foreign_refused(const struct foreign *f);
/* "kind", "size", ... */
const char *foreign_fault_name(enum foreign_fault fault);

#endif
