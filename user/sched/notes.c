// SPDX-License-Identifier: Apache-2.0
/*
 * notes: texts in the trace about the recording itself: records that were lost, times
 * that were not recorded. See handlers.h. A note is a UserLog event of category
 * "gotap", which `runtime/trace` reserves for nobody, so that every viewer shows
 * it at its place. A log event needs a running goroutine with a P: the first that
 * runs has it, at the time of the note or right after it. It is no step of that
 * goroutine: a reader changes no state for it. If none runs until the trace ends,
 * a goroutine in a syscall or a stand-in (procs.c) has it.
 */
#include "sched/handlers.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/percent.h"
#include "base/vec.h"
#include "read/origin.h"
#include "sched/ops.h"
#include "sched/steps.h"

/*
 * Bytes of notes that wait for a goroutine that runs. A loss on each CPU in each round of the drain
 * is a note, and a program can forge losses; the report counts them in any case.
 */
enum { NOTES_MOST = 1 << 20 };

void note_add(struct model *s, const char *format, ...)
{
	char text[280];	/* FLIGHT_NOTE (flight/flight.h) is the longest */
	va_list ap;

	if (!s->opts.notes)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (s->notes.len > NOTES_MOST) {
		s->notes_left_out++;
		return;
	}
	buf_add(&s->notes, text, strlen(text) + 1);
	s->tell_notes = true;
	s->counts.notes++;
}

static double seconds_since(uint64_t begin, uint64_t time)
{
	return time > begin ? (double)(time - begin) / 1e9 : 0;
}

struct note_period note_period(const struct model *s, uint64_t from, uint64_t to)
{
	uint64_t begin = s->opts.restate ? 0 : s->counts.begin;
	struct note_period ret;

	snprintf(ret.text, sizeof(ret.text), "from %.6f s to %.6f s%s", seconds_since(begin, from),
		 seconds_since(begin, to), s->opts.restate ? " of CLOCK_MONOTONIC" : "");
	return ret;
}

void records_lost(struct model *s, struct M *m, const struct rec *r)
{
	const struct rec_long *l = as_long(r);

	s->counts.lost += l->arg;
	ops_lose(s);
	allocs_forget_until(s, l->stack);
	/* Times in notes count from the begin of the trace. */
	if (!s->started && !s->gap.open) {
		note_add(s, "lost %" PRIu64 " records on CPU %" PRIu64 " before the trace begins",
			 l->arg, r->id);
		return;
	}
	note_add(s, "lost %" PRIu64 " records on CPU %" PRIu64 " %s", l->arg, r->id,
		 note_period(s, r->ptr, l->stack).text);
}

static void speak_all(struct model *s, struct M *m)
{
	const char *text;
	char more[80];
	size_t at;

	for (at = 0; at < s->notes.len; at += strlen(text) + 1) {
		text = (const char *)s->notes.data + at;
		step_note(s, m, text);
	}
	s->notes.len = 0;
	s->tell_notes = false;
	if (!s->notes_left_out)
		return;
	snprintf(more, sizeof(more), "%" PRIu64 " more notes of this time are left out",
		 s->notes_left_out);
	step_note(s, m, more);
	s->counts.notes++;
	s->notes_left_out = 0;
}

bool notes_tell(struct model *s, struct M *m)
{
	if (!s->started)
		return false;
	if (!m_speaks(m))
		m = soon_speaker(s);
	if (m)
		speak_all(s, m);
	return m;
}

void origin_tell(struct model *s, struct M *m)
{
	unsigned int i;

	if (!s->started || !m_speaks(m))
		return;
	s->tell_origin = false;
	for (i = 0; i < MODEL_ORIGINS; i++)
		if (s->opts.origin[i])
			step_origin(s, m, s->opts.origin[i]);
}

/* Readers accept a log event of a goroutine in a syscall if its thread has a P. */
static struct M *thread_in_syscall(const struct model *s)
{
	size_t i;

	map64_each(&s->ms, i) {
		struct M *m = map64_ptr(&s->ms, i, struct M);

		if (m->g && m->g->status == G_SYSCALL && m->p)
			return m;
	}
	return NULL;
}

