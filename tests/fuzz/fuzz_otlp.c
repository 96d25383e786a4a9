// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_otlp: the first byte chooses: any bytes as a trace, of which all requests become spans, or as the answer of a
 * receiver. Batches must be messages that can be taken apart, with the number of spans that they say.
 */
#include "fuzz.h"

#include <string.h>

#include "http/client.h"
#include "otlp/ids.h"
#include "otlp/otlp.h"
#include "otlp/response.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

static uint64_t take_varint(const uint8_t **p, const uint8_t *end)
{
	uint64_t ret = 0;
	unsigned int shift;

	for (shift = 0; *p < end && shift < 64; shift += 7) {
		uint8_t c = *(*p)++;

		ret |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return ret;
	}
	must(false, "a number of protobuf ends");
	return 0;
}

/* Returns how many messages there are at the path of field numbers @path. */
static size_t count_messages(const uint8_t *p, size_t n, const uint64_t *path)
{
	const uint8_t *end = p + n;
	size_t found = 0;

	while (p < end) {
		uint64_t tag = take_varint(&p, end), size;

		switch (tag & 7) {
		case WIRE_VARINT:
			take_varint(&p, end);
			break;
		case WIRE_FIXED64:
		case WIRE_FIXED32:
			p += (tag & 7) == WIRE_FIXED64 ? 8 : 4;
			break;
		case WIRE_BYTES:
			size = take_varint(&p, end);
			must(size <= (size_t)(end - p), "a field ends inside of its message");
			if (tag >> 3 == *path)
				found += path[1] ? count_messages(p, size, path + 1) : 1;
			p += size;
			break;
		default:
			must(false, "a field has a type");
		}
	}
	must(p == end, "a message ends with its last field");
	return found;
}

struct seen {
	bool json;
	size_t spans;
};

static int take(void *ctx, const void *data, size_t size, size_t spans, struct error *err)
{
	static const uint64_t path[] = { 1, 2, 2, 0 };	/* resource_spans, scope_spans, spans */
	struct seen *s = ctx;

	must(spans && spans <= BATCH_SPANS, "a batch has some spans");
	if (s->json)
		must(size > 2 && !memcmp(data, "{\"", 2) && !memcmp((const char *)data + size - 2, "}\n", 2) &&
		     !memchr(data, '\n', size - 1), "JSON is a line");
	else
		must(count_messages(data, size, path) == spans, "a batch has the spans that it says");
	s->spans += spans;
	return 0;
}

static void export(const uint8_t *data, size_t size, bool json, bool waits, const char *route)
{
	struct seen seen = { .json = json };
	struct otlp_options options = { .file = "x", .json = json, .waits = waits, .route = route,
					.take = take, .ctx = &seen };
	struct spans *s = spans_new();
	struct otlp *o = otlp_new(s, &options);
	struct error err;
	struct trace_reader *r = trace_reader_open_memory(data, size, &err);

	if (r)
		(void)spans_read(s, r, &err);
	trace_reader_close(r);
	(void)otlp_finish(o, &err);
	must(otlp_counts(o)->spans == seen.spans, "what was given is counted");
	must(otlp_counts(o)->roots <= seen.spans, "a trace has a span");
	otlp_free(o);
	spans_free(s);
}

static void answer(const uint8_t *data, size_t size)
{
	struct otlp_response r;
	struct traceparent t;
	struct buf content = {0};

	response_read(data, size, &r);
	response_read_status(data, size, &r);
	must(strlen(r.message) < OTLP_MESSAGE, "a message ends");
	traceparent_parse((const char *)data, size, &t);
	http_content((const char *)data, size, &content);
	must(content.len <= size, "the content is no more than the answer");
	buf_free(&content);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (*data & 4)
		answer(data + 1, size - 1);
	else
		export(data + 1, size - 1, *data & 1, *data & 2, *data & 8 ? "GET /cart" : NULL);
	return 0;
}
