// SPDX-License-Identifier: Apache-2.0
/*
 * facts: code for the rules of all families: lists of stays, the comparison of names, and the facts
 * on their way to the flight recording.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "read/http.h"
#include "release/release.h"
#include "trigger/internal.h"

enum {
	APART_NS = 50 * 1000 * 1000,
	FRAMES_SHOWN = 32,
	MEMO_MAX = 1 << 16,	/* answers that are kept; one more drops all */
};

/* --- stays --- */

void stay_list_init(struct stay_list *l)
{
	l->head.prev = l->head.next = &l->head;
}

void stay_add(struct stay_list *l, struct stay *s, uint64_t since)
{
	s->since = since;
	s->next = &l->head;
	s->prev = l->head.prev;
	s->prev->next = s;
	l->head.prev = s;
}

void stay_remove(struct stay *s)
{
	if (!s->next)
		return;
	s->prev->next = s->next;
	s->next->prev = s->prev;
	s->next = s->prev = NULL;
}

struct stay *stay_take(struct stay_list *l, uint64_t time)
{
	struct stay *s = l->head.next;

	if (s == &l->head || s->since >= time)
		return NULL;
	stay_remove(s);
	return s;
}

/* --- names --- */

bool matches(const char *pattern, const char *text)
{
	return !pattern || !fnmatch(pattern, text, 0);
}

/* Returns a pointer to the answer for @key; the answer is 0 if it is not known. */
static uint64_t *facts_answer(struct memo *m, uint64_t key)
{
	if (m->answers.len > MEMO_MAX)
		map64_clear(&m->answers);
	return map64_put(&m->answers, key, NULL);
}

bool stack_has(struct rule *r, uint64_t stack, const char *pattern)
{
	struct trace_frame frames[TRACEV2_MAX_FRAMES];
	uint64_t *known = facts_answer(&r->places, stack);
	size_t i, n;

	if (*known)
		return *known == 2;
	n = tap_frames(r->triggers->tap, stack, frames, TRACEV2_MAX_FRAMES);
	for (i = 0; i < n; i++)
		if (frames[i].func && matches(pattern, frames[i].func))
			break;
	if (n)	/* without frames: the record of the stack may come later */
		*known = i < n ? 2 : 1;
	return i < n;
}

/* Puts the function that @g began with into @frame[0]; false if the function is not known. */
static bool facts_start(struct rule *r, const struct tap_go *g, struct trace_frame *frame)
{
	return g->start && tap_frames(r->triggers->tap, g->start, frame, 1) && frame[0].func;
}

bool starts_with(struct rule *r, const struct tap_go *g, const char *pattern)
{
	struct trace_frame frame[TRACEV2_MAX_FRAMES];
	uint64_t *known = facts_answer(&r->memo, g->start);

	if (!*known)
		*known = facts_start(r, g, frame) && matches(pattern, frame[0].func) ? 2 : 1;
	return *known == 2;
}

bool is_of_runtime(struct rule *r, const struct tap_go *g)
{
	struct trace_frame frame[TRACEV2_MAX_FRAMES];
	uint64_t *known = facts_answer(&r->places, g->start);

	if (!*known)
		*known = facts_start(r, g, frame) && release_is_system_start(frame[0].func) ? 2 : 1;
	return *known == 2;
}

struct span_text span_text(uint64_t ns)
{
	struct unit_scaled u = unit_scale((double)ns);
	struct span_text ret;

	if (ns >= 1000 * u.ns)
		snprintf(ret.text, sizeof(ret.text), "%" PRIu64 " %s", ns / u.ns, u.name);
	else
		snprintf(ret.text, sizeof(ret.text), "%.3g %s", u.value, u.name);
	return ret;
}

/* --- facts --- */

static void facts_put_stack(const struct triggers *t, uint64_t key, char *to, size_t size)
{
	struct trace_frame frames[TRACEV2_MAX_FRAMES];
	size_t i, at = 0, n = t->frames ? t->frames(t->frames_ctx, key, frames, FRAMES_SHOWN) : 0;

	*to = '\0';
	for (i = 0; i < n; i++) {
		const struct trace_frame *f = &frames[i];
		int more = snprintf(to + at, size - at, "%s%s %s:%" PRIu64, i ? "\n" : "",
				    f->func ? f->func : "", f->file ? f->file : "", f->line);

		if (more < 0 || (size_t)more >= size - at) {	/* no part of a line */
			to[at] = '\0';
			return;
		}
		at += (size_t)more;
	}
}

