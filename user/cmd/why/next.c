// SPDX-License-Identifier: Apache-2.0
/* next: the commands with which `gotap why` ends (cmd/next.h). See why.h. */
#include "cmd/why/why.h"

#include <string.h>

/* Smaller parts of the path are no reason to record again. */
static const double why_next_share = 0.2;

static void why_next_origin(void *ctx, int64_t time, const char *text)
{
	struct why_seen *seen = ctx;

	origin_take(&seen->origin, text);
}

static void why_next_sample(void *ctx, const struct trace_event *ev, uint32_t stack)
{
	struct why_seen *seen = ctx;

	seen->samples = true;
}

void why_see(struct why_seen *seen, struct spans *s)
{
	spans_visit(s, &(struct spans_visitor){ .ctx = seen, .origin = why_next_origin,
						.sample = why_next_sample });
}

static double why_next_part(const struct path *p, enum step_kind from, enum step_kind to)
{
	uint64_t ns = 0;
	size_t i;

	for (i = 0; i < p->parts.len; i++) {
		const struct part *part = vec_at(&p->parts, struct part, i);
		const struct cause *c = vec_at(&p->causes, struct cause, part->leaf);

		if (c->kind >= from && c->kind <= to)
			ns += part->ns;
	}
	return p->to > p->from ? (double)ns / (double)(p->to - p->from) : 0;
}

static void why_next_of_path(struct next *n, const struct why *w, const struct why_show *show)
{
	const struct path *p = &why_answer(w)->path;

	if (why_next_part(p, STEP_RUNNING, STEP_RUNNING) >= why_next_share && !show->seen->samples)
		next_want(n, NEXT_SAMPLES);
	if (!why_is_split(w) && why_next_part(p, STEP_RUNNABLE, STEP_RUNNABLE) +
				why_next_part(p, STEP_SYSCALL, STEP_SYSCALL_BARE) >= why_next_share)
		next_want(n, NEXT_LINUX);
	if (!show->stacks && why_answer(w)->g != TRACEV2_NO_ID) {
		snprintf(n->range, sizeof(n->range), "-g %llu --from %.9f --to %.9f",
			 (unsigned long long)why_answer(w)->g,
			 (double)(p->from - why_answer(w)->begin) / 1e9,
			 (double)(p->to - why_answer(w)->begin) / 1e9);
		next_want(n, NEXT_STACKS);
	}
}

/* The option that asked for instances by name; nothing where there is one alone. */
static void why_next_put_subject(struct next *n, const struct why_question *q)
{
	static const char *const options[] = {
		[WHY_FUNC] = "--func", [WHY_TASK] = "--task", [WHY_REGION] = "--region",
	};

	if (q->name && q->request)
		next_put_name(n->func, "--route", q->name);
	else if (q->name && q->of < sizeof(options) / sizeof(*options) && options[q->of])
		next_put_name(n->func, options[q->of], q->name);
}

void why_next(const struct why *w, const struct why_show *show, struct next *n)
{
	const struct why_answer *a = why_answer(w);

	*n = (struct next){ .trace = next_file(show->traces[show->question.all ? 0 : a->trace]),
			    .pid = next_pid(&show->seen->origin) };
	why_next_put_subject(n, &show->question);
	if (show->question.all) {
		next_want(n, NEXT_REPORT);
		return;
	}
	/* all of several traces cannot be asked for by the name of one */
	if (a->pick && a->pick->list->n > 1 && !show->traces[1])
		next_want(n, NEXT_ALL);
	if (show->question.of == WHY_PROGRAM)
		next_want(n, NEXT_REPORT);
	why_next_of_path(n, w, show);
}
