// SPDX-License-Identifier: Apache-2.0
/* otlp: see otlp.h. This file follows tasks and regions. */
#include "otlp/otlp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "otlp/internal.h"
#include "read/func.h"
#include "read/http.h"

/* --- open tasks and regions --- */

static struct otlp_op *otlp_task(const struct otlp *o, uint64_t task)
{
	const uint64_t *slot = task > HTTP_TASKS ? map64_get(&o->tasks, task) : NULL;

	return slot ? (struct otlp_op *)(uintptr_t)*slot : NULL;
}

/* The open regions of a goroutine. */
static struct vec *otlp_stack(struct otlp *o, const struct goroutine *g)
{
	while (o->stacks.len <= g->slot)
		vec_push(&o->stacks, sizeof(struct vec));
	return vec_at(&o->stacks, struct vec, g->slot);
}

/* The innermost open region of the goroutine; for that of a task the task. NULL: none. */
static struct otlp_op *otlp_top(struct otlp *o, const struct goroutine *g)
{
	const struct vec *stack = g ? otlp_stack(o, g) : NULL;

	return stack && stack->len ? *vec_at(stack, struct otlp_op *, stack->len - 1) : NULL;
}

static void otlp_push(struct otlp *o, const struct goroutine *g, struct otlp_op *op)
{
	*(struct otlp_op **)vec_push(otlp_stack(o, g), sizeof(op)) = op;
}

/* --- tasks --- */

static void otlp_on_task_begin(void *ctx, const struct task_span *t)
{
	struct otlp *o = ctx;
	struct otlp_op *parent, *top, *op;

	if (t->id <= HTTP_TASKS || otlp_task(o, t->id))
		return;
	parent = otlp_task(o, t->parent);
	top = otlp_top(o, spans_goroutine(o->s, t->g));
	op = op_new(o, parent && top && top->root == parent->root ? top : parent, t->from);
	op->task = t->id;
	op->g = t->g;
	op->name = t->type;
	otlp_ids_task(otlp_ids_of(o), t->id, op->id);
	*map64_put(&o->tasks, t->id, NULL) = (uint64_t)(uintptr_t)op;
}

static void otlp_on_task(void *ctx, const struct task_span *t)
{
	struct otlp *o = ctx;
	struct otlp_op *op = otlp_task(o, t->id);

	if (!op)	/* it began before the recording */
		return;
	op->name = t->type;
	map64_del(&o->tasks, t->id);
	if (t->open_end)
		op_left_open(o, op);
	else
		op_ended(o, op, t->to);
	op_release(op);
}

/* --- regions --- */

/* A task of gotap that has a region has it in its own goroutine, by the same name. */
static bool otlp_is_own(const struct otlp_op *task, const struct region_span *r)
{
	return task && !task->has_region && task->g == r->g->id && !strcmp(task->name, r->type);
}

static struct otlp_op *otlp_new_region(struct otlp *o, const struct otlp_op *parent,
				       const struct region_span *r)
{
	struct otlp_op *op = op_new(o, parent, r->from);

	op->is_region = true;
	op->is_loose = !parent;
	op->task = r->task;
	op->g = r->g->id;
	op->name = r->type;
	if (parent && !strncmp(r->type, HTTP_CHILD, strlen(HTTP_CHILD))) {
		op->child_of = otlp_task(o, r->task);
		if (op->child_of)
			op->child_of->refs++;
	}
	otlp_ids_region(otlp_ids_of(o), op->g, r->from, r->depth, op->id);
	return op;
}

/*
 * A region inside of a span, in its goroutine or by its task, is a span. Others would be traces of
 * one span each: a program has many, and gotap knows of no request that they are a part of. Those
 * that turn out to be calls are that.
 */
static void otlp_on_region_begin(void *ctx, const struct region_span *r)
{
	struct otlp *o = ctx;
	struct otlp_op *task = otlp_task(o, r->task), *top = otlp_top(o, r->g);

	if (otlp_is_own(task, r)) {
		task->has_region = true;
		task->refs++;
		otlp_push(o, r->g, task);
		return;
	}
	if (task && (!top || task->root != top->root))
		top = task;
	otlp_push(o, r->g, otlp_new_region(o, top && !top->is_loose ? top : NULL, r));
}

static void otlp_forget_log(struct otlp *o)
{
	free(o->log.message);
	o->log.message = NULL;
	o->log.category = NULL;
}

/* The log event right before the end of a region, in the same goroutine, is about it. */
static void otlp_take_region_log(struct otlp *o, struct otlp_op *op, const struct region_span *r)
{
	if (!o->log.category || o->log.g != r->g->id ||
	    (r->open_end && !r->left))
		return;
	op_take_log(op, o->log.category, o->log.message);
	otlp_forget_log(o);
}

/* Did the region end with its goroutine, and not with the trace? */
static bool otlp_region_ended(const struct otlp *o, const struct region_span *r)
{
	return !r->open_end || r->left || r->g->id == o->ending;
}

static void otlp_on_region(void *ctx, const struct region_span *r)
{
	struct otlp *o = ctx;
	struct vec *stack = otlp_stack(o, r->g);
	struct otlp_op *op;

	if (r->open_begin || !stack->len)
		return;
	op = *vec_at(stack, struct otlp_op *, --stack->len);
	if (op->is_region)
		otlp_take_region_log(o, op, r);
	if (op->is_loose && !facts_is_call(op->category)) {
		op_release(op);
		return;
	}
	if (op->child_of)
		op->func = r->g->name;
	if (op->is_region && otlp_region_ended(o, r))
		op_ended(o, op, r->to);
	else if (op->is_region)
		op_left_open(o, op);
	op_release(op);
}

