/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trigger_story: triggers over stories of the model (sched_story.h), and the facts that they report. A story's clock
 * begins at 100000 and moves 10 ns a record; seen() stands for the assembler's call after each chunk.
 */
#ifndef GOTAP_TESTS_TRIGGER_STORY_H
#define GOTAP_TESTS_TRIGGER_STORY_H

#include "sched_story.h"

#include "trigger/trigger.h"

enum { US = 1000, MS = 1000000, START = 0x401000 };

static struct triggers *triggers;
static struct trigger_rule rules[8];
static size_t n_rules;
static struct labels_asked asked;	/* of begin_rules(); none: facts of all */
static struct flight_fact facts[64];
static size_t n_facts;

static inline uint64_t take(void *ctx, const struct flight_fact *fact)
{
	if (n_facts < 64)
		facts[n_facts++] = *fact;
	return n_facts;
}

static uint64_t late_key;	/* of a stack whose record has not come yet */

/* Stacks of the stories. */
static inline size_t frames(void *ctx, uint64_t key, struct trace_frame *out, size_t max)
{
	static const struct { uint64_t key; const char *func; } known[] = {
		{ 0x44, "main.lookup" }, { 0x55, "main.other" }, { START | 1ULL << 63, "main.worker" },
		{ 0x500000 | 1ULL << 63, "runtime.gcBgMarkWorker" }, { 0x600000 | 1ULL << 63, "runtime.corostart" },
		{ 0x66, "runtime.cgocall" },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].key == key && key != late_key) {
			out[0] = (struct trace_frame){ 1, known[i].func, "/src/x.go", 7 };
			return 1;
		}
	return 0;
}

static inline void begin_with(const char *const *texts)
{
	struct error err;

	n_facts = n_rules = 0;
	for (; *texts; texts++)
		CHECK_EQ(trigger_parse(&rules[n_rules++], *texts, &err), 0);
	triggers = triggers_new(&(struct triggers_opts){ .rules = rules, .n = n_rules, .fire = take,
						   .labels = asked.n ? &asked : NULL });
	open_trace(25);
	triggers_observe(triggers, &observers);
	observers_begin(&observers, frames, NULL);
	begin_into(v2_sink(trace), 27, 25, false);
}

#define begin_rules(...) begin_with((const char *const[]){ __VA_ARGS__, NULL })

static inline void seen(void)
{
	observers_seen(&observers, now);
}

/* @ns pass without an event. */
static inline void pass(uint64_t ns)
{
	now += ns;
	seen();
}

static inline void end_rules(void)
{
	struct error err;
	size_t i;

	CHECK_EQ(model_finish(model, 0, &err), 0);
	end_story();
	triggers_free(triggers);
	for (i = 0; i < n_rules; i++)
		trigger_rule_free(&rules[i]);
}

static inline void check_fact(size_t i, uint64_t time, uint64_t g, const char *what)
{
	CHECK(i < n_facts);
	CHECK_EQ(facts[i].time, time);
	CHECK_EQ(facts[i].g, g);
	CHECK_STR(facts[i].what, what);
}

/* Goroutine 1, on thread 7, blocks with waitReason @why; returns the time. */
static inline uint64_t block(uint8_t why, uint64_t stack)
{
	uint64_t at = now;

	put(REC_GO_PARK, why, 7, 1, 0x9001, stack, 0);
	return at;
}

static inline void user(uint8_t kind, uint64_t task, const char *first, const char *second)
{
	struct { struct rec_user u; char text[64]; } r = {
		.u = { .r = { .time = now, .tid = 7, .kind = kind, .id = task }, .stack = 0x44,
		       .len = { (uint16_t)strlen(first), (uint16_t)strlen(second) } },
	};
	struct error err;

	now += 10;
	memcpy(r.u.text, first, strlen(first));
	memcpy(r.u.text + strlen(first), second, strlen(second));
	CHECK_EQ(model_record(model, &r.u.r, &err), 0);
}

#endif
