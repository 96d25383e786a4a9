// SPDX-License-Identifier: Apache-2.0
/* served: see served.h. */
#include "requests/served.h"

#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "base/vec.h"
#include "op_kind.h"
#include "read/http.h"

/* The operations that are served requests. */
static const bool served_kinds[OP_KINDS] = {
	[OP_HTTP_SERVED] = true, [OP_GRPC_SERVED] = true,
};

struct served {
	const struct served_ops *ops;
	void *ctx;
	/* -> struct served_request *: also those that have ended, and wait for their name */
	struct map64 by_task;
	struct map64 by_g;	/* of those that are open */
	struct served_request *oldest, *newest;
	size_t open;
};

/* --- the list of those that are open --- */

static struct served_request *served_find(const struct map64 *m, uint64_t key)
{
	const uint64_t *slot = map64_get(m, key);

	return slot ? (struct served_request *)(uintptr_t)*slot : NULL;
}

static void served_enlist(struct served *l, struct served_request *q)
{
	q->older = l->newest;
	*(q->older ? &q->older->newer : &l->oldest) = q;
	l->newest = q;
	l->open++;
	if (q->g)
		*map64_put(&l->by_g, q->g, NULL) = (uint64_t)(uintptr_t)q;
}

static void served_unlist(struct served *l, struct served_request *q)
{
	*(q->older ? &q->older->newer : &l->oldest) = q->newer;
	*(q->newer ? &q->newer->older : &l->newest) = q->older;
	l->open--;
	if (q->g && served_find(&l->by_g, q->g) == q)
		map64_del(&l->by_g, q->g);
}

static void served_release(struct served *l, struct served_request *q)
{
	map64_del(&l->by_task, q->task);
	free(q);
}

static void served_drop(struct served *l, struct served_request *q)
{
	served_unlist(l, q);
	if (l->ops->dropped)
		l->ops->dropped(l->ctx, q);
	served_release(l, q);
}

/* --- names --- */

static void served_set_name(struct served_request *q, const char *bytes, size_t n)
{
	if (n >= sizeof(q->name))
		n = sizeof(q->name) - 1;
	memcpy(q->name, bytes ? bytes : "", n);
	q->name[n] = 0;
}

/* The route of the log event, if the trace needed a name before that was known (read/http.h). */
static void served_take_route(struct served_request *q, const char *message)
{
	struct http_pair p;

	while ((message = http_log_next(message, &p)))
		if (http_log_is(&p, "route"))
			http_log_copy(&p, q->name, sizeof(q->name));
}

/* --- events --- */

static void served_begin(struct served *l, const struct sink_event *e, uint64_t g)
{
	const struct sink_text *name = sink_arg_text(e->args[2]);
	struct served_request *q;

	if (name->op >= OP_KINDS || !served_kinds[name->op] || served_find(&l->by_task, e->args[0]))
		return;
	if (l->open >= SERVED_OPEN)
		served_drop(l, l->oldest);
	q = xcalloc(1, sizeof(*q));
	q->task = e->args[0];
	q->g = g;
	q->stack = e->args[3];
	q->since = e->time;
	q->named = !name->later;
	served_set_name(q, name->bytes, sink_text_len(name));
	*map64_put(&l->by_task, q->task, NULL) = (uint64_t)(uintptr_t)q;
	served_enlist(l, q);
	if (l->ops->begun)
		l->ops->begun(l->ctx, q);
}

static void served_log(struct served *l, const struct sink_event *e)
{
	const struct sink_text *category = sink_arg_text(e->args[1]);
	const struct sink_text *text = sink_arg_text(e->args[2]);
	struct served_request *q = served_find(&l->by_task, e->args[0]);
	struct buf message = {0};

	/* the model's own category is a constant: no program can forge it */
	if (!q || !category->constant)
		return;
	buf_add(&message, text->bytes, sink_text_len(text));
	buf_add_byte(&message, 0);
	result_read(&q->result, (const char *)message.data);
	served_take_route(q, (const char *)message.data);
	buf_free(&message);
}

static void served_finish(struct served *l, struct served_request *q)
{
	q->named = true;
	if (l->ops->ended)
		l->ops->ended(l->ctx, q);
	served_release(l, q);
}

/* If the trace has no name yet, the name follows (served_text()). */
static void served_end(struct served *l, const struct sink_event *e)
{
	struct served_request *q = served_find(&l->by_task, e->args[0]);

	if (!q || q->until)
		return;
	served_unlist(l, q);
	q->until = e->time;
	if (q->named || q->told)
		served_finish(l, q);
}

void served_event(struct served *l, const struct sink_event *e, uint64_t g)
{
	switch (e->kind) {
	case EV_UserTaskBegin:
		served_begin(l, e, g);
		break;
	case EV_UserLog:
		served_log(l, e);
		break;
	case EV_UserTaskEnd:
		served_end(l, e);
		break;
	default:
		break;
	}
}

/*
 * The text comes behind the end of the request; or before it, when a generation ends, and then it
 * is no final name: the log event at the end of the request has the route.
 */
void served_text(struct served *l, uint64_t later, const char *bytes, size_t n)
{
	struct served_request *q = served_find(&l->by_task, later);

	if (!q || q->named)
		return;
	served_set_name(q, bytes, n);
	if (q->until)
		served_finish(l, q);
	else
		q->told = true;
}

/* --- the end of all --- */

void served_gone(struct served *l, uint64_t g)
{
	struct served_request *q = served_find(&l->by_g, g);

	if (q)
		served_drop(l, q);
}

void served_forget(struct served *l)
{
	while (l->oldest)
		served_drop(l, l->oldest);
}

size_t served_open(const struct served *l)
{
	return l->open;
}

uint64_t served_oldest(const struct served *l)
{
	return l->oldest ? l->oldest->since : 0;
}

struct served *served_new(const struct served_ops *ops, void *ctx)
{
	struct served *l = xcalloc(1, sizeof(*l));

	l->ops = ops;
	l->ctx = ctx;
	return l;
}

void served_free(struct served *l)
{
	size_t i;

	if (!l)
		return;
	served_forget(l);
	/* those that have ended, and of which the name did not come */
	for (i = 0; i < l->by_task.made; i++)
		if (l->by_task.slots[i].used)
			free((void *)(uintptr_t)l->by_task.slots[i].value);
	map64_free(&l->by_task);
	map64_free(&l->by_g);
	free(l);
}
