// SPDX-License-Identifier: Apache-2.0
/*
 * labelled: the facts of goroutines that have profiler labels alone (--on-label). The last struct
 * stay in a goroutine's data is in no list: its @since says when the goroutine last had the labels.
 * A new goroutine has those of its creator, as in the runtime.
 */
#include <string.h>

#include "read/labels.h"
#include "trigger/internal.h"

enum { LABELS_NEVER = 0 };
#define LABELS_NOW UINT64_MAX

static uint64_t *labelled_until(const struct triggers *t, struct tap_go *g)
{
	return &((struct stay *)(void *)g->data + t->labels_at)->since;
}

static const bool labelled_kinds[TRIGGER_KINDS] = {
	[TRIGGER_RUNNABLE] = true, [TRIGGER_BLOCKED] = true, [TRIGGER_SYSCALL] = true,
	[TRIGGER_REGION] = true, [TRIGGER_TASK] = true, [TRIGGER_FUNC] = true,
	[TRIGGER_UNIT] = true, [TRIGGER_REQUEST] = true, [TRIGGER_ERRORS] = true,
	[TRIGGER_LOG] = true,
};

bool trigger_takes_labels(enum trigger_kind kind)
{
	return labelled_kinds[kind];
}

void labels_of_new(const struct triggers *t, struct tap_go *g, const struct tap_step *s)
{
	struct tap_go *creator = s ? s->by : NULL;

	*labelled_until(t, g) = LABELS_NEVER;
	if (creator && creator != g && s->event->kind == EV_GoCreate &&
	    *labelled_until(t, creator) == LABELS_NOW)
		*labelled_until(t, g) = LABELS_NOW;
}

void labels_learn(struct triggers *t, const struct tap_step *s)
{
	const struct sink_text *category = sink_arg_text(s->event->args[1]),
			       *text = sink_arg_text(s->event->args[2]);
	size_t n = sizeof(LABELS_CATEGORY) - 1;
	uint64_t *until;

	/* The program cannot make such an event: a constant is of the model. */
	if (!s->by || !category->constant || sink_text_len(category) != n ||
	    memcmp(category->bytes, LABELS_CATEGORY, n))
		return;
	until = labelled_until(t, s->by);
	n = text->bytes ? sink_text_len(text) : 0;
	if (labels_have(&t->labels, text->bytes ? text->bytes : "", n, t->opts.labels))
		*until = LABELS_NOW;
	else if (*until == LABELS_NOW)
		*until = s->event->time;
}

bool labels_had(struct rule *r, uint64_t goid, uint64_t since)
{
	const struct triggers *t = r->triggers;
	struct tap_go *g;
	uint64_t until;

	if (!t->opts.labels || !trigger_takes_labels(r->is->kind))
		return true;
	g = goid ? tap_find(t->tap, goid) : NULL;
	if (!g || is_of_runtime(r, g))
		return false;
	until = *labelled_until(t, g);
	return until != LABELS_NEVER && until > since;
}
