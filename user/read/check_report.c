// SPDX-License-Identifier: Apache-2.0
/* check_report: see check_report.h. In: a verdict. Out: text. */
#include "read/check_report.h"

#include <string.h>

#include "read/text_quote.h"
#include "tracev2.h"

static void say_place(struct buf *out, const struct v2_place *place)
{
	if (place->gen)
		buf_printf(out, "generation %llu, ", (unsigned long long)place->gen);
	if (place->batch >= 0)
		buf_printf(out, "batch %lld, ", (long long)place->batch);
	buf_printf(out, "byte %llu", (unsigned long long)place->offset);
	if (place->thread != TRACEV2_NO_ID)
		buf_printf(out, ", thread %lld", (long long)place->thread);
}

/* Names and strings of a broken trace may hold anything; a report is one clean line. */
static void say_clean(struct buf *out, const char *text)
{
	const uint8_t *p = (const uint8_t *)text;
	size_t left = strlen(text), n;
	uint32_t rune;

	for (; left; p += n, left -= n) {
		n = rune_decode(p, left, &rune);
		if ((n == 1 && rune == RUNE_ERROR) || !rune_is_print(rune))
			buf_add_byte(out, '?');
		else
			buf_add(out, p, n);
	}
}

static void say_fault(struct buf *out, const struct check_result *result)
{
	const struct v2_fault *f = &result->fault;

	if (result->kind == CHECK_HEADER) {
		say_clean(out, f->rule);
		return;
	}
	say_place(out, &f->place);
	buf_printf(out, ": ");
	if (*f->event) {
		say_clean(out, f->event);
		buf_printf(out, ": ");
	}
	say_clean(out, f->rule);
	buf_printf(out, " [%s, after %llu events", check_kind_name(result->kind),
		   (unsigned long long)result->fault_event);
	if (*f->state) {
		buf_printf(out, "; ");
		say_clean(out, f->state);
	}
	if (result->more)
		buf_printf(out, "; %llu more faults", (unsigned long long)result->more);
	buf_printf(out, "]");
}

static void say_warnings(struct buf *out, const struct check_result *result)
{
	int i;

	for (i = 0; i < WARNINGS; i++) {
		unsigned long long n = result->warning[i].count;

		if (n)
			buf_printf(out, "; warning: %s", check_warning_text((enum check_warning)i));
		if (n > 1)
			buf_printf(out, " (%llu times)", n);
	}
}

void check_report_text(struct buf *out, const char *file, const struct check_result *result)
{
	buf_printf(out, "%s: ", file);
	if (result->kind == CHECK_OK)
		buf_printf(out, "ok: go 1.%d, %llu generations, %llu events, %llu threads",
			   result->version, (unsigned long long)result->generations,
			   (unsigned long long)result->events,
			   (unsigned long long)result->threads);
	else
		say_fault(out, result);
	say_warnings(out, result);
	buf_add_byte(out, '\n');
}

static void json_string(struct buf *out, const char *key, const char *text)
{
	const uint8_t *p = (const uint8_t *)text;
	size_t left = strlen(text), n;
	uint32_t rune;

	buf_printf(out, "\"%s\":\"", key);
	for (; left; p += n, left -= n) {
		n = rune_decode(p, left, &rune);
		if (*p == '"' || *p == '\\')
			buf_printf(out, "\\%c", *p);
		else if (rune < 0x20 || (n == 1 && rune == RUNE_ERROR))
			buf_printf(out, "\\u%04x", rune);
		else
			buf_add(out, p, n);
	}
	buf_add_byte(out, '"');
}

static void json_place(struct buf *out, const struct v2_place *place)
{
	if (place->gen)
		buf_printf(out, "\"generation\":%llu,", (unsigned long long)place->gen);
	if (place->batch >= 0)
		buf_printf(out, "\"batch\":%lld,", (long long)place->batch);
	if (place->thread != TRACEV2_NO_ID)
		buf_printf(out, "\"thread\":%lld,", (long long)place->thread);
	buf_printf(out, "\"offset\":%llu", (unsigned long long)place->offset);
}

static void json_fault(struct buf *out, const struct check_result *result)
{
	const struct v2_fault *f = &result->fault;

	buf_printf(out, ",\"fault\":{");
	json_place(out, &f->place);
	buf_printf(out, ",\"kind\":\"%s\",\"after_events\":%llu,\"more\":%llu,",
		   check_kind_name(result->kind), (unsigned long long)result->fault_event,
		   (unsigned long long)result->more);
	json_string(out, "event", f->event);
	buf_add_byte(out, ',');
	json_string(out, "rule", f->rule);
	buf_add_byte(out, ',');
	json_string(out, "state", f->state);
	buf_add_byte(out, '}');
}

static void json_warnings(struct buf *out, const struct check_result *result)
{
	const char *sep = "";
	int i;

	buf_printf(out, ",\"warnings\":[");
	for (i = 0; i < WARNINGS; i++) {
		if (!result->warning[i].count)
			continue;
		buf_printf(out, "%s{\"count\":%llu,", sep,
			   (unsigned long long)result->warning[i].count);
		json_place(out, &result->warning[i].first);
		buf_add_byte(out, ',');
		json_string(out, "text", check_warning_text((enum check_warning)i));
		buf_add_byte(out, '}');
		sep = ",";
	}
	buf_add_byte(out, ']');
}

void check_report_json(struct buf *out, const char *file, const struct check_result *result)
{
	buf_add_byte(out, '{');
	json_string(out, "file", file);
	buf_printf(out, ",\"ok\":%s", result->kind == CHECK_OK ? "true" : "false");
	if (result->version)
		buf_printf(out, ",\"version\":\"go 1.%d\"", result->version);
	buf_printf(out, ",\"generations\":%llu,\"events\":%llu,\"threads\":%llu",
		   (unsigned long long)result->generations, (unsigned long long)result->events,
		   (unsigned long long)result->threads);
	if (result->kind != CHECK_OK)
		json_fault(out, result);
	json_warnings(out, result);
	buf_add(out, "}\n", 2);
}
