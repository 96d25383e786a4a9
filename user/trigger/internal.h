/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal: declarations that the files of user/trigger share: the rules of a recording, and lists
 * of stays that may get longer than the limit of a rule.
 */
#ifndef GOTAP_TRIGGER_INTERNAL_H
#define GOTAP_TRIGGER_INTERNAL_H

#include "base/map64.h"
#include "base/vec.h"
#include "sched/death.h"
#include "trace/tap.h"
#include "trigger/trigger.h"

/*
 * A list of the stays that a rule compares with its limit, in the order of their begins: the stays
 * that are too long by now are at the head. Each function takes constant time, however many
 * goroutines wait.
 */
struct stay {
	struct stay *prev, *next;	/* NULL: in no list */
	uint64_t since;
};

struct stay_list {
	struct stay head;
};

void stay_list_init(struct stay_list *l);
/*
 * Appends @s, which is in no list. @since is the begin of the stay, and not before the begin of the
 * last stay of the list.
 */
void stay_add(struct stay_list *l, struct stay *s, uint64_t since);
/* Removes @s from its list, if @s is in a list. */
void stay_remove(struct stay *s);
/*
 * Removes the first stay from the list and returns it, if it began before @time. NULL: no stay
 * began before @time.
 */
struct stay *stay_take(struct stay_list *l, uint64_t time);

/* Remembers whether texts or stacks match the pattern of a rule, so that each is compared once. */
struct memo {
	struct map64 answers;	/* address of the text or key of the stack -> 1 no match, 2 match */
};

struct rule {
	const struct trigger_rule *is;
	const struct family *family;
	struct triggers *triggers;
	/*
	 * a bit for each enum tap_state: family->enter() is called when a goroutine enters the
	 * state, leave() when a goroutine leaves it
	 */
	unsigned int enters, leaves;
	size_t at;		/* index of the rule's first struct stay in a goroutine's data */
	struct stay_list stays;
	struct memo memo;	/* reasons (BLOCKED), first functions (FUNC) */
	struct memo places;	/* stacks (BLOCKED) */
	struct trigger_counts counts;
	uint64_t last;		/* time of the last fact that was passed on, ns; 0: none */
	/* the value is above the limit: the fact of this crossing was made */
	bool above;
	uint64_t value;		/* for the family's own use */
	void *more;		/* for the family's own use */
};

/*
 * The code of one or several kinds of triggers, in a file of its own. Each function may be NULL,
 * and is called for each rule of the family.
 */
struct family {
	void (*begin)(struct rule *r);	/* sets enters and leaves of the rule */
	void (*born)(struct rule *r, struct tap_go *g);
	void (*enter)(struct rule *r, struct tap_go *g, const struct tap_step *s);
	void (*leave)(struct rule *r, struct tap_go *g, uint64_t time, bool known);
	void (*gone)(struct rule *r, struct tap_go *g, uint64_t time);
	void (*event)(struct rule *r, const struct tap_step *s);
	void (*seen)(struct rule *r, uint64_t time);
	void (*text)(struct rule *r, uint64_t later, const char *bytes, size_t n);
	void (*gap)(struct rule *r, uint64_t time);
	void (*end)(struct rule *r);	/* frees the memory that begin() allocated */
	uint8_t events[6];	/* kinds of events that event() is called for; 0 ends the list */
	/*
	 * number of struct stay that a rule has in each goroutine's data; stay_of() returns the
	 * first one
	 */
	uint8_t stays;
	bool stream;		/* the family needs the tap */
	/* each fact is about a stay that began T before the fact, and may not have ended */
	bool lasts;
};

/* The place at which @g waits, by its stack, as one of 64 bits. */
static inline uint64_t place_bit(const struct tap_go *g)
{
	return 1ULL << (hash64_seeded(g->stack) & 63);
}

extern const struct family family_stays, family_func, family_region, family_task, family_stw,
	family_level, family_gc, family_p99, family_unit, family_log,
	family_hang, family_throttled, family_request, family_errors, family_none;

/* A fact that waits for the record of its stack. */
struct waiting {
	struct rule *rule;
	struct flight_fact fact;
	uint64_t stack;
};

