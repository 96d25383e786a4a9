// SPDX-License-Identifier: Apache-2.0
/*
 * foreign: see foreign.h. The columns of record.def say what each word of a record means, and the
 * table below which values such a word can have; inline_kinds.def says which kinds there are.
 * foreign_init() makes one row for each kind of that, so that the same few comparisons check all of
 * them.
 */
#include "rings/foreign.h"

#include <assert.h>

#include "http.h"
#include "op_kind.h"
#include "waits.h"

#define ANY UINT64_MAX
#define GOID_MOST ((1ULL << 48) - 1)	/* one each us for nine years */
#define PS_MOST 8192			/* CPUs that Linux for amd64 can have (NR_CPUS) */
#define USER_ADDRESS ((1ULL << 56) - 1)		/* of Linux with five levels of page tables */

/*
 * The highest values of words by their meaning, and the bits that are 0. Words of code in the
 * target have no other meanings.
 */
static const struct foreign_word {
	bool known;
	uint8_t low;
	uint64_t most;
} words[] = {
	[REC_WORD_NONE] = { true, 0, 0 },
	[REC_WORD_GOID] = { true, 0, GOID_MOST },
	/* code in the target reads it always (bpf/inline/state.h) */
	[REC_WORD_GOID_OR_TOLD] = { true, 0, GOID_MOST },
	[REC_WORD_G] = { true, 7, USER_ADDRESS },
	[REC_WORD_P] = { true, 7, USER_ADDRESS },
	[REC_WORD_P_ID] = { true, 0, PS_MOST - 1 },
	[REC_WORD_COUNT] = { true, 0, PS_MOST },	/* of Ps */
	[REC_WORD_PC] = { true, 0, USER_ADDRESS },
	[REC_WORD_ADDRESS] = { true, 0, ANY },	/* of a text: read only where the file has it */
	[REC_WORD_TID] = { true, 0, FOREIGN_TIDS - 1 },
	[REC_WORD_STACK] = { true, 0, ~STACK_KEY_ENTRY },
	[REC_WORD_PART] = { true, 0, REC_STACK_PART },
	[REC_WORD_BYTES] = { true, 0, ANY },
	[REC_WORD_TASK] = { true, 0, ANY },
	[REC_WORD_TEXT8] = { true, 0, ANY },
	[REC_WORD_WAIT_REASON] = { true, 0, UINT8_MAX },
	[REC_WORD_STW_REASON] = { true, 0, UINT8_MAX },
	[REC_WORD_WAIT] = { true, 0, ANY },
	[REC_WORD_PART_NUMBER] = { true, 0, WAIT_CHANNELS / 2 },
	[REC_WORD_STOP] = { true, 0, REC_STOP_PREEMPTED },
	[REC_WORD_WORKER] = { true, 0, 4 },	/* modes of gcMarkWorkerMode are 0 to 3 */
	[REC_WORD_WORKER_1] = { true, 0, 5 },
	[REC_WORD_SAME_P] = { true, 0, REC_EXIT_SAME_P | REC_EXIT_HOOK },
	[REC_WORD_PSTART] = { true, 0, REC_PSTART_PROCRESIZE },
	[REC_WORD_CLASS] = { true, 0, STACK_END },
	[REC_WORD_MISSING] = { true, 0, REC_MISSING_FIRST | REC_MISSING_SECOND },
	[REC_WORD_GOID_BEFORE] = { true, 0, UINT16_MAX },
	[REC_WORD_SKIP] = { true, 0, REC_MAX_FRAMES },
	[REC_WORD_HTTP_PEER] = { true, 0, HTTP_PEER_LEN | HTTP_PEER_PARENT },
	[REC_WORD_HTTP_END] = { true, 0, HTTP_END_KNOWN | HTTP_END_HIJACKED },
	[REC_WORD_HTTP_STATUS] = { true, 0, UINT16_MAX },
	[REC_WORD_OP] = { true, 1, UINT16_MAX },
	[REC_WORD_OP_KEY] = { true, 0, ANY },
	[REC_WORD_OP_VALUE] = { true, 0, ANY },
};

