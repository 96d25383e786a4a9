/* SPDX-License-Identifier: Apache-2.0 */
/* internal: what the files of user/trigger share: rules at work, and stays that get too long. */
#ifndef GOTAP_TRIGGER_INTERNAL_H
#define GOTAP_TRIGGER_INTERNAL_H

#include "base/map64.h"
#include "base/vec.h"
#include "sched/death.h"
#include "trace/tap.h"
#include "trigger/trigger.h"

/*
 * Stays of which a rule wants those that last longer than its limit: a list in the order of their
 * begins, so that whatever is too long by now is at its head. All steps take constant time, however
 * many goroutines wait.
 */
struct stay {
	struct stay *prev, *next;	/* NULL: in no list */
	uint64_t since;
};

struct stay_list {
	struct stay head;
};

void stay_list_init(struct stay_list *l);
/* @s, which is in no list, begins at @since: not before the one added last. */
void stay_add(struct stay_list *l, struct stay *s, uint64_t since);
/* Takes @s out of its list, if it is in one. */
void stay_remove(struct stay *s);
/* Takes the first one out that began before @time; NULL: none did. */
struct stay *stay_take(struct stay_list *l, uint64_t time);

/* Remembers the answers to "does the text (or the stack) match?", so that each is compared once. */
struct memo {
	struct map64 answers;	/* key -> 1 no, 2 yes */
};

struct rule {
	const struct trigger_rule *is;
	const struct family *family;
	struct triggers *triggers;
	/* states at whose begin and end the family is called: a bit for each enum tap_state */
	unsigned int enters, leaves;
	size_t at;		/* index of its first struct stay in a goroutine's data */
	struct stay_list stays;
	struct memo memo;	/* reasons (BLOCKED), first functions (FUNC) */
	struct memo places;	/* stacks (BLOCKED) */
	struct trigger_counts counts;
	uint64_t last;		/* fact that was passed on, 0: none */
	bool above;		/* the value is above the limit, and the fact was made */
	uint64_t value;		/* the family's own */
	void *more;		/* the family's own */
};

/* A family of kinds: one file. Functions that may be NULL; each is called for every rule of it. */
struct family {
	void (*begin)(struct rule *r);	/* sets enters and leaves */
	void (*born)(struct rule *r, struct tap_go *g);
	void (*enter)(struct rule *r, struct tap_go *g, const struct tap_step *s);
	void (*leave)(struct rule *r, struct tap_go *g, uint64_t time, bool known);
	void (*gone)(struct rule *r, struct tap_go *g, uint64_t time);
	void (*event)(struct rule *r, const struct tap_step *s);
	void (*seen)(struct rule *r, uint64_t time);
	void (*gap)(struct rule *r, uint64_t time);
	void (*end)(struct rule *r);	/* frees what it has */
	uint8_t events[6];	/* kinds that event() is called for, up to a 0 */
	/* so many struct stay are in each goroutine's data: stay_of() is the first */
	uint8_t stays;
	bool stream;		/* it needs the tap */
	/* its facts are of something that began T before, and has not ended */
	bool lasts;
};

extern const struct family family_stays, family_func, family_region, family_task, family_stw,
	family_level, family_gc, family_p99, family_log, family_hang, family_throttled, family_none;

/* A fact whose stack has not come yet. */
struct waiting {
	struct rule *rule;
	struct flight_fact fact;
	uint64_t stack;
};

/* How the program dies, as its first REC_PROGRAM_DIES has it. */
struct death {
	uint64_t time;		/* 0: there was none */
	uint64_t goid;		/* 0: no goroutine is to blame */
	uint64_t stack;
	uint32_t tid;
	int signal;		/* 0: it is a panic or a fatal error */
	struct death_text text;
};

struct triggers {
	struct triggers_opts opts;
	struct rule *rules;
	struct tap *tap;	/* NULL: not needed */
	const uint64_t *lost;	/* NULL: not known */
	/* that many, and when the last of them was noticed; 0: none was */
	uint64_t lost_before, lost_at;
	trace_frames_fn *frames;	/* NULL: the triggers observe nothing */
	void *frames_ctx;
	struct death death;
	/*
	 * For each function of struct family, the rules that have it: an event is passed to no
	 * others.
	 */
	struct vec on_enter[TAP_STATES], on_leave[TAP_STATES];	/* struct rule * */
	struct vec on_born, on_gone, on_seen, on_gap;
	struct vec on_event[256];
	struct vec waiting;	/* struct waiting */
	size_t stays;		/* of each goroutine */
};

/* The family that handles rules of that kind. */
const struct family *family_of(enum trigger_kind kind);

static inline struct stay *stay_of(const struct rule *r, struct tap_go *g)
{
	return (struct stay *)(void *)g->data + r->at;
}

/* The reverse of stay_of(): the goroutine whose data has @s. */
static inline struct tap_go *go_of(const struct rule *r, struct stay *s)
{
	return (struct tap_go *)(void *)((char *)(s - r->at) - offsetof(struct tap_go, data));
}

/* Does the text match the pattern? NULL matches all. */
bool matches(const char *pattern, const char *text);
/* The same of the function that a goroutine begins with. False where that is not known. */
bool starts_with(struct rule *r, const struct tap_go *g, const char *pattern);
/* Is any function of the stack one of the pattern? */
bool stack_has(struct rule *r, uint64_t stack, const char *pattern);
/*
 * A goroutine of the runtime itself: not the main one, no coroutine. False where its first function
 * is not known.
 */
bool is_of_runtime(struct rule *r, const struct tap_go *g);
/* "12.3 ms" */
struct span_text { char text[32]; };
struct span_text span_text(uint64_t ns);

/* A fact of @r, at @time. @g (NULL: none) and @stack (0: that of @g) go with it. */
struct fact_place {
	uint64_t time;
	const struct tap_go *g;
	uint64_t stack;
	uint64_t goid;		/* without @g: the goroutine, 0: none */
	uint32_t tid;		/* 0: that of @g */
};
void fire(struct rule *r, const struct fact_place *where, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* After each chunk. */
void facts_look_at_losses(struct triggers *t);
/* A record of how the program dies. */
void death_take(struct triggers *t, const struct rec_user *r);
/* Passes on those that waited for a stack, with it or without. */
void facts_pass_waiting(struct triggers *t);

#endif
