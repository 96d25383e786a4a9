// SPDX-License-Identifier: Apache-2.0
/* json: the answer of `gotap why` as one object. docs/why.md describes it. See why.h. */
#include "cmd/why/why.h"

#include <stdlib.h>

#include "base/json_out.h"
#include "read/http.h"

enum {
	VERSION = 1,
	STEPS = 1000,	/* that are written without --full */
};

struct json {
	struct json_out j;
	const struct why_answer *a;
	const struct stack_set *stacks;
	const struct path *path;
	bool is_split;
};

static void why_json_put_frame(struct json *o, const char *name, uint32_t frame)
{
	const struct stack_frame *f = frame ? stack_set_frame_at(o->stacks, frame) : NULL;

	if (!f)
		return;
	json_open_object(&o->j, name);
	json_put_text(&o->j, "function", f->func);
	json_put_text(&o->j, "file", f->file);
	json_put_count(&o->j, "line", f->line);
	json_close_object(&o->j);
}

static void why_json_put_stack(struct json *o, const char *name, uint32_t stack)
{
	const uint32_t *frames;
	uint32_t n, i;

	if (!stack)
		return;
	json_open_array(&o->j, name);
	frames = stack_set_of(o->stacks, stack, &n);
	for (i = 0; i < n; i++)
		why_json_put_frame(o, NULL, frames[i]);
	json_close_array(&o->j);
}

static void put_cause(struct json *o, const char *name, const struct cause *c)
{
	json_open_object(&o->j, name);
	json_put_text(&o->j, "kind", c->kind < STEP_KINDS ? why_kind_names[c->kind] : "other");
	if (*c->name)
		json_put_text(&o->j, "goroutines_of", c->name);
	if (*c->reason)
		json_put_text(&o->j, "reason", c->reason);
	if (why_by_names[c->by])
		json_put_text(&o->j, "ended_by", why_by_names[c->by]);
	if (c->thread)
		json_put_text(&o->j, "thread", thread_state_name(c->thread - 1));
	if (why_queued_names[c->queued])
		json_put_text(&o->j, "queued", why_queued_names[c->queued]);
	if (c->comm)
		json_put_text(&o->j, "taken_by", c->comm);
	if (c->process)
		json_put_text(&o->j, "process", c->process);
	if (c->process && *c->request)
		json_put_text(&o->j, "request", c->request);
	why_json_put_frame(o, "in", c->op);
	why_json_put_frame(o, "at", c->at);
	json_close_object(&o->j);
}

static void why_json_put_goroutine(struct json *o, const char *name, uint64_t g)
{
	if (g != TRACEV2_NO_ID)
		json_put_count(&o->j, name, g);
}

static void put_instances(struct json *o)
{
	const struct pick *p = o->a->pick;

	if (!p)
		return;
	json_open_object(&o->j, "instances");
	json_put_count(&o->j, "count", p->list->n);
	json_put_bool(&o->j, "whole", !p->is_part);
	json_put_count(&o->j, "not_whole", p->part.n);
	json_put_number(&o->j, "p50_ns", pick_at(p, 50).ns);
	json_put_number(&o->j, "p99_ns", pick_at(p, 99).ns);
	json_put_number(&o->j, "longest_ns", p->list->longest.ns);
	json_close_object(&o->j);
}

/* --- sums --- */

static void put_part(struct json *o, const struct part *part, uint64_t all)
{
	const struct cause *causes = o->path->causes.data;

	json_open_object(&o->j, NULL);
	json_put_count(&o->j, "ns", part->ns);
	json_put_real(&o->j, "share", all ? (double)part->ns / (double)all : 0, 6);
	json_put_count(&o->j, "steps", part->count);
	json_put_number(&o->j, "longest_ns", part->longest);
	put_cause(o, "cause", &causes[part->leaf]);
	if (part->root != part->wait)
		put_cause(o, "waited_for_in", &causes[part->wait]);
	if (part->root != part->leaf)
		put_cause(o, "explains", &causes[part->root]);
	json_close_object(&o->j);
}

static void why_json_put_parts(struct json *o, uint64_t all)
{
	size_t n, i;
	struct part *parts = why_parts(o->path, UINT32_MAX, &n);

	json_open_array(&o->j, "causes");
	for (i = 0; i < n; i++)
		put_part(o, &parts[i], all);
	json_close_array(&o->j);
	free(parts);
}

/* The states in Linux of the threads of goroutines that had the Ps. */
static void why_json_put_threads(struct json *o, const uint64_t ns[THREAD_STATES])
{
	unsigned i;

	if (!o->is_split)
		return;
	json_open_object(&o->j, "held_by_thread_state");
	for (i = 0; i < THREAD_STATES; i++)
		if (ns[i])
			json_put_count(&o->j, thread_state_name(i), ns[i]);
	json_close_object(&o->j);
}

static void put_off(struct json *o, uint64_t ns)
{
	if (o->is_split)
		json_put_count(&o->j, "off_cpu_ns", ns);
}

