/* SPDX-License-Identifier: Apache-2.0 */
/* events_form: shared by the files of events.h: the state of one run, and the two output forms. */
#ifndef GOTAP_READ_EVENTS_FORM_H
#define GOTAP_READ_EVENTS_FORM_H

#include "read/events.h"
#include "read/events_stacks.h"
#include "read/links.h"
#include "read/put.h"
#include "read/view.h"

struct events {
	struct trace_reader *reader;
	const struct events_options *o;
	const struct raw_specs *specs;
	/* generation of the current event; NULL after the last one */
	const struct v2_generation *gen;
	struct events_stacks stacks;
	struct links *links;			/* NULL: links are not printed */
	struct event_link link;			/* link of the current event */
	int64_t start;		/* time of the first event */
	bool started;
	struct buf *out;
};

/* Appends an event in its output form. */
typedef void events_form_fn(struct events *e, const struct trace_event *ev);
events_form_fn events_put_text, events_put_json;

events_frames_fn events_text_frames, events_text_new_frames;
events_frames_fn events_json_frames, events_json_new_frames;

/* True if @ev passes all parts of the filter except the times. */
bool events_pass(struct events *e, const struct trace_event *ev);

/* The text of string @id; s is NULL if there is none. */
static inline struct view_text events_string(const struct events *e, uint64_t id)
{
	struct view_text text = { NULL, 0 };

	if (e->gen)
		text.s = tables_string(&e->gen->tables, id, &text.len);
	return text;
}

/* The id of the stack of the goroutine that @ev creates; 0 for other events. */
static inline uint64_t events_new_stack(const struct trace_event *ev)
{
	const struct view_spec *spec = &view_specs[ev->type];

	return spec->moved_stack != spec->stack ? view_arg_at(ev, spec->moved_stack) : 0;
}

/* Appends the stacks of an event, each one once. */
static inline void events_put_stacks(struct events *e, const struct trace_event *ev)
{
	events_stacks_put(&e->stacks, e->out, view_stack(ev), STACK_OWN);
	events_stacks_put(&e->stacks, e->out, events_new_stack(ev), STACK_NEW);
}

#endif
