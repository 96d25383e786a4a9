// SPDX-License-Identifier: Apache-2.0
/*
 * death: see death.h, and the handler of REC_PROGRAM_DIES (handlers.h): a log event of category
 * "gotap", and one of "crash" with the stack, on the goroutine that it is about. Where that does
 * not run with a P, or no goroutine is to blame, it is a note.
 */
#define _GNU_SOURCE
#include "sched/death.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sched/handlers.h"
#include "sched/steps.h"

struct death_text death_text(const struct rec_user *r)
{
	enum { MESSAGE = 160 };
	int len = r->len[0] < MESSAGE ? r->len[0] : MESSAGE;
	struct death_text ret;

	if (death_how(r) == REC_END_SIGNAL)
		snprintf(ret.text, sizeof(ret.text), "signal %d (%s)", death_signal(r),
			 strsignal(death_signal(r)));
	else
		snprintf(ret.text, sizeof(ret.text), "%s%s%.*s",
			 death_how(r) == REC_END_PANIC ? "panic" : "fatal error", len ? ": " : "",
			 len, r->text);
	return ret;
}

/*
 * A note has no stack (read/notes.h), so a second log event, of category "crash", shows it in
 * viewers.
 */
static void death_speak(struct model *s, struct M *m, const struct death_text *death,
			uint64_t stack)
{
	step_note(s, m, death->text);
	if (stack)
		step_emit(s, m, EV_UserLog, 0, SINK_CONSTANT("crash"),
			  SINK_TEXT(death->text, strlen(death->text)), stack);
}

void program_dies(struct model *s, struct M *m, const struct rec *r)
{
	struct death_text death = death_text((const struct rec_user *)r);

	if (!s->started || !s->opts.notes)
		return;
	if (r->id && m_speaks(m) && m->g->id == r->id)
		death_speak(s, m, &death, ((const struct rec_user *)r)->stack);
	else if (r->id)
		note_add(s, "goroutine %" PRIu64 ": %s", r->id, death.text);
	else
		note_add(s, "%s", death.text);
}