static const struct foreign_kind {
	uint8_t id, ptr, sub, flags, stack, arg;	/* enum rec_word */
} kinds[FOREIGN_KINDS] = {
#define KIND(number, name, layout, family, id, ptr, sub, flags, stack, arg) \
	[number] = { REC_WORD_##id, REC_WORD_##ptr, REC_WORD_##sub, \
		     REC_WORD_##flags, REC_WORD_##stack, REC_WORD_##arg },
#include "record.def"
#undef KIND
};

static const struct foreign_sent {
	uint8_t kind, texts;
} sent[] = {
#define INLINE_KIND(name, texts) { REC_##name, texts },
#include "inline_kinds.def"
#undef INLINE_KIND
};

static uint64_t foreign_most(uint8_t word)
{
	assert(word < sizeof(words) / sizeof(*words) && words[word].known);
	return words[word].most;
}

/* The bits above the highest one of @most. */
static uint64_t foreign_above(uint64_t most)
{
	return most ? ~(UINT64_MAX >> __builtin_clzll(most)) : UINT64_MAX;
}

static bool foreign_is_mask(uint64_t most)
{
	return !(most & (most + 1));
}

/* The longest mask of lowest bits that is no value above @most. */
static uint64_t foreign_mask_below(uint64_t most)
{
	return foreign_is_mask(most) ? most : ~foreign_above(most) >> 1;
}

/*
 * foreign_passes() tests bits: it knows the kinds of which the highest values are 2^n - 1, except
 * those that have texts, further threads, or are stacks. The others are few.
 */
static void foreign_prepare(struct foreign_rule *rule, uint8_t kind)
{
	bool exact = foreign_is_mask(rule->id) && foreign_is_mask(rule->ptr) &&
		     foreign_is_mask(rule->stack) && foreign_is_mask(rule->arg);
	size_t size = rec_plain_size[kind];

	rule->id_zero = foreign_above(rule->id);
	rule->ptr_zero = foreign_above(rule->ptr) | rule->ptr_low;
	rule->stack_zero = rule->has_words ? foreign_above(rule->stack) : 0;
	rule->arg_zero = rule->has_words ? foreign_above(rule->arg) : 0;
	/*
	 * Higher values of sub and flags are rare: foreign_examine() knows them. The program can
	 * set REC_BUSY again between the look at the ring and the copy.
	 */
	rule->head_zero = foreign_head(&(struct rec){
		.kind = REC_BUSY,
		.sub = (uint8_t)~foreign_mask_below(rule->sub),
		.flags = (uint16_t)~foreign_mask_below(rule->flags) });
	rule->key = rule->has_stack ? UINT64_MAX : 0;
	if (exact && !rule->id_least && !rule->arg_is_tid && size <= sizeof(struct rec_long))
		rule->size = (uint8_t)size;
}

static struct foreign_rule foreign_rule_of(const struct foreign_sent *s, bool early_goid)
{
	const struct foreign_kind *k = &kinds[s->kind];
	enum rec_layout layout = rec_layout(s->kind);
	bool whole = layout == REC_LAYOUT_rec_long || layout == REC_LAYOUT_rec_user;

	struct foreign_rule rule = {
		.sent = true,
		.id = foreign_most(k->id),
		/*
		 * Without a goid, records would wait for it that are not forged (stream/goid.h).
		 * Up to Go 1.23 a creation has none if the P has none in store
		 * (bpf/transition.h, created_goid()).
		 */
		.id_least = early_goid && (s->kind == REC_GO_CREATE ||
					   s->kind == REC_GO_CREATE_BLOCKED),
		.ptr = foreign_most(k->ptr),
		.ptr_low = words[k->ptr].low,
		.sub = (uint8_t)foreign_most(k->sub),
		.flags = (uint16_t)foreign_most(k->flags),
		.stack = whole ? foreign_most(k->stack) : ANY,
		.arg = whole ? foreign_most(k->arg) : ANY,
		.has_words = whole,
		.has_stack = k->stack == REC_WORD_STACK && whole,
		.is_stack = layout == REC_LAYOUT_rec_stack,
		.arg_is_tid = k->arg == REC_WORD_TID,
		.has_texts = layout == REC_LAYOUT_rec_user,
		.texts = s->texts,
	};

	foreign_prepare(&rule, s->kind);
	return rule;
}

void foreign_init(struct foreign *f, const struct process *proc, bool early_goid)
{
	size_t i;

	*f = (struct foreign){0};
	foreign_threads_init(&f->threads, proc);
	for (i = 0; i < sizeof(sent) / sizeof(*sent); i++)
		f->rules[sent[i].kind] = foreign_rule_of(&sent[i], early_goid);
}

void foreign_free(struct foreign *f)
{
	foreign_threads_free(&f->threads);
	foreign_stacks_free(&f->stacks);
}

void foreign_round(struct foreign *f, uint64_t now)
{
	foreign_threads_round(&f->threads, now);
	if (now - f->turned < 1000000000ULL)
		return;
	f->turned = now;
	foreign_stacks_turn(&f->stacks);
}

static bool foreign_words_fit(const struct foreign_rule *rule, const struct rec *r)
{
	const struct rec_long *l = (const struct rec_long *)r;
	bool fit = r->id >= rule->id_least && r->id <= rule->id && r->ptr <= rule->ptr &&
		   !(r->ptr & rule->ptr_low) && r->sub <= rule->sub && r->flags <= rule->flags;

	return fit && (!rule->has_words || (l->stack <= rule->stack && l->arg <= rule->arg));
}

/* Those of bpf/annotation.h and bpf/http_text.h. */
static bool foreign_is_room(uint32_t room)
{
	return room == REC_USER_NONE || room == 128 || room == 256 || room == 512 ||
	       room == REC_USER_MAX;
}

/* record_size() has looked at the sum of the lengths. */
static bool foreign_texts_fit(const struct foreign_rule *rule, const struct rec_user *u)
{
	/* the highest value of these flags is no mask */
	if (u->r.kind == REC_HTTP_END && u->r.flags & ~(HTTP_END_KNOWN | HTTP_END_HIJACKED))
		return false;
	return foreign_is_room(u->room) && !(u->r.sub >> rule->texts) &&
	       (rule->texts > 0 || !u->len[0]) && (rule->texts > 1 || !u->len[1]);
}

/* OP_END comes from bpf/probe_grpc_end.bpf.c alone, which sends nothing but the kind. */
static bool foreign_end_fits(const struct rec *r)
{
	const struct rec_user *u = (const struct rec_user *)r;

	return r->kind != REC_OP_END ||
	       (r->flags == OP_GRPC_SERVED && !r->id && !r->ptr && !u->stack && !u->arg);
}

static bool foreign_threads_fit(struct foreign *f, const struct foreign_rule *rule,
				const struct rec *r)
{
	const struct rec_long *l = (const struct rec_long *)r;

	return foreign_threads_has(&f->threads, r->tid) &&
	       (!rule->arg_is_tid || foreign_threads_has(&f->threads, l->arg));
}

/* A record of which the stack may not be kept has none. False: it is the stack itself. */
static bool foreign_stacks_fit(struct foreign *f, const struct foreign_rule *rule, struct rec *r)
{
	struct rec_long *l = (struct rec_long *)r;

	if (rule->is_stack)
		return foreign_stacks_define(&f->stacks, r->id, ((const struct rec_stack *)r)->n);
	if (rule->has_stack && !foreign_stacks_has(&f->stacks, l->stack))
		l->stack = 0;
	return true;
}

static bool foreign_refuse(struct foreign *f, enum foreign_fault fault)
{
	f->refused[fault]++;
	return false;
}

/* @r is whole. */
static bool foreign_is_sound(struct foreign *f, struct rec *r)
{
	const struct foreign_rule *rule = foreign_rule(f, r);

	if (!rule->sent)
		return foreign_refuse(f, FOREIGN_KIND);
	if (!foreign_words_fit(rule, r) || !foreign_end_fits(r))
		return foreign_refuse(f, FOREIGN_VALUE);
	if (rule->has_texts && !foreign_texts_fit(rule, (const struct rec_user *)r))
		return foreign_refuse(f, FOREIGN_TEXT);
	if (!foreign_threads_fit(f, rule, r))
		return foreign_refuse(f, FOREIGN_THREAD);
	return foreign_stacks_fit(f, rule, r) || foreign_refuse(f, FOREIGN_STACK);
}

size_t foreign_examine(struct foreign *f, struct rec *r, size_t avail, bool *sound)
{
	size_t n = record_size(r, avail);

	*sound = n ? foreign_is_sound(f, r) : foreign_refuse(f, FOREIGN_SIZE);
	return n;
}

uint64_t foreign_refused(const struct foreign *f)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < FOREIGN_FAULTS; i++)
		n += f->refused[i];
	return n;
}

const char *foreign_fault_name(enum foreign_fault fault)
{
	static const char *const names[FOREIGN_FAULTS] = {
		[FOREIGN_KIND] = "kind", [FOREIGN_SIZE] = "size", [FOREIGN_VALUE] = "value",
		[FOREIGN_TEXT] = "text", [FOREIGN_THREAD] = "thread", [FOREIGN_STACK] = "stack",
	};

	return names[fault];
}
