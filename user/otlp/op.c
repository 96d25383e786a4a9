// SPDX-License-Identifier: Apache-2.0
/* op: the spans of operations until they are in a batch. See internal.h. */
#include <stdlib.h>
#include <string.h>

#include "otlp/internal.h"
#include "read/http.h"

enum {
	LOG_MOST = 8192,	/* bytes of all messages about an operation */
	/* SpanFlags: it is known whether the parent is another program's; it is */
	FLAG_HAS_REMOTE = 0x100, FLAG_REMOTE = 0x200,
};

/* --- life --- */

static void op_release_root(struct otlp_root *r)
{
	if (--r->refs)
		return;
	vec_free(&r->held);
	free(r);
}

struct otlp_op *op_new(struct otlp *o, const struct otlp_op *parent, int64_t from)
{
	struct otlp_op *op = xcalloc(1, sizeof(*op));

	op->refs = 1;
	op->from = from;
	op->is_root = !parent;
	op->root = parent ? parent->root : xcalloc(1, sizeof(*op->root));
	op->root->refs++;
	if (parent)
		memcpy(op->parent, parent->id, sizeof(op->parent));
	else
		spans_wall_now(o->s, &op->root->wall);
	return op;
}

void op_release(struct otlp_op *op)
{
	size_t i;

	if (--op->refs)
		return;
	op_release_root(op->root);
	if (op->child_of)
		op_release(op->child_of);
	vec_free(&op->waits);
	for (i = 0; i < op->notes.len; i++)
		free(vec_at(&op->notes, struct otlp_note, i)->log);
	vec_free(&op->notes);
	free(op->log);
	free(op->final_name);
	free(op);
}

void op_take_log(struct otlp_op *op, const struct otlp_category *c, const char *message)
{
	size_t before = op->log ? strlen(op->log) + 1 : 0, n = strlen(message);

	op->category = c;
	if (before + n >= LOG_MOST)
		return;
	op->log = xrealloc(op->log, 1, before + n + 1);
	memcpy(op->log + before, message, n + 1);
	if (before)
		op->log[before - 1] = ' ';
}

bool op_has_event_room(struct otlp_op *op)
{
	if (op->waits.len + op->notes.len < OTLP_EVENTS)
		return true;
	op->left_out_events++;
	return false;
}

void op_take_note(struct otlp_op *op, const struct otlp_note *note)
{
	struct otlp_note *n;

	if (!op_has_event_room(op))
		return;
	n = vec_push(&op->notes, sizeof(*n));
	*n = *note;
	n->log = xstrdup(note->log);
}

/* --- batches --- */

const struct otlp_ids *otlp_ids_of(struct otlp *o)
{
	int64_t wall = 0;

	if (!o->has_ids) {
		spans_wall(o->s, &wall);
		otlp_ids_init(&o->ids, &o->origin, wall, spans_first(o->s));
		o->has_ids = true;
	}
	return &o->ids;
}

void otlp_flush(struct otlp *o)
{
	struct otlp_batch *b = &o->batch;
	struct error err;

	if (!b->spans || o->failed.code)
		return;
	batch_end(b);
	if (o->options.take(o->options.ctx, b->data, b->size, b->spans, &err)) {
		o->failed = err;
		spans_stop(o->s);
	} else {
		o->counts.spans += b->spans;
	}
	b->spans = 0;
}

static void op_give(struct otlp *o, const struct otlp_op *op)
{
	const struct otlp_root *r = op->root;
	struct otlp_span span = {
		.trace = r->trace, .id = op->id,
		.parent = !op->is_root ? op->parent : r->has_parent ? r->parent : NULL,
		.flags = r->flags | FLAG_HAS_REMOTE | (op->is_root && r->has_parent ?
						       FLAG_REMOTE : 0),
		.from = r->wall + op->from, .to = r->wall + op->to,
		.facts = &o->facts,
	};

	if (o->failed.code)
		return;
	otlp_describe(o, op);
	span.events = o->events.data;
	span.nevents = o->events.len;
	span.dropped_events = op->left_out_events;
	if (!o->batch.spans) {
		otlp_describe_resource(o, &o->resource);
		batch_begin(&o->batch, o->options.json, &o->resource);
	}
	batch_add_span(&o->batch, &span);
	o->counts.roots += op->is_root;
	o->counts.errors += o->facts.error;
	o->counts.left_out_events += op->left_out_events;
	if (!batch_has_room(&o->batch))
		otlp_flush(o);
}

