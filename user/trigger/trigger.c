// SPDX-License-Identifier: Apache-2.0
/* trigger: see trigger.h. Decides which rules get which event. */
#include "trigger/internal.h"

#include <stdlib.h>

const struct family *family_of(enum trigger_kind kind)
{
	static const struct family *const families[TRIGGER_KINDS] = {
		[TRIGGER_SIGNAL] = &family_none,
		[TRIGGER_SOCKET] = &family_none,
		[TRIGGER_RUNNABLE] = &family_stays,
		[TRIGGER_BLOCKED] = &family_stays,
		[TRIGGER_SYSCALL] = &family_stays,
		[TRIGGER_STW] = &family_stw,
		[TRIGGER_GC] = &family_gc,
		[TRIGGER_GOROUTINES] = &family_level,
		[TRIGGER_HEAP] = &family_level,
		[TRIGGER_REGION] = &family_region,
		[TRIGGER_TASK] = &family_task,
		[TRIGGER_FUNC] = &family_func,
		[TRIGGER_UNIT] = &family_unit,
		[TRIGGER_UNIT_P99] = &family_unit,
		[TRIGGER_SCHED_P99] = &family_p99,
		[TRIGGER_THROTTLED] = &family_throttled,
		[TRIGGER_REQUEST] = &family_request,
		[TRIGGER_ERRORS] = &family_errors,
		[TRIGGER_LOG] = &family_log,
		[TRIGGER_EXIT] = &family_none,
		[TRIGGER_CRASH] = &family_none,
		[TRIGGER_OOM] = &family_none,
		[TRIGGER_HANG] = &family_hang,
	};

	return families[kind];
}

const struct family family_none = { .stream = false };

bool trigger_is_of_records(enum trigger_kind kind)
{
	return family_of(kind) != &family_none;
}

bool trigger_lasts(enum trigger_kind kind)
{
	return family_of(kind)->lasts;
}

/* --- from the tap to the rules --- */

#define EACH(list, call)                                                               \
	do {                                                                           \
		size_t each_;                                                          \
		for (each_ = 0; each_ < (list).len; each_++) {                         \
			struct rule *r = *vec_at(&(list), struct rule *, each_);       \
			r->family->call;                                               \
		}                                                                      \
	} while (0)

static void on_born(void *ctx, struct tap_go *g, const struct tap_step *s)
{
	struct triggers *t = ctx;

	if (t->opts.labels)
		labels_of_new(t, g, s);
	EACH(t->on_born, born(r, g));
}

static void on_enter(void *ctx, struct tap_go *g, const struct tap_step *s)
{
	EACH(((struct triggers *)ctx)->on_enter[g->state], enter(r, g, s));
}

static void on_leave(void *ctx, struct tap_go *g, uint64_t time, bool known)
{
	EACH(((struct triggers *)ctx)->on_leave[g->state], leave(r, g, time, known));
}

static void on_gone(void *ctx, struct tap_go *g, uint64_t time)
{
	EACH(((struct triggers *)ctx)->on_gone, gone(r, g, time));
}

static void trigger_on_event(void *ctx, const struct tap_step *s)
{
	struct triggers *t = ctx;

	if (t->opts.labels && s->event->kind == EV_UserLog)
		labels_learn(t, s);
	EACH(t->on_event[s->event->kind & 255], event(r, s));
}

static void on_seen(void *ctx, uint64_t time)
{
	struct triggers *t = ctx;

	facts_look_at_losses(t);
	EACH(t->on_seen, seen(r, time));
	if (t->waiting.len)
		facts_pass_waiting(t);
}

static void on_text(void *ctx, uint64_t later, const char *bytes, size_t n)
{
	EACH(((struct triggers *)ctx)->on_text, text(r, later, bytes, n));
}

static void on_gap(void *ctx, uint64_t time)
{
	EACH(((struct triggers *)ctx)->on_gap, gap(r, time));
}

static const struct tap_visitor visitor = {
	.born = on_born,
	.enter = on_enter,
	.leave = on_leave,
	.gone = on_gone,
	.event = trigger_on_event,
	.seen = on_seen,
	.text = on_text,
	.gap = on_gap,
};

/* --- the rules together --- */

static void trigger_add(struct vec *list, struct rule *r)
{
	*(struct rule **)vec_push(list, sizeof(r)) = r;
}