/* How the program dies, from its first REC_PROGRAM_DIES. */
struct death {
	uint64_t time;		/* ns; 0: the program made no such record */
	uint64_t goid;		/* 0: no goroutine caused the death */
	uint64_t stack;
	uint32_t tid;
	int signal;		/* 0: a panic or a fatal error */
	struct death_text text;
};

struct triggers {
	struct triggers_opts opts;
	struct rule *rules;
	struct tap *tap;	/* NULL: no rule needs it */
	const uint64_t *lost;	/* NULL: the number of lost records is not known */
	/*
	 * lost_before: *lost at the last look; lost_at: time of the tap at the last look that found
	 * more lost records, 0: none did
	 */
	uint64_t lost_before, lost_at;
	trace_frames_fn *frames;	/* NULL before the observer's begin() */
	void *frames_ctx;
	struct death death;
	/*
	 * Rules by the functions of their family: each function is called only for the rules that
	 * have it.
	 */
	struct vec on_enter[TAP_STATES], on_leave[TAP_STATES];	/* struct rule * */
	struct vec on_born, on_gone, on_seen, on_text, on_gap;
	struct vec on_event[256];
	struct vec waiting;	/* struct waiting */
	size_t stays;		/* number of struct stay in each goroutine's data, for all rules */
	size_t labels_at;	/* index of the last one, with opts.labels */
	struct labels labels;	/* used by labels_learn() */
};

/* labelled.c, with opts.labels: a goroutine was born; a log event, of whatever category. */
void labels_of_new(const struct triggers *t, struct tap_go *g, const struct tap_step *s);
void labels_learn(struct triggers *t, const struct tap_step *s);
/*
 * May a fact about the goroutine @goid, which began at @since, count? It had the labels at some
 * time since then, or the rule is not restricted.
 */
bool labels_had(struct rule *r, uint64_t goid, uint64_t since);

/* Returns the family that handles rules of @kind. */
const struct family *family_of(enum trigger_kind kind);

static inline struct stay *stay_of(const struct rule *r, struct tap_go *g)
{
	return (struct stay *)(void *)g->data + r->at;
}

/* Returns the goroutine that has @s in its data: the reverse of stay_of(). */
static inline struct tap_go *go_of(const struct rule *r, struct stay *s)
{
	return (struct tap_go *)(void *)((char *)(s - r->at) - offsetof(struct tap_go, data));
}

/* Does @text match @pattern (fnmatch(3))? A pattern that is NULL matches all texts. */
bool matches(const char *pattern, const char *text);
/*
 * Does the name of the function that @g began with match @pattern? False if the function is not
 * known.
 */
bool starts_with(struct rule *r, const struct tap_go *g, const char *pattern);
/* Does the name of any function of @stack match @pattern? */
bool stack_has(struct rule *r, uint64_t stack, const char *pattern);
/*
 * Is @g a goroutine of the runtime itself (release_is_system_start())? False if the function that
 * @g began with is not known.
 */
bool is_of_runtime(struct rule *r, const struct tap_go *g);
/* Formats a duration: "12.3 ms". */
struct span_text { char text[32]; };
struct span_text span_text(uint64_t ns);

/* The time of a fact, and the goroutine, thread and stack that its message names. */
struct fact_place {
	uint64_t time;
	/* begin of what the fact is about, 0: @time minus the limit if the rule is about a stay */
	uint64_t since;
	uint64_t until;		/* and its end as far as it is known; 0: @time */
	const struct tap_go *g;
	uint64_t stack;
	uint64_t goid;		/* used if @g is NULL; 0: no goroutine */
	uint32_t tid;		/* 0: the thread of @g */
	uint64_t task;		/* that the fact is about; 0: none */
};
void fire(struct rule *r, const struct fact_place *where, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Notes whether records were lost since the last call. Called after each chunk. */
void facts_look_at_losses(struct triggers *t);
/* Remembers @r, a REC_PROGRAM_DIES, unless @t has an earlier record of that kind. */
void death_take(struct triggers *t, const struct rec_user *r);
/* Passes on the facts that wait for a stack, without the stack if its record has not come. */
void facts_pass_waiting(struct triggers *t);

#endif