static void notes_put_percent(struct buf *text, enum origin_fact fact, uint64_t ns)
{
	if (ns)
		origin_put(text, fact, percent_text(percent_of_ns((double)ns)).text);
}

/*
 * Emits the losses and the cost of the recording on @m, which speaks. All of it is known from
 * records, so that the same raw records give the same trace. A snapshot of a flight recording is
 * any part of it: it has none.
 */
static void origin_tell_last(struct model *s, struct M *m)
{
	uint64_t repairs = 0;
	struct buf text = {0};
	char number[32];
	int i;

	if (!s->opts.notes || !s->opts.origin[0] || s->opts.restate)
		return;
	for (i = 0; i < REPAIR_KINDS; i++)
		repairs += s->counts.repairs[i];
	snprintf(number, sizeof(number), "%" PRIu64, s->counts.lost);
	origin_put(&text, ORIGIN_LOST, number);
	snprintf(number, sizeof(number), "%" PRIu64, repairs);
	origin_put(&text, ORIGIN_REPAIRS, number);
	snprintf(number, sizeof(number), "%.3f", (double)s->counts.unrecorded / 1e9);
	origin_put(&text, ORIGIN_GAPS, number);
	notes_put_percent(&text, ORIGIN_PROBES, s->cost_probes);
	notes_put_percent(&text, ORIGIN_OWN, s->cost_own);
	buf_add_byte(&text, 0);
	step_origin(s, m, (const char *)text.data);
	buf_free(&text);
}

static void stand_in_speaks(struct model *s, struct M *m)
{
	step_note(s, m, "no goroutine ran: goroutine 0, which the program does not have, stands in "
		  "for one with the following events");
	speak_all(s, m);
	origin_tell_last(s, m);
}

/*
 * For notes alone goroutine 0 stands in: without them, a trace at the end of which no goroutine
 * runs has no losses and no cost.
 */
void notes_tell_last(struct model *s)
{
	struct M *m = s->started ? any_speaker(s) : NULL;

	m = m_speaks(m) ? m : thread_in_syscall(s);
	if (m) {
		speak_all(s, m);
		origin_tell_last(s, m);
	} else if (s->notes.len) {
		stand_in(s, s->now, stand_in_speaks);
	}
}

/* The program was watched until then, silent as it may have been: the trace lasts as long. */
void end_of_capture(struct model *s, struct M *m, const struct rec *r)
{
	s->ended = true;
	s->cost_probes = r->id;
	s->cost_own = r->ptr;
}

const char *rec_level_text(unsigned int level)
{
	static const char *const text[REC_LEVELS] = {
		[REC_LEVEL_WHOLE] = "all is recorded",
		[REC_LEVEL_SHORT_STACKS] = "stacks of 8 frames",
		[REC_LEVEL_NO_STACKS] = "no stacks",
		[REC_LEVEL_NO_EXTRAS] = "nothing of groups heap, sweep, stacks, spans",
		[REC_LEVEL_SLICES] = "slices of time only",
	};

	return level < REC_LEVELS ? text[level] : "unknown";
}

void region_given_up(struct model *s, struct M *m, const struct rec *r)
{
	const struct rec_user *u = (const struct rec_user *)r;

	s->counts.regions_gone++;
	ops_gone(s, u->text, u->len[0]);
	note_add(s, "region %.*s: its calls are not recorded from here on, as they cost more than "
		 "%s %% of a CPU, the part of the budget for regions (%" PRIu64 " calls so far)",
		 u->len[0] < 120 ? u->len[0] : 120, u->text,
		 percent_text(percent_of_ns((double)u->arg)).text, r->id);
}

void budget_changed(struct model *s, struct M *m, const struct rec *r)
{
	struct budget_step step = {
		.time = r->time,
		.cost = r->id,
		.ceiling = ((const struct rec_long *)r)->arg,
		.level = r->sub,
	};

	if (s->counts.budget_steps < BUDGET_STEPS)
		s->counts.budget[s->counts.budget_steps] = step;
	s->counts.budget_steps++;
	allocs_forget(s);
	note_add(s, "budget: %s (probes cost %s %% of a CPU, the budget is %s %%)",
		 rec_level_text(step.level), percent_text(percent_of_ns((double)step.cost)).text,
		 percent_text(percent_of_ns((double)step.ceiling)).text);
}
