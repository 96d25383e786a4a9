// SPDX-License-Identifier: Apache-2.0
/* explain: see explain.h. */
#include "unit/explain.h"

#include <string.h>

#include "why/path.h"

/*
 * Texts are compared by value: the findings have those of the first reading, and the causes those
 * of the second one.
 */
static bool explain_is_function(const struct finding *f, const struct stack_frame *at)
{
	return at && *f->function && !strcmp(f->function, at->func);
}

static bool explain_is_line(const struct finding *f, const struct stack_frame *at)
{
	return explain_is_function(f, at) && f->line == at->line;
}

/* A running goroutine has the line at which it began to wait: it spent the time before that. */
static bool explain_place(const struct finding *f, const struct unit_cause *c)
{
	return (c->kind > STEP_STOPS && explain_is_line(f, c->at)) ||
	       explain_is_line(f, c->waits_at);
}

/*
 * The finding names the function that has the lock, and the line of its Unlock. A cause in which
 * another goroutine spends the time may have any line of that function.
 */
static bool explain_holder(const struct finding *f, const struct unit_cause *c)
{
	return explain_place(f, c) || (c->deep && explain_is_function(f, c->at));
}

/* The cause of a runnable unit has the function that had the Ps. */
static bool explain_starved(const struct finding *f, const struct unit_cause *c)
{
	return c->kind == STEP_RUNNABLE && *f->function && !strcmp(f->function, c->function);
}

static bool explain_gc(const struct finding *f, const struct unit_cause *c)
{
	return c->kind == STEP_ASSIST || c->kind == STEP_SWEEP;
}

static bool explain_stop(const struct finding *f, const struct unit_cause *c)
{
	return c->kind == STEP_STOPPED || c->kind == STEP_STOPS;
}

static const struct {
	const char *kind;
	bool (*explains)(const struct finding *f, const struct unit_cause *c);
} explain_kinds[] = {
	{ "lock", explain_holder },
	{ "slow consumer", explain_holder },
	{ "serialised", explain_holder },
	{ "starvation", explain_starved },
	{ "gc", explain_gc },
	{ "forced gc", explain_gc },
	{ "stop-the-world", explain_stop },
	{ "tiny system calls", explain_place },
	{ "slow system calls", explain_place },
	{ "slow network", explain_place },
	{ "slow disk", explain_place },
	{ "page faults", explain_place },
	{ "polling", explain_place },
};

void explain_unit(struct unit *u, const struct finding *f, size_t number)
{
	size_t i, k;

	for (k = 0; k < sizeof(explain_kinds) / sizeof(*explain_kinds); k++)
		if (!strcmp(f->kind, explain_kinds[k].kind))
			break;
	for (i = 0; i < u->ncauses && k < sizeof(explain_kinds) / sizeof(*explain_kinds); i++)
		if (!u->causes[i].finding && explain_kinds[k].explains(f, &u->causes[i]))
			u->causes[i].finding = number;
}