static void why_json_put_held(struct json *o)
{
	const struct path *p = o->path;
	const uint64_t *off;
	size_t i;

	json_open_object(&o->j, "runnable");
	json_put_count(&o->j, "ns", p->runnable);
	json_put_count(&o->j, "procs_ns", p->procs);
	json_put_count(&o->j, "held_ns", p->held);
	why_json_put_threads(o, p->threads);
	json_open_array(&o->j, "holders");
	for (i = 0; i < p->holders.made; i++) {
		if (!p->holders.slots[i].used)
			continue;
		json_open_object(&o->j, NULL);
		json_put_text(&o->j, "goroutines_of",
			      (const char *)(uintptr_t)p->holders.slots[i].key);
		json_put_count(&o->j, "ns", p->holders.slots[i].value);
		off = map64_get(&p->off, p->holders.slots[i].key);
		put_off(o, off ? *off : 0);
		json_close_object(&o->j);
	}
	json_close_array(&o->j);
	json_close_object(&o->j);
}

/* --- assists --- */

static void why_json_put_sites(struct json *o, const char *name, const struct allocated_sum *sum)
{
	size_t i;

	json_open_object(&o->j, name);
	json_put_real(&o->j, "bytes", sum->bytes, 0);
	json_put_count(&o->j, "samples", sum->samples);
	json_open_array(&o->j, "places");
	for (i = 0; i < sum->sites.len; i++) {
		const struct allocated_site *site =
			vec_at(&sum->sites, struct allocated_site, i);

		json_open_object(&o->j, NULL);
		json_put_real(&o->j, "bytes", site->bytes, 0);
		json_put_count(&o->j, "samples", site->samples);
		why_json_put_frame(o, "at", site->frame);
		json_close_object(&o->j);
	}
	json_close_array(&o->j);
	json_close_object(&o->j);
}

static void why_json_put_because(struct json *o)
{
	const struct why_because *b = &o->a->because;

	if (!b->assist)
		return;
	json_open_object(&o->j, "assists");
	json_put_number(&o->j, "ns", b->assist);
	json_put_number(&o->j, "since_ns", b->since - o->a->begin);
	why_json_put_goroutine(o, "goroutine", b->g);
	json_put_text(&o->j, "goroutine_of", b->name);
	if (b->own.samples)
		why_json_put_sites(o, "own", &b->own);
	if (b->all.samples)
		why_json_put_sites(o, "program", &b->all);
	json_close_object(&o->j);
}

/* --- steps --- */

static void put_holders(struct json *o, const struct step *s)
{
	int i;

	if (s->kind != STEP_RUNNABLE || !s->procs)
		return;
	json_put_count(&o->j, "procs_ns", s->procs);
	json_put_count(&o->j, "held_ns", s->held);
	why_json_put_threads(o, s->threads);
	json_open_array(&o->j, "holders");
	for (i = 0; i < STEP_HOLDERS && s->holders[i].ns; i++) {
		json_open_object(&o->j, NULL);
		json_put_text(&o->j, "goroutines_of", s->holders[i].name);
		json_put_count(&o->j, "ns", s->holders[i].ns);
		put_off(o, s->holders[i].off);
		json_close_object(&o->j);
	}
	json_close_array(&o->j);
}

/*
 * Writes the task that took the CPU of the thread, or woke it, and the system call in which it
 * waits.
 */
static void why_json_put_thread(struct json *o, const struct step *s)
{
	if (!s->thread)
		return;
	if (s->syscall >= 0)
		json_put_count(&o->j, "syscall", (uint64_t)s->syscall);
	if (why_queued_names[s->queued])
		json_put_text(&o->j, "queued", why_queued_names[s->queued]);
	if (!s->taker.comm)
		return;
	json_open_object(&o->j, "by");
	json_put_text(&o->j, "comm", s->taker.comm);
	json_put_count(&o->j, "tid", s->taker.tid);
	json_put_count(&o->j, "pid", s->taker.pid);
	json_close_object(&o->j);
}

static void why_json_put_object(struct json *o, const char *name, const struct trail_object *object)
{
	struct buf text = {0};

	if (!object->kind)
		return;
	why_put_object(&text, object);
	buf_add_byte(&text, 0);
	json_put_text(&o->j, name, (const char *)text.data);
	buf_free(&text);
}

static void why_json_put_step(struct json *o, const struct step *s)
{
	const struct cause *c =
		vec_at(&o->path->causes, struct cause, path_cause((struct path *)o->path, s));

	json_open_object(&o->j, NULL);
	json_put_number(&o->j, "from_ns", s->from - o->a->begin);
	json_put_number(&o->j, "to_ns", s->to - o->a->begin);
	why_json_put_goroutine(o, "goroutine", s->g);
	json_put_count(&o->j, "depth", s->depth);
	if (s->task)
		json_put_count(&o->j, "task", s->task);
	put_cause(o, "cause", c);
	if (s->depth) {
		put_cause(o, "waited_for_in", vec_at(&o->path->causes, struct cause, s->wait));
		why_json_put_object(o, "waited_for", &s->wait_object);
		why_json_put_stack(o, "wait_stack", s->wait_stack);
	}
	why_json_put_object(o, "waits_for", &s->object);
	if (s->p != UINT32_MAX)
		json_put_count(&o->j, "proc", s->p);
	why_json_put_thread(o, s);
	put_holders(o, s);
	why_json_put_stack(o, "stack", s->stack);
	why_json_put_stack(o, "end_stack", s->end_stack);
	if (s->via != VIA_NONE) {
		why_json_put_goroutine(o, s->via == VIA_WOKE ? "woke" : "created", s->via_g);
		why_json_put_stack(o, "woke_stack", s->via_stack);
	}
	json_close_object(&o->j);
}