static void facts_pass_on(struct rule *r, struct flight_fact *fact, uint64_t stack)
{
	struct triggers *t = r->triggers;
	uint64_t now = now_ns();

	facts_put_stack(t, stack, fact->stack, sizeof(fact->stack));
	if (now > fact->time && now - fact->time > r->counts.slowest)
		r->counts.slowest = now - fact->time;
	t->opts.fire(t->opts.ctx, fact);
}

/*
 * Passes the fact on if the frames of its stack are known. The record of a new stack follows the
 * event that has its key: otherwise the fact waits for that record until the end of the chunk.
 */
static void pass_or_wait(struct rule *r, struct flight_fact *fact, uint64_t stack)
{
	struct triggers *t = r->triggers;
	struct trace_frame frames[TRACEV2_MAX_FRAMES];

	r->counts.fired++;
	r->last = fact->time;
	if (stack && t->frames && !t->frames(t->frames_ctx, stack, frames, 1))
		*(struct waiting *)vec_push(&t->waiting, sizeof(struct waiting)) =
			(struct waiting){ r, *fact, stack };
	else
		facts_pass_on(r, fact, stack);
}

void facts_pass_waiting(struct triggers *t)
{
	size_t i;

	for (i = 0; i < t->waiting.len; i++) {
		struct waiting *w = vec_at(&t->waiting, struct waiting, i);

		facts_pass_on(w->rule, &w->fact, w->stack);
	}
	t->waiting.len = 0;
}

/*
 * Returns the key of the stack for the fact; 0 for a goroutine that runs, since it has moved on
 * from its last known stack.
 */
static uint64_t facts_stack_of(const struct fact_place *where)
{
	if (where->stack)
		return where->stack;
	return where->g && where->g->state != TAP_RUNNING ? where->g->stack : 0;
}

/* --- losses --- */

void facts_look_at_losses(struct triggers *t)
{
	if (!t->lost || *t->lost == t->lost_before)
		return;
	t->lost_before = *t->lost;
	t->lost_at = tap_time(t->tap);
}

/*
 * Were records lost during the time that the fact measures? The record of its end may be among
 * them.
 */
static bool is_doubtful(struct rule *r, const struct flight_fact *fact)
{
	struct triggers *t = r->triggers;

	if (!t->tap || !r->family->lasts)
		return false;
	facts_look_at_losses(t);
	return t->lost_at && t->lost_at >= fact->since;
}

void fire(struct rule *r, const struct fact_place *where, const char *format, ...)
{
	const struct tap_go *g = where->g;
	struct flight_fact fact = {
		.trigger = r->is->text,
		.time = where->time,
		/*
		 * The end of the program: the cooldown after an earlier fact must not suppress this
		 * fact.
		 */
		.asked = r->is->kind == TRIGGER_EXIT || r->is->kind == TRIGGER_CRASH,
	};
	va_list ap;
	int n;

	fact.since = where->since || !r->family->lasts ? where->since :
							 where->time - r->is->limit;
	if (r->is->kind != TRIGGER_ERRORS &&
	    !labels_had(r, g ? g->id : where->goid, fact.since ? fact.since : where->time))
		return;
	r->counts.facts++;
	fact.until = where->until ? where->until : where->time;
	if (r->last && where->time < r->last + APART_NS)
		return;
	fact.g = g ? g->id : where->goid;
	fact.task = where->task;
	fact.request = where->task ? http_request_number(where->task) : 0;
	fact.m = where->tid ? where->tid : g && g->m ? g->m->id : 0;
	va_start(ap, format);
	n = vsnprintf(fact.what, sizeof(fact.what), format, ap);
	va_end(ap);
	if (is_doubtful(r, &fact) && n >= 0 && (size_t)n < sizeof(fact.what))
		snprintf(fact.what + n, sizeof(fact.what) - (size_t)n,
			 "; records were lost meanwhile, perhaps its end");
	pass_or_wait(r, &fact, facts_stack_of(where));
}
