// SPDX-License-Identifier: Apache-2.0
/*
 * logs: log events: those of the program, and the notes, operations and allocations that gotap has
 * written as such. Part of spans.c.
 */
#include <string.h>

#include "base/cleanup.h"
#include "read/alloc.h"
#include "read/func.h"
#include "read/http.h"
#include "read/labels.h"
#include "read/notes.h"
#include "read/origin.h"
#include "spans/internal.h"

/* --- categories --- */

static bool log_is_gotaps(const struct trace_event *ev)
{
	return !ev->args[3] && (!ev->args[0] || ev->args[0] > HTTP_TASKS);
}

/*
 * Returns the category for visitors. A log event of the program in a category that gotap reserves
 * gets another name, so that no visitor takes it for a note of gotap.
 */
static const char *log_category(struct spans *s, const struct trace_event *ev)
{
	const char *category = names_string(&s->names, ev->args[1]);
	_cleanup_free_ char *renamed = NULL;

	if (!notes_is_reserved(category, strlen(category)) || log_is_gotaps(ev) ||
	    (alloc_is_log(category) && !ev->args[0]))
		return category;
	renamed = xasprintf("%s%s", NOTES_PROGRAM, category);
	return names_text(&s->names, renamed, strlen(renamed));
}

/* Is it a category of gotap about operations? */
static bool log_is_of_op(const char *category)
{
	return notes_is_reserved(category, strlen(category)) && strcmp(category, NOTES_CATEGORY) &&
	       strcmp(category, ORIGIN_CATEGORY) && strcmp(category, LABELS_CATEGORY) &&
	       !alloc_is_log(category);
}

static bool log_is_for(const struct spans_visitor *v, bool note)
{
	return v->log && (note || !v->notes);
}

/* --- what becomes of a log event --- */

/* The name that a task should have had from its begin. */
static void log_take_route(struct spans *s, uint64_t task, const char *message)
{
	struct http_pair p;
	char name[512];

	while ((message = http_log_next(message, &p))) {
		if (!http_log_is(&p, "route"))
			continue;
		http_log_copy(&p, name, sizeof(name));
		spans_name_task(s, task, names_text(&s->names, name, strlen(name)));
	}
}

/* The goroutine has left the call of a function otherwise than by its return (read/func.h). */
static void log_take_left(struct spans *s, const struct trace_event *ev, const char *category,
			  const char *message)
{
	if (func_log_is_left(category, strlen(category), message, strlen(message)))
		spans_leave_region(s, ev->g);
}

/* The message of the event, without a place among the texts. */
static const char *log_message(struct spans *s, const struct trace_event *ev)
{
	size_t n = 0;
	const char *text = s->names.tables ? tables_string(s->names.tables, ev->args[2], &n) : NULL;

	s->message.len = 0;
	if (text)
		buf_add(&s->message, text, n);
	buf_add_byte(&s->message, 0);
	return (const char *)s->message.data;
}

static void show_log_to(struct spans *s, const struct trace_event *ev, const char *category,
			const char *message)
{
	const struct spans_visitor *v = s->visitors.data;
	bool note = !strcmp(category, NOTES_CATEGORY);
	size_t i;

	for (i = 0; i < s->visitors.len; i++)
		if (log_is_for(&v[i], note))
			v[i].log(v[i].ctx, ev->time, ev->g, ev->args[0], category, message);
}

/* The message gets a place among the texts only if a visitor may keep it. */
static void show_op_log(struct spans *s, const struct trace_event *ev, const char *category)
{
	const char *message = log_message(s, ev);
	const struct spans_visitor *v = s->visitors.data;
	size_t i;

	if (!strcmp(category, HTTP_CATEGORY))
		log_take_route(s, ev->args[0], message);
	log_take_left(s, ev, category, message);
	for (i = 0; i < s->visitors.len; i++) {
		if (v[i].op_log)
			v[i].op_log(v[i].ctx, ev->time, ev->g, ev->args[0], category, message);
		else if (log_is_for(&v[i], false))
			v[i].log(v[i].ctx, ev->time, ev->g, ev->args[0], category,
				 names_string(&s->names, ev->args[2]));
	}
}

/* False: the message has another form. */
static bool show_alloc(struct spans *s, const struct trace_event *ev, const char *category)
{
	const struct spans_visitor *v = s->visitors.data;
	const char *message = log_message(s, ev);
	struct alloc_event e;
	struct alloc_log log;
	size_t i;

	if (!alloc_log_parse(&log, message))
		return false;
	e = (struct alloc_event){
		.time = ev->time, .g = ev->g, .freed = !strcmp(category, ALLOC_FREE_CATEGORY),
		.stack = names_stack(&s->names, ev->args[3]), .size = log.size, .rate = log.rate,
		.collections = log.collections,
		.type = names_text(&s->names, log.type, strlen(log.type)),
	};
	for (i = 0; i < s->visitors.len; i++) {
		if (v[i].alloc)
			v[i].alloc(v[i].ctx, &e);
		else if (log_is_for(&v[i], false))
			v[i].log(v[i].ctx, ev->time, ev->g, 0, category,
				 names_string(&s->names, ev->args[2]));
	}
	return true;
}

void spans_log(struct spans *s, const struct trace_event *ev)
{
	const char *category = log_category(s, ev), *message;
	struct goroutine *g;

	if (log_is_of_op(category)) {
		show_op_log(s, ev, category);
		return;
	}
	if (alloc_is_log(category) && show_alloc(s, ev, category))
		return;
	message = names_string(&s->names, ev->args[2]);
	if (!strcmp(category, ORIGIN_CATEGORY)) {
		SHOW(s, origin, ev->time, message);
		return;
	}
	if (!strcmp(category, LABELS_CATEGORY)) {
		g = spans_goroutine(s, ev->g);
		if (g)
			g->labels = message;
	}
	show_log_to(s, ev, category, message);
}
