// SPDX-License-Identifier: Apache-2.0
/*
 * forward: see forward.h. Input: the events of a trace. Output: links by times of earlier events.
 */
#include "api/forward.h"

#include <stdlib.h>

#include "base/map64.h"
#include "base/vec.h"

struct forward {
	/* time of an earlier event (no two events have one time) -> index in later */
	struct map64 index;
	struct vec later;	/* struct event_link */
};

/* An earlier event has one link at most: read/links.c forgets an event to which it has linked. */
static void forward_add(struct forward *f, int64_t earlier, const struct trace_event *ev)
{
	*map64_put(&f->index, (uint64_t)earlier, NULL) = f->later.len;
	*(struct event_link *)vec_push(&f->later, sizeof(struct event_link)) =
		(struct event_link){ ev->time, ev->type };
}

struct forward *forward_new(struct trace_reader *r)
{
	struct forward *f = xcalloc(1, sizeof(*f));
	struct links *links = links_new();
	const struct trace_event *ev;
	struct event_link link;

	while (trace_reader_next(r, &ev) > 0) {
		link = links_next(links, ev);
		if (link.type)
			forward_add(f, link.time, ev);
	}
	links_free(links);
	return f;
}

void forward_free(struct forward *f)
{
	if (!f)
		return;
	map64_free(&f->index);
	vec_free(&f->later);
	free(f);
}

struct event_link forward_of(const struct forward *f, int64_t time)
{
	const uint64_t *slot = map64_get(&f->index, (uint64_t)time);

	return slot ? *vec_at(&f->later, struct event_link, *slot) : (struct event_link){ 0 };
}
