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
#include "sched/steps.h"

/*
 * Bytes of notes that wait for a goroutine that runs. A loss on each CPU in each round of the drain
 * is a note, and a program can forge losses; the report counts them in any case.
 */
enum { NOTES_MOST = 1 << 20 };

void note_add(struct model *s, const char *format, ...)
{
	char text[160];
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

static void stand_in_speaks(struct model *s, struct M *m)
{
	step_note(s, m, "no goroutine ran: goroutine 0, which the program does not have, stands in "
		  "for one with the following events");
	speak_all(s, m);
}

void notes_tell_last(struct model *s)
{
	struct M *m;

	if (!s->notes.len || notes_tell(s, any_speaker(s)))
		return;
	m = thread_in_syscall(s);
	if (m)
		speak_all(s, m);
	else
		stand_in(s, s->now, stand_in_speaks);
}

/* The program was watched until then, silent as it may have been: the trace lasts as long. */
void end_of_capture(struct model *s, struct M *m, const struct rec *r)
{
	s->ended = true;
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
	note_add(s, "budget: %s (probes cost %s %% of a CPU, the budget is %s %%)",
		 rec_level_text(step.level), percent_text(percent_of_ns((double)step.cost)).text,
		 percent_text(percent_of_ns((double)step.ceiling)).text);
}
