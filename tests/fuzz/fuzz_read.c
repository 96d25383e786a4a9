// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_read: a v2 trace from anybody must end in a verdict, and its events can be shown: no crash,
 * no hang, no more memory than a small multiple of its size; JSON that every reader takes. Seeds: traces.
 */
#include <fcntl.h>
#include <json-c/json.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "cmd/check/json.h"
#include "read/check_report.h"
#include "read/events.h"

/* An event names stacks that may be as long as the trace, so what is shown grows with its square. */
enum { SHORT = 512, SHORT_WITH_STACKS = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *sink(void)
{
	static FILE *f;

	if (!f)
		f = fopen("/dev/null", "w");
	return f;
}

static void check_line(struct json_tokener *json, const char *line, size_t n)
{
	struct json_object *object;

	json_tokener_reset(json);
	object = json_tokener_parse_ex(json, line, (int)n);
	if (!object || !json_object_is_type(object, json_type_object) ||
	    !json_object_object_get_ex(object, "kind", NULL))
		abort();
	json_object_put(object);
}

static void check_lines(const struct buf *text)
{
	struct json_tokener *json = json_tokener_new();
	const char *p = (const char *)text->data, *end = p + text->len, *line_end;

	json_tokener_set_flags(json, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	for (; p < end; p = line_end + 1) {
		line_end = memchr(p, '\n', (size_t)(end - p));
		if (!line_end)
			abort();
		check_line(json, p, (size_t)(line_end - p));
	}
	json_tokener_free(json);
}

static void show(const uint8_t *data, size_t size, const struct events_options *o, bool keep)
{
	struct error err;
	struct trace_reader *r = trace_reader_open_memory(data, size, &err);
	struct raw_sink out;

	if (!r)
		return;
	sink_open(&out, keep ? -1 : fileno(sink()), "nothing");
	events_write(r, o, &out, &err);
	if (keep && out.buf.len)
		check_lines(&out.buf);
	sink_close(&out, &err);
	trace_reader_close(r);
}

static void show_events(const uint8_t *data, size_t size)
{
	struct events_options o = { .filter = EVENTS_ALL, .no_stacks = size > SHORT_WITH_STACKS,
				    .links = true };
	regex_t func;

	show(data, size, &o, false);
	o.json = true;
	show(data, size, &o, size <= SHORT);
	regcomp(&func, "ma(in|p)[.]|r.n", REG_EXTENDED | REG_NOSUB);
	o.filter.func = &func;
	map64_put(&o.filter.goroutines, 1, NULL);
	map64_put(&o.filter.procs, 0, NULL);
	show(data, size, &o, false);
	events_filter_free(&o.filter);
	regfree(&func);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct check_result result;
	struct buf report = {0};

	check_memory(data, size, false, &result);
	check_report_text(&report, "input", &result);
	buf_free(&report);
	check_json(sink(), "input", &result);
	check_memory(data, size, true, &result);
	show_events(data, size);
	return 0;
}
