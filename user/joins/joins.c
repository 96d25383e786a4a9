// SPDX-License-Identifier: Apache-2.0
/* joins: see joins.h. This file has the traces that are joined, and their visitors. */
#include "joins/joins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "joins/internal.h"

/* --- the visitor --- */

static void joins_on_goroutine(void *ctx, struct goroutine *g)
{
	joins_g(ctx, g)->id = TRACEV2_NO_ID;	/* the slot may have been that of another one */
	joins_g(ctx, g);
}

static void joins_on_span_begin(void *ctx, const struct span *span)
{
	if (span->state == GO_WAITING)
		joins_waits(ctx, span);
	else if (span->state == GO_SYSCALL)
		joins_take_write(ctx, span);
}

static void joins_on_origin(void *ctx, int64_t time, const char *text)
{
	struct joins_member *m = ctx;

	origin_take(&m->origin, text);
}

/* --- texts --- */

const char *joins_process(const struct joins *j, uint32_t member)
{
	struct joins_member *m = (struct joins_member *)&j->members[member];
	const char *program = m->origin.facts[ORIGIN_PROGRAM], *pid = m->origin.facts[ORIGIN_PID];
	const char *slash = program ? strrchr(program, '/') : NULL;
	_cleanup_free_ char *text = NULL;

	if (m->process)
		return m->process;
	if (!program && !pid)
		return spans_text(m->s, m->stand_in, strlen(m->stand_in));
	text = xasprintf("%.100s (pid %s)", slash ? slash + 1 : program ? program : "?",
			 pid ? pid : "?");
	if (program && pid)
		m->process = spans_text(m->s, text, strlen(text));
	return program && pid ? m->process : spans_text(m->s, text, strlen(text));
}

const uint64_t *joins_counts(const struct joins *j)
{
	return j->counts;
}

/* --- begin and end --- */

struct joins *joins_new(void)
{
	struct joins *j = xcalloc(1, sizeof(*j));

	j->last.g = TRACEV2_NO_ID;
	return j;
}

uint32_t joins_add(struct joins *j, struct spans *s, joins_mark_fn *mark, void *ctx)
{
	struct joins_member *m = &j->members[j->n];

	*m = (struct joins_member){ .j = j, .number = j->n, .s = s, .mark = mark, .ctx = ctx };
	snprintf(m->stand_in, sizeof(m->stand_in), "trace %u", j->n + 1);
	spans_visit(s, &(struct spans_visitor){
			       .ctx = m,
			       .waits = true,
			       .goroutine_begin = joins_on_goroutine,
			       .span_begin = joins_on_span_begin,
			       .span = joins_span_ended,
			       .region_begin = joins_region_begins,
			       .region = joins_region_ended,
			       .task_begin = joins_task_begins,
			       .task = joins_task_ended,
			       .origin = joins_on_origin,
		       });
	return j->n++;
}

void joins_leave(struct joins *j, uint32_t member)
{
	spans_leave(j->members[member].s, &j->members[member]);
}

static void joins_free_member(struct joins_member *m)
{
	origin_free(&m->origin);
	vec_free(&m->gs);
	vec_free(&m->stacks);
}

void joins_free(struct joins *j)
{
	uint32_t i;
	size_t k;

	if (!j)
		return;
	for (i = 0; i < j->n; i++)
		joins_free_member(&j->members[i]);
	for (k = 0; k < j->ends.len; k++)
		vec_free(&joins_end_at(j, (uint32_t)k)->tasks);
	vec_free(&j->ends);
	map64_free(&j->index);
	free(j);
}
