// SPDX-License-Identifier: Apache-2.0
/*
 * events_write: the loop of events.h. Input: a reader. Output: events in one of two forms, in a
 * sink.
 */
#include "read/events_form.h"

struct form {
	events_form_fn *put;
	events_frames_fn *frames[STACK_ROLES];
};

static const struct form forms[] = {
	{ events_put_text, { events_text_frames, events_text_new_frames } },
	{ events_put_json, { events_json_frames, events_json_new_frames } },
};

/*
 * Sets the tables for strings and stacks to those of the event's generation, which a Sync begins or
 * ends.
 */
static void events_write_enter(struct events *e, const struct trace_event *ev)
{
	e->gen = trace_reader_generation(e->reader);
	if (e->gen)
		events_stacks_enter(&e->stacks, &e->gen->tables);
	if (!e->started)
		e->start = ev->time;
	e->started = true;
}

static int events_write_write_all(struct events *e, struct raw_sink *sink, struct error *err)
{
	const struct events_filter *f = &e->o->filter;
	const struct form *form = &forms[e->o->json];
	const struct trace_event *ev;
	int64_t since;
	int ret;

	while ((ret = trace_reader_next(e->reader, &ev)) > 0 && !sink->error) {
		if (ev->type == TRACE_SYNC)
			events_write_enter(e, ev);
		if (e->links)
			e->link = links_next(e->links, ev);
		since = (int64_t)((uint64_t)ev->time - (uint64_t)e->start);
		if (since > f->to)
			return 0;
		if (since < f->from || !events_pass(e, ev))
			continue;
		form->put(e, ev);
		sink_settle(sink);
	}
	return ret < 0 ? trace_reader_stopped(e->reader, err) : 0;
}

int events_write(struct trace_reader *r, const struct events_options *o, struct raw_sink *sink,
		 struct error *err)
{
	const struct form *form = &forms[o->json];
	struct events e = {
		.reader = r, .o = o, .links = o->links ? links_new() : NULL,
		.specs = trace_reader_specs(r), .out = &sink->buf,
		.stacks.frames = { form->frames[STACK_OWN], form->frames[STACK_NEW] },
	};
	int ret = events_write_write_all(&e, sink, err);

	events_stacks_free(&e.stacks);
	links_free(e.links);
	return ret;
}