/* --- until the root ends --- */

static size_t op_size(const struct otlp_op *op)
{
	size_t size = sizeof(*op) + (op->log ? strlen(op->log) : 0) +
		      op->waits.len * sizeof(struct otlp_wait), i;

	for (i = 0; i < op->notes.len; i++)
		size += sizeof(struct otlp_note) +
			strlen(vec_at(&op->notes, struct otlp_note, i)->log);
	return size;
}

/* The trace of a region has the id of its span: no task could name it. */
static void op_make_trace(struct otlp *o, const struct otlp_op *op)
{
	uint64_t of = op->task;

	if (op->is_region)
		memcpy(&of, op->id, sizeof(of));
	otlp_ids_trace(otlp_ids_of(o), of, op->root->trace);
}

static void op_hold(struct otlp *o, struct otlp_op *op)
{
	struct otlp_root *r = op->root;
	size_t size = op_size(op);

	if (r->held.len >= OTLP_HELD_OF_ROOT || o->held + size > OTLP_HELD_SIZE) {
		r->left_out++;
		o->counts.left_out++;
		return;
	}
	o->held += size;
	op->held = size;
	op->refs++;
	*(struct otlp_op **)vec_push(&r->held, sizeof(op)) = op;
}

/* The trace id of a served request; else it gets one of its own. */
static void op_resolve_ids(struct otlp *o, const struct otlp_op *op)
{
	const char *message = op->log;
	struct otlp_root *r = op->root;
	struct traceparent t;
	struct http_pair p;

	op_make_trace(o, op);
	while (message && (message = http_log_next(message, &p))) {
		if (!http_log_is(&p, "traceparent") || r->has_parent ||
		    !facts_is_served(op->category) ||
		    !traceparent_parse(p.value, p.value_len, &t))
			continue;
		memcpy(r->trace, t.trace, sizeof(r->trace));
		memcpy(r->parent, t.parent, sizeof(r->parent));
		r->flags = t.flags;
		r->has_parent = true;
	}
}

/*
 * A child in a generation that ended before the route was known has a name without it. Its task has
 * the final one.
 */
static void op_name_child(struct otlp_op *op)
{
	if (!op->child_of || !op->child_of->to || op->final_name)
		return;
	op->final_name = xasprintf(HTTP_CHILD "%s", op->child_of->name);
	op->name = op->final_name;
}

/* Gives away those that were held, or @skip: forgets them. */
static void op_release_held(struct otlp *o, struct otlp_root *r)
{
	struct vec held = r->held;
	size_t i;

	r->held = (struct vec){0};
	for (i = 0; i < held.len; i++) {
		struct otlp_op *op = *vec_at(&held, struct otlp_op *, i);

		o->held -= op->held;
		op_name_child(op);
		if (!r->skip)
			op_give(o, op);
		op_release(op);
	}
	vec_free(&held);
}

/*
 * A goroutine works for a task until that ends. The event says so when the goroutine runs again,
 * since it must be one of that goroutine.
 */
static int64_t op_end_of(const struct otlp_op *op, int64_t to)
{
	const struct otlp_op *of = op->child_of;

	return of && of->to && of->to < to && of->to > op->from ? of->to : to;
}

void op_ended(struct otlp *o, struct otlp_op *op, int64_t to)
{
	struct otlp_root *r = op->root;

	op->to = op_end_of(op, to);
	if (op->is_root) {
		op_resolve_ids(o, op);
		r->resolved = true;
		r->skip = (o->options.route && !http_name_is(op->name, o->options.route)) ||
			  !labelled_task(o->options.label, op->is_region ? 0 : op->task);
	}
	if (!r->resolved) {
		op_hold(o, op);
	} else {
		op_name_child(op);
		if (!r->skip)
			op_give(o, op);
	}
	if (op->is_root)
		op_release_held(o, r);
}

void op_left_open(struct otlp *o, struct otlp_op *op)
{
	struct otlp_root *r = op->root;

	o->counts.open++;
	if (!op->is_root)
		return;
	o->counts.of_open += r->held.len;
	r->resolved = r->skip = true;
	op_release_held(o, r);
}
