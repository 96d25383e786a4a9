// SPDX-License-Identifier: Apache-2.0
/* batch: see batch.h. This file has the encoding in protobuf, batch_json.c that in JSON. */
#include "otlp/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/protobuf.h"
#include "read/text_quote.h"

/* The numbers of the fields, by the names of their messages in opentelemetry-proto 1.3. */
enum { REQUEST_RESOURCE_SPANS = 1 };
enum { RESOURCE_SPANS_RESOURCE = 1, RESOURCE_SPANS_SCOPE_SPANS = 2, RESOURCE_SPANS_SCHEMA = 3 };
enum { RESOURCE_ATTRIBUTES = 1 };
enum { SCOPE_SPANS_SCOPE = 1, SCOPE_SPANS_SPANS = 2 };
enum { SCOPE_NAME = 1, SCOPE_VERSION = 2 };
enum {
	SPAN_TRACE_ID = 1, SPAN_SPAN_ID = 2, SPAN_PARENT = 4, SPAN_NAME = 5, SPAN_KIND = 6,
	SPAN_START = 7, SPAN_END = 8, SPAN_ATTRIBUTES = 9, SPAN_EVENTS = 11,
	SPAN_DROPPED_EVENTS = 12, SPAN_STATUS = 15, SPAN_FLAGS = 16,
};
enum { EVENT_TIME = 1, EVENT_NAME = 2, EVENT_ATTRIBUTES = 3 };
enum { STATUS_MESSAGE = 2, STATUS_CODE = 3, STATUS_ERROR = 2 };
enum { PAIR_KEY = 1, PAIR_VALUE = 2, VALUE_TEXT = 1, VALUE_NUMBER = 3 };

/*
 * A field of type string must be UTF-8, and readers refuse the whole message otherwise: what is
 * not is U+FFFD, as in Go.
 */
static void batch_put_text(struct buf *out, uint32_t field, const char *text)
{
	size_t n = strlen(text), open = protobuf_open(out, field), k;
	uint32_t rune;

	for (; n; text += k, n -= k) {
		k = rune_decode((const uint8_t *)text, n, &rune);
		if (k == 1 && rune == RUNE_ERROR)
			buf_add(out, "\xef\xbf\xbd", 3);
		else
			buf_add(out, text, k);
	}
	protobuf_close(out, open);
}

static void batch_put_attr(struct buf *out, uint32_t field, const struct otlp_facts *f,
			   const struct otlp_attr *a)
{
	size_t pair = protobuf_open(out, field), value;

	batch_put_text(out, PAIR_KEY, (const char *)f->text.data + a->key);
	value = protobuf_open(out, PAIR_VALUE);
	if (a->is_number)
		protobuf_uint(out, VALUE_NUMBER, (uint64_t)a->number);
	else
		batch_put_text(out, VALUE_TEXT, (const char *)f->text.data + a->value);
	protobuf_close(out, value);
	protobuf_close(out, pair);
}

static void batch_put_attrs(struct buf *out, uint32_t field, const struct otlp_facts *f,
			    const struct vec *attrs, size_t first, size_t n)
{
	size_t i;

	for (i = first; i < first + n; i++)
		batch_put_attr(out, field, f, vec_at(attrs, struct otlp_attr, i));
}

static void batch_put_event(struct buf *out, const struct otlp_span *s, const struct otlp_event *e)
{
	size_t event = protobuf_open(out, SPAN_EVENTS);

	protobuf_fixed64(out, EVENT_TIME, (uint64_t)e->time);
	batch_put_text(out, EVENT_NAME, e->name);
	batch_put_attrs(out, EVENT_ATTRIBUTES, s->facts, &s->facts->of_events, e->first, e->n);
	protobuf_close(out, event);
}

static void batch_put_status(struct buf *out, const struct otlp_facts *f)
{
	size_t status;

	if (!f->error)
		return;
	status = protobuf_open(out, SPAN_STATUS);
	if (f->message)
		batch_put_text(out, STATUS_MESSAGE, (const char *)f->text.data + f->message);
	protobuf_uint(out, STATUS_CODE, STATUS_ERROR);
	protobuf_close(out, status);
}

static void batch_put_span(struct buf *out, const struct otlp_span *s)
{
	const struct otlp_facts *f = s->facts;
	size_t span = protobuf_open(out, SCOPE_SPANS_SPANS), i;

	protobuf_bytes(out, SPAN_TRACE_ID, s->trace, OTLP_TRACE_ID);
	protobuf_bytes(out, SPAN_SPAN_ID, s->id, OTLP_SPAN_ID);
	if (s->parent)
		protobuf_bytes(out, SPAN_PARENT, s->parent, OTLP_SPAN_ID);
	batch_put_text(out, SPAN_NAME, (const char *)f->text.data + f->name);
	protobuf_uint(out, SPAN_KIND, f->kind);
	protobuf_fixed64(out, SPAN_START, (uint64_t)s->from);
	protobuf_fixed64(out, SPAN_END, (uint64_t)s->to);
	batch_put_attrs(out, SPAN_ATTRIBUTES, f, &f->attrs, 0, f->attrs.len);
	for (i = 0; i < s->nevents; i++)
		batch_put_event(out, s, &s->events[i]);
	if (s->dropped_events)
		protobuf_uint(out, SPAN_DROPPED_EVENTS, s->dropped_events);
	batch_put_status(out, f);
	protobuf_fixed32(out, SPAN_FLAGS, s->flags);
	protobuf_close(out, span);
}

/* --- batches --- */

void batch_begin(struct otlp_batch *b, bool json, const struct otlp_facts *resource)
{
	size_t open;

	b->json = json;
	b->spans = 0;
	b->size = 0;
	if (json) {
		batch_json_begin(b, resource);
		return;
	}
	b->out.len = 0;
	b->resource_spans = protobuf_open(&b->out, REQUEST_RESOURCE_SPANS);
	open = protobuf_open(&b->out, RESOURCE_SPANS_RESOURCE);
	batch_put_attrs(&b->out, RESOURCE_ATTRIBUTES, resource, &resource->attrs, 0,
			resource->attrs.len);
	protobuf_close(&b->out, open);
	batch_put_text(&b->out, RESOURCE_SPANS_SCHEMA, OTLP_SCHEMA);
	b->scope_spans = protobuf_open(&b->out, RESOURCE_SPANS_SCOPE_SPANS);
	open = protobuf_open(&b->out, SCOPE_SPANS_SCOPE);
	batch_put_text(&b->out, SCOPE_NAME, "gotap");
	batch_put_text(&b->out, SCOPE_VERSION, GOTAP_VERSION);
	protobuf_close(&b->out, open);
}

void batch_add_span(struct otlp_batch *b, const struct otlp_span *span)
{
	b->spans++;
	if (b->json)
		batch_json_add(b, span);
	else
		batch_put_span(&b->out, span);
}

bool batch_has_room(struct otlp_batch *b)
{
	if (b->json)
		fflush(b->f);
	return b->spans < BATCH_SPANS && (b->json ? b->text_size : b->out.len) < BATCH_SIZE;
}

void batch_end(struct otlp_batch *b)
{
	if (b->json) {
		batch_json_end(b);
		return;
	}
	protobuf_close(&b->out, b->scope_spans);
	protobuf_close(&b->out, b->resource_spans);
	b->data = b->out.data;
	b->size = b->out.len;
}

void batch_free(struct otlp_batch *b)
{
	if (b->f)
		fclose(b->f);
	free(b->text);
	buf_free(&b->out);
	*b = (struct otlp_batch){0};
}
