// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_text: bytes as a trace to text, and bytes as text to a trace. What one
 * direction accepts the other must take back, with the same result from then
 * on; a trace of a v1 format must come back byte for byte. Seeds: traces, and
 * text traces.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "read/raw_sink.h"
#include "read/text_write.h"
#include "v1/file.h"
#include "v1/text.h"

typedef int convert_fn(struct raw_source *source, struct raw_sink *sink, struct error *err);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Converts @in to @out: true if it could. */
static bool convert(convert_fn *fn, const uint8_t *data, size_t size, struct buf *out)
{
	struct raw_source source;
	struct raw_sink sink;
	struct error err;
	bool ok;

	source_open_memory(&source, data, size);
	sink_open(&sink, -1, NULL);
	ok = !fn(&source, &sink, &err);
	*out = sink.buf;
	source_close(&source);
	return ok;
}

static int to_text(struct raw_source *source, struct raw_sink *sink, struct error *err)
{
	if (v1_file_is(source->pos, source_left(source)))
		return v1_text(source->pos, source_left(source), NULL, sink, err);
	return text_write(source, sink, err);
}

/* Text that was made from a trace must give, by way of a trace, itself. */
static void round_trip(const struct buf *text, const uint8_t *trace, size_t size)
{
	struct buf wire, again;

	if (!convert(v1_wire_write, text->data, text->len, &wire))
		abort();
	if (v1_file_is(trace, size) && (wire.len != size || memcmp(wire.data, trace, size)))
		abort();
	if (!convert(to_text, wire.data, wire.len, &again))
		abort();
	if (again.len != text->len || memcmp(again.data, text->data, text->len))
		abort();
	buf_free(&wire);
	buf_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf out, text;

	if (convert(to_text, data, size, &out))
		round_trip(&out, data, size);
	buf_free(&out);
	if (convert(v1_wire_write, data, size, &out)) {
		if (!convert(to_text, out.data, out.len, &text))
			abort();
		round_trip(&text, out.data, out.len);
		buf_free(&text);
	}
	buf_free(&out);
	return 0;
}