static void put_steps(struct json *o, bool full)
{
	struct path *path = (struct path *)o->path;
	uint32_t i;

	json_put_count(&o->j, "step_count", path->count);
	if (!full && path->count > STEPS)
		return;
	json_open_array(&o->j, "steps");
	for (i = path->count; i--; ) {
		struct step step = *(const struct step *)store_at(path->steps, i);

		why_json_put_step(o, &step);
	}
	json_close_array(&o->j);
}

static void why_json_put_path(struct json *o, const struct why_show *show)
{
	const struct path *p = o->path;

	if (show->question.of == WHY_TASK)
		json_put_count(&o->j, "task", o->a->task);
	if (show->question.request)
		json_put_count(&o->j, "request", o->a->task & ~HTTP_TASKS);
	why_json_put_goroutine(o, "goroutine", o->a->g);
	json_put_text(&o->j, "goroutine_of", o->a->name);
	json_put_text(&o->j, "trace", show->traces[o->a->trace]);
	json_put_number(&o->j, "from_ns", p->from - o->a->begin);
	json_put_number(&o->j, "to_ns", p->to - o->a->begin);
	json_put_number(&o->j, "ns", p->to - p->from);
	why_json_put_parts(o, (uint64_t)(p->to - p->from));
	why_json_put_held(o);
	why_json_put_because(o);
	put_steps(o, show->full);
}

/* --- groups --- */

static void why_json_put_group(struct json *o, const char *name, const struct why_group *g)
{
	json_open_object(&o->j, name);
	json_put_count(&o->j, "count", g->n);
	json_put_count(&o->j, "looked_at", g->looked);
	json_put_bool(&o->j, "cut_short", g->cut);
	json_put_number(&o->j, "shortest_ns", g->shortest);
	json_put_number(&o->j, "longest_ns", g->longest);
	json_put_number(&o->j, "mean_ns", g->looked ? g->ns / (int64_t)g->looked : 0);
	json_close_object(&o->j);
}

static void why_json_put_groups(struct json *o)
{
	size_t n, i;
	struct why_row *rows = why_compare(o->a, &n);

	why_json_put_group(o, "slow", &o->a->groups[1]);
	why_json_put_group(o, "middle", &o->a->groups[0]);
	json_open_array(&o->j, "causes");
	for (i = 0; i < n; i++) {
		json_open_object(&o->j, NULL);
		json_put_real(&o->j, "slow_ns", rows[i].ns[1], 1);
		json_put_real(&o->j, "middle_ns", rows[i].ns[0], 1);
		put_cause(o, "cause", &rows[i].leaf);
		if (!why_same_cause(&rows[i].root, &rows[i].wait))
			put_cause(o, "waited_for_in", &rows[i].wait);
		if (!why_same_cause(&rows[i].root, &rows[i].leaf))
			put_cause(o, "explains", &rows[i].root);
		json_close_object(&o->j);
	}
	json_close_array(&o->j);
	free(rows);
}

/* With --slowest: each of them, the slowest first. */
static void why_json_put_slowest(struct json *o, struct why *w, const struct why_show *show)
{
	size_t i;

	json_open_array(&o->j, "slowest");
	for (i = 0; i < why_answers(w); i++) {
		why_turn(w, i);
		o->a = why_answer(w);
		o->path = &o->a->path;
		json_open_object(&o->j, NULL);
		why_json_put_path(o, show);
		json_close_object(&o->j);
	}
	json_close_array(&o->j);
	why_turn(w, 0);
}

void why_json(FILE *f, struct why *w, const struct why_show *show)
{
	static const char *const of[] = { "program", "goroutine", "func", "task", "region" };
	struct json o = { .j = { .f = f }, .a = why_answer(w), .stacks = spans_stacks(why_spans(w)),
			  .path = &why_answer(w)->path, .is_split = why_is_split(w) };
	struct next next;

	json_open_object(&o.j, NULL);
	json_put_number(&o.j, "version", VERSION);
	json_put_text(&o.j, "of", show->question.request ? "request" : of[show->question.of]);
	if (show->question.name)
		json_put_text(&o.j, "name", show->question.name);
	put_instances(&o);
	if (show->question.all)
		why_json_put_groups(&o);
	else if (show->question.slowest)
		why_json_put_slowest(&o, w, show);
	else
		why_json_put_path(&o, show);
	why_next(w, show, &next);
	next_json(&next, &o.j);
	json_close_object(&o.j);
	fputc('\n', f);
}
