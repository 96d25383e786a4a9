// SPDX-License-Identifier: Apache-2.0
/*
 * raw_event: see raw_event.h. Input: bytes of a file. Output: events, with only the checks that
 * reading them requires (raw/reader.go, 1.27).
 */
#include "read/raw_event.h"

#include <errno.h>
#include <string.h>

int raw_open(struct raw_reader *r, struct raw_source *source, struct error *err)
{
	memset(r, 0, sizeof(*r));
	r->source = source;
	r->err = err;
	raw_specs_init(&r->specs);
	return source_header(source, &r->version, err);
}

static int raw_event_truncated(struct raw_reader *r, uint64_t start, const char *what)
{
	if (r->source->error)
		return error_set(r->err, -r->source->error, "cannot read at byte %llu: %s",
				 (unsigned long long)source_offset(r->source),
				 strerror(r->source->error));
	return error_set(r->err, -EINVAL, "%s that starts at byte %llu: file ends inside it",
			 what, (unsigned long long)start);
}

static int raw_event_bad_number(struct raw_reader *r, enum cursor_status status, uint64_t start,
		      const char *what)
{
	if (status != CURSOR_OVERFLOW)
		return raw_event_truncated(r, start, what);
	return error_set(r->err, -EINVAL, "byte %llu, in %s: number overflows 64 bits",
			 (unsigned long long)source_offset(r->source), what);
}

static int read_args(struct raw_reader *r, const struct raw_event *ev, uint64_t *args, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		enum cursor_status status = source_uvarint(r->source, &args[i]);

		if (status != CURSOR_OK)
			return raw_event_bad_number(r, status, ev->offset, ev->spec->name);
	}
	return 0;
}

/* A count that does not fit Go's int counts as 0 in Go: no items follow. */
static uint64_t go_count(uint64_t n)
{
	return n > INT64_MAX ? 0 : n;
}

int raw_next(struct raw_reader *r, struct raw_event *ev)
{
	struct raw_source *s = r->source;
	int ret;

	if (!source_need(s, 1))
		return s->error ? raw_event_truncated(r, source_offset(s), "event") : 0;
	ev->offset = source_offset(s);
	ev->type = *s->pos;
	ev->frames = ev->data = 0;
	ev->spec = raw_spec_get(&r->specs, ev->type, r->version);
	if (!ev->spec)
		return error_set(r->err, -EINVAL, "byte %llu: invalid event type: %u",
				 (unsigned long long)ev->offset, ev->type);
	s->pos++;
	ret = read_args(r, ev, ev->args, ev->spec->nargs);
	if (!ret && ev->type == EV_Stack)
		ev->frames = go_count(ev->args[1]);
	if (!ret && raw_has_data(ev->type)) {
		ret = read_args(r, ev, &ev->data, 1);
		ev->data = go_count(ev->data);
	}
	return ret ? ret : 1;
}

int raw_frame(struct raw_reader *r, uint64_t frame[4])
{
	uint64_t start = source_offset(r->source);
	int i;

	for (i = 0; i < 4; i++) {
		enum cursor_status status = source_uvarint(r->source, &frame[i]);

		if (status != CURSOR_OK)
			return raw_event_bad_number(r, status, start, "stack frame");
	}
	return 0;
}

int raw_data(struct raw_reader *r, struct raw_event *ev, const uint8_t **p)
{
	struct raw_source *s = r->source;
	size_t n = ev->data < RAW_WINDOW ? ev->data : RAW_WINDOW;

	if (!n)
		return 0;
	if (!source_need(s, n))
		return raw_event_truncated(r, ev->offset, ev->spec->name);
	*p = s->pos;
	s->pos += n;
	ev->data -= n;
	return (int)n;
}