static void trigger_enlist(struct triggers *t, struct rule *r, struct tap_opts *tap)
{
	const struct family *f = r->family;
	size_t i;

	for (i = 0; i < TAP_STATES; i++) {
		if (r->enters >> i & 1)
			trigger_add(&t->on_enter[i], r);
		if (r->leaves >> i & 1)
			trigger_add(&t->on_leave[i], r);
	}
	if (f->born)
		trigger_add(&t->on_born, r);
	if (f->gone)
		trigger_add(&t->on_gone, r);
	if (f->seen)
		trigger_add(&t->on_seen, r);
	if (f->text)
		trigger_add(&t->on_text, r);
	if (f->gap)
		trigger_add(&t->on_gap, r);
	for (i = 0; f->events[i]; i++) {
		trigger_add(&t->on_event[f->events[i]], r);
		tap->wants[f->events[i]] = true;
	}
}

static void rule_begin(struct triggers *t, struct rule *r, const struct trigger_rule *is)
{
	const struct family *f = family_of(is->kind);

	r->is = is;
	r->family = f;
	r->triggers = t;
	stay_list_init(&r->stays);
	r->at = t->stays;
	t->stays += f->stays;
	if (f->begin)
		f->begin(r);
}

struct triggers *triggers_new(const struct triggers_opts *opts)
{
	struct triggers *t = xcalloc(1, sizeof(*t));
	struct tap_opts tap = { .visitor = &visitor, .ctx = t };
	bool stream = false;
	size_t i;

	t->opts = *opts;
	t->rules = xcalloc(opts->n + 1, sizeof(*t->rules));
	for (i = 0; i < opts->n; i++) {
		rule_begin(t, &t->rules[i], &opts->rules[i]);
		trigger_enlist(t, &t->rules[i], &tap);
		stream |= t->rules[i].family->stream;
	}
	if (t->opts.labels) {
		t->labels_at = t->stays++;
		tap.wants[EV_UserLog] = true;
	}
	tap.data = t->stays * sizeof(struct stay);
	if (stream)
		t->tap = tap_new(&tap);
	return t;
}

/* --- the observers --- */

static void trigger_begin(void *ctx, trace_frames_fn *frames, void *frames_ctx)
{
	struct triggers *t = ctx;

	t->frames = frames;
	t->frames_ctx = frames_ctx;
}

static void trigger_dies(void *ctx, const struct rec_user *r)
{
	death_take(ctx, r);
}

static bool has_crash(const struct triggers *t)
{
	size_t i;

	for (i = 0; i < t->opts.n; i++)
		if (t->rules[i].is->kind == TRIGGER_CRASH)
			return true;
	return false;
}

void triggers_observe(struct triggers *t, struct observers *to)
{
	static const struct observer_ops ops = { .begin = trigger_begin, .dies = trigger_dies };

	if (!t->tap && !has_crash(t))
		return;
	observers_add(to, &ops, t);
	if (t->tap)
		tap_observe(t->tap, to);
}

void triggers_losses(struct triggers *t, const uint64_t *lost)
{
	t->lost = lost;
	t->lost_before = *lost;
}

void triggers_finish(struct triggers *t)
{
	facts_pass_waiting(t);
}

void triggers_counts(const struct triggers *t, size_t rule, struct trigger_counts *ret)
{
	*ret = t->rules[rule].counts;
}

static void free_lists(struct triggers *t)
{
	size_t i;

	for (i = 0; i < TAP_STATES; i++) {
		vec_free(&t->on_enter[i]);
		vec_free(&t->on_leave[i]);
	}
	vec_free(&t->on_born);
	vec_free(&t->on_gone);
	vec_free(&t->on_seen);
	vec_free(&t->on_text);
	vec_free(&t->on_gap);
	for (i = 0; i < 256; i++)
		vec_free(&t->on_event[i]);
}

void triggers_free(struct triggers *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->opts.n; i++) {
		struct rule *r = &t->rules[i];

		if (r->family->end)
			r->family->end(r);
		map64_free(&r->memo.answers);
		map64_free(&r->places.answers);
	}
	tap_free(t->tap);
	free_lists(t);
	vec_free(&t->waiting);
	labels_free(&t->labels);
	free(t->rules);
	free(t);
}