/* --- what is inside of them --- */

/* Takes arguments and results of the function of the innermost region; false: they are no such. */
static bool otlp_take_arguments(struct otlp *o, uint64_t g, const struct otlp_category *c,
				const char *message)
{
	struct otlp_op *op = otlp_top(o, spans_goroutine(o->s, g));
	const char *rest = message;
	bool is_of_it = false;
	struct http_pair p;
	char func[1024];

	if (!op || !op->is_region || op->is_loose)
		return false;
	while ((rest = http_log_next(rest, &p))) {
		if (http_log_is(&p, "end"))
			return false;
		if (!http_log_is(&p, "func"))
			continue;
		http_log_copy(&p, func, sizeof(func));
		is_of_it = !strcmp(func, op->name);
	}
	if (is_of_it)
		op_take_log(op, c, message);
	return is_of_it;
}

static void otlp_on_log(void *ctx, int64_t time, uint64_t g, uint64_t task, const char *category,
			const char *message)
{
	struct otlp *o = ctx;
	const struct otlp_category *c = facts_category(category);
	const char *name = c ? facts_event(c, message) : NULL;
	struct otlp_op *op = c ? otlp_task(o, task) : NULL;

	if (name) {
		op = otlp_top(o, spans_goroutine(o->s, g)) ? : op;
		if (op && !op->is_loose)
			op_take_note(op, &(struct otlp_note){ time, name, c, (char *)message });
	} else if (!strcmp(category, FUNC_CATEGORY) && otlp_take_arguments(o, g, c, message)) {
		return;
	} else if (c && facts_is_of_region(c)) {
		otlp_forget_log(o);
		o->log.g = g;
		o->log.category = c;
		o->log.message = xstrdup(message);
	} else if (op) {
		op_take_log(op, c, message);
	}
}

static void otlp_on_span(void *ctx, const struct span *span)
{
	struct otlp *o = ctx;
	struct otlp_op *op = span->state == GO_WAITING ? otlp_top(o, span->g) : NULL;

	if (!op || op->is_loose || span->gap || !op_has_event_room(op))
		return;
	*(struct otlp_wait *)vec_push(&op->waits, sizeof(struct otlp_wait)) = (struct otlp_wait){
		.from = span->from, .ns = span->to - span->from, .reason = span->reason,
		.stack = span->stack,
		.kind = span->wait && span->wait->n == 1 ? span->wait->kind : 0,
		.of = span->wait ? span->wait->of[0] : 0,
	};
}

static void otlp_on_origin(void *ctx, int64_t time, const char *text)
{
	origin_take(&((struct otlp *)ctx)->origin, text);
}

/* --- begin and end --- */

static void otlp_on_trace(void *ctx, int64_t time)
{
	struct otlp *o = ctx;
	int64_t wall;

	o->ending = TRACEV2_NO_ID;
	if (spans_wall(o->s, &wall))
		return;
	error_set(&o->failed, -ENODATA, "%s does not say the time of day, which spans need: "
		  "traces of gotap, and of Go 1.25 and later, do", o->options.file);
	spans_stop(o->s);
}

static void otlp_on_event(void *ctx, const struct trace_event *ev)
{
	bool ends = ev->type == EV_GoDestroy || ev->type == EV_GoDestroySyscall;
	struct otlp *o = ctx;

	o->ending = ends ? ev->g : TRACEV2_NO_ID;
	if (o->log.category && ev->g == o->log.g && ev->type != EV_UserRegionEnd)
		otlp_forget_log(o);
}

struct otlp *otlp_new(struct spans *s, const struct otlp_options *options)
{
	struct otlp *o = xcalloc(1, sizeof(*o));

	o->s = s;
	o->options = *options;
	spans_visit(s, &(struct spans_visitor){
		.ctx = o, .waits = options->waits, .trace_begin = otlp_on_trace,
		.event = otlp_on_event, .task_begin = otlp_on_task_begin, .task = otlp_on_task,
		.region_begin = otlp_on_region_begin, .region = otlp_on_region,
		.op_log = otlp_on_log, .span = options->waits ? otlp_on_span : NULL,
		.origin = otlp_on_origin });
	return o;
}

int otlp_finish(struct otlp *o, struct error *err)
{
	spans_leave(o->s, o);
	otlp_flush(o);
	if (o->failed.code)
		*err = o->failed;
	return o->failed.code;
}

const struct otlp_counts *otlp_counts(const struct otlp *o)
{
	return &o->counts;
}

/* What a fault of the trace has left: after a whole reading all has ended. */
static void otlp_free_open(struct otlp *o)
{
	size_t i, k;

	for (i = 0; i < o->tasks.made; i++)
		if (o->tasks.slots[i].used)
			op_release((struct otlp_op *)(uintptr_t)o->tasks.slots[i].value);
	for (i = 0; i < o->stacks.len; i++) {
		struct vec *stack = vec_at(&o->stacks, struct vec, i);

		for (k = 0; k < stack->len; k++)
			op_release(*vec_at(stack, struct otlp_op *, k));
		vec_free(stack);
	}
}

void otlp_free(struct otlp *o)
{
	if (!o)
		return;
	otlp_free_open(o);
	otlp_forget_log(o);
	map64_free(&o->tasks);
	vec_free(&o->stacks);
	vec_free(&o->events);
	facts_free(&o->facts);
	facts_free(&o->resource);
	batch_free(&o->batch);
	origin_free(&o->origin);
	free(o);
}
