// SPDX-License-Identifier: Apache-2.0
/*
 * death: see death.h, and the handler of REC_PROGRAM_DIES (handlers.h): a log event of category "gotap" with the stack, on
 * the goroutine that it is about. Where that does not run with a P, or no goroutine is to blame, it is a note.
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
		snprintf(ret.text, sizeof(ret.text), "signal %d (%s)", death_signal(r), strsignal(death_signal(r)));
	else
		snprintf(ret.text, sizeof(ret.text), "%s%s%.*s", death_how(r) == REC_END_PANIC ? "panic" : "fatal error",
			 len ? ": " : "", len, r->text);
	return ret;
}

/* The function with the instruction before @pc; "": none of Go. */
static const char *function_before(struct symbolizer *symbols, uint64_t pc, int32_t *sp_delta)
{
	struct symbol_function fn;

	*sp_delta = -1;
	if (!symbolizer_function(symbols, pc - 1, &fn))
		return "";
	*sp_delta = fn.sp_delta;
	return fn.name;
}

static size_t insert(uint64_t pcs[REC_MAX_FRAMES], size_t n, size_t at, uint64_t pc)
{
	if (at >= REC_MAX_FRAMES)
		return n;
	if (n == REC_MAX_FRAMES)
		n--;
	memmove(&pcs[at + 1], &pcs[at], (n - at) * sizeof(pcs[0]));
	pcs[at] = pc;
	return n + 1;
}

/*
 * Where a signal became a panic, sigpanic looks as if the faulting instruction itself, and not the one before its return
 * address, had called it. And that function, or one that was left in its prologue as its stack had no room, may have no
 * frame: then frame pointers skip its caller. The address of that one is the top word.
 */
size_t death_stack(struct symbolizer *symbols, uint64_t top, uint64_t pcs[REC_MAX_FRAMES], size_t n)
{
	size_t at = 0, i;
	const char *name;
	int32_t delta;

	for (i = 0; i + 1 < n; i++)
		if (!strcmp(function_before(symbols, pcs[i], &delta), "runtime.sigpanic")) {
			pcs[i + 1]++;
			at = at ? at : i + 1;
		}
	if (!n || !top)
		return n;
	name = function_before(symbols, pcs[at], &delta);
	/* Nothing runs in systemstack_switch: it stands for the function that left its stack, which has a frame. */
	return delta || !strcmp(name, "runtime.systemstack_switch") ? n : insert(pcs, n, at + 1, top);
}

void program_dies(struct model *s, struct M *m, const struct rec *r)
{
	struct death_text death = death_text((const struct rec_user *)r);

	if (!s->started || !s->opts.notes)
		return;
	if (r->id && m_speaks(m) && m->g->id == r->id)
		step_emit(s, m, EV_UserLog, 0, SINK_CONSTANT("gotap"), SINK_TEXT(death.text, strlen(death.text)),
			  ((const struct rec_user *)r)->stack);
	else if (r->id)
		note_add(s, "goroutine %" PRIu64 ": %s", r->id, death.text);
	else
		note_add(s, "%s", death.text);
}
