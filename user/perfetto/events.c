// SPDX-License-Identifier: Apache-2.0
/* events: writes events with their annotations. The times are those of spans. See internal.h. */
#include "base/protobuf.h"
#include "perfetto/internal.h"

void perfetto_note(struct perfetto *p, enum interned_annotation name, uint64_t value)
{
	size_t note = protobuf_open(&p->more, EVENT_ANNOTATION);

	protobuf_uint(&p->more, ANNOTATION_NAME, name);
	protobuf_uint(&p->more, ANNOTATION_UINT, value);
	protobuf_close(&p->more, note);
}

void perfetto_note_text(struct perfetto *p, enum interned_annotation name, const char *text)
{
	size_t note = protobuf_open(&p->more, EVENT_ANNOTATION);

	protobuf_uint(&p->more, ANNOTATION_NAME, name);
	packets_text(&p->more, ANNOTATION_TEXT, text);
	protobuf_close(&p->more, note);
}

void perfetto_event(struct perfetto *p, const struct packets_event *e)
{
	struct packets_event event = *e;

	event.time = perfetto_time(p, e->time);
	event.more = p->more.len ? &p->more : NULL;
	packets_event(&p->packets, &event);
	p->more.len = 0;
}

void perfetto_slice(struct perfetto *p, const struct packets_event *e, int64_t to)
{
	perfetto_event(p, e);
	perfetto_event(p,
		       &(struct packets_event){ .type = EVENT_END, .time = to, .track = e->track });
}

uint64_t perfetto_track(struct perfetto *p, uint64_t g)
{
	const struct goroutine *found = spans_goroutine(p->spans, g);

	return found ? track_of(p, found)->track : 0;
}
