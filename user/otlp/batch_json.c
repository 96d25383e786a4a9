// SPDX-License-Identifier: Apache-2.0
/* batch_json: a batch in JSON. See batch.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "otlp/batch.h"

enum { ID_TEXT = 2 * OTLP_TRACE_ID + 1, ERROR_CODE = 2 };

static void batch_json_id(struct json_out *j, const char *name, const uint8_t *id, size_t n)
{
	char text[ID_TEXT];
	size_t i;

	for (i = 0; i < n; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
	json_put_text(j, name, text);
}

/* Integers of 64 bits are texts, since many readers hold numbers as doubles. */
static void batch_json_number(struct json_out *j, const char *name, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	json_put_text(j, name, text);
}

static void batch_json_attrs(struct json_out *j, const struct otlp_facts *f,
			     const struct vec *attrs, size_t first, size_t n)
{
	size_t i;

	json_open_array(j, "attributes");
	for (i = first; i < first + n; i++) {
		const struct otlp_attr *a = vec_at(attrs, struct otlp_attr, i);

		json_open_object(j, NULL);
		json_put_text(j, "key", (const char *)f->text.data + a->key);
		json_open_object(j, "value");
		if (a->is_number)
			batch_json_number(j, "intValue", a->number);
		else
			json_put_text(j, "stringValue", (const char *)f->text.data + a->value);
		json_close_object(j);
		json_close_object(j);
	}
	json_close_array(j);
}

void batch_json_begin(struct otlp_batch *b, const struct otlp_facts *resource)
{
	if (b->f)
		fclose(b->f);
	free(b->text);
	b->text = NULL;
	b->f = open_memstream(&b->text, &b->text_size);
	if (!b->f)
		abort();	/* as for any memory that there is not (base/vec.h) */
	b->j = (struct json_out){ .f = b->f };
	json_open_object(&b->j, NULL);
	json_open_array(&b->j, "resourceSpans");
	json_open_object(&b->j, NULL);
	json_open_object(&b->j, "resource");
	batch_json_attrs(&b->j, resource, &resource->attrs, 0, resource->attrs.len);
	json_close_object(&b->j);
	json_put_text(&b->j, "schemaUrl", OTLP_SCHEMA);
	json_open_array(&b->j, "scopeSpans");
	json_open_object(&b->j, NULL);
	json_open_object(&b->j, "scope");
	json_put_text(&b->j, "name", "gotap");
	json_put_text(&b->j, "version", GOTAP_VERSION);
	json_close_object(&b->j);
	json_open_array(&b->j, "spans");
}

static void batch_json_events(struct json_out *j, const struct otlp_span *s)
{
	size_t i;

	if (!s->nevents)
		return;
	json_open_array(j, "events");
	for (i = 0; i < s->nevents; i++) {
		json_open_object(j, NULL);
		batch_json_number(j, "timeUnixNano", s->events[i].time);
		json_put_text(j, "name", s->events[i].name);
		batch_json_attrs(j, s->facts, &s->facts->of_events, s->events[i].first,
				 s->events[i].n);
		json_close_object(j);
	}
	json_close_array(j);
}

static void batch_json_status(struct json_out *j, const struct otlp_facts *f)
{
	if (!f->error)
		return;
	json_open_object(j, "status");
	if (f->message)
		json_put_text(j, "message", (const char *)f->text.data + f->message);
	json_put_count(j, "code", ERROR_CODE);
	json_close_object(j);
}

void batch_json_add(struct otlp_batch *b, const struct otlp_span *s)
{
	struct json_out *j = &b->j;

	json_open_object(j, NULL);
	batch_json_id(j, "traceId", s->trace, OTLP_TRACE_ID);
	batch_json_id(j, "spanId", s->id, OTLP_SPAN_ID);
	if (s->parent)
		batch_json_id(j, "parentSpanId", s->parent, OTLP_SPAN_ID);
	json_put_text(j, "name", (const char *)s->facts->text.data + s->facts->name);
	json_put_count(j, "kind", s->facts->kind);
	batch_json_number(j, "startTimeUnixNano", s->from);
	batch_json_number(j, "endTimeUnixNano", s->to);
	batch_json_attrs(j, s->facts, &s->facts->attrs, 0, s->facts->attrs.len);
	batch_json_events(j, s);
	if (s->dropped_events)
		json_put_count(j, "droppedEventsCount", s->dropped_events);
	batch_json_status(j, s->facts);
	json_put_count(j, "flags", s->flags);
	json_close_object(j);
}

void batch_json_end(struct otlp_batch *b)
{
	int i;

	for (i = 0; i < 2; i++) {	/* spans and their scope, scopes and their resource */
		json_close_array(&b->j);
		json_close_object(&b->j);
	}
	json_close_array(&b->j);
	json_close_object(&b->j);
	fputc('\n', b->f);
	fflush(b->f);
	b->data = b->text;
	b->size = b->text_size;
}
