// SPDX-License-Identifier: Apache-2.0
/* check_report: see check_report.h. Input: a verdict. Output: text. */
#include "read/check_report.h"

#include <string.h>

#include "read/text_quote.h"
#include "tracev2.h"

static void check_report_place(struct buf *out, const struct v2_place *place)
{
	if (place->gen)
		buf_printf(out, "generation %llu, ", (unsigned long long)place->gen);
	if (place->batch >= 0)
		buf_printf(out, "batch %lld, ", (long long)place->batch);
	buf_printf(out, "byte %llu", (unsigned long long)place->offset);
	if (place->thread != TRACEV2_NO_ID)
		buf_printf(out, ", thread %lld", (long long)place->thread);
}

/*
 * Appends a text without control characters: names and strings of a broken trace may have any
 * bytes, and the report is one line.
 */
static void check_report_clean(struct buf *out, const char *text)
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

static void check_report_fault(struct buf *out, const struct check_result *result)
{
	const struct v2_fault *f = &result->fault;

	if (result->kind == CHECK_HEADER) {
		check_report_clean(out, f->rule);
		return;
	}
	check_report_place(out, &f->place);
	buf_printf(out, ": ");
	if (*f->event) {
		check_report_clean(out, f->event);
		buf_printf(out, ": ");
	}
	check_report_clean(out, f->rule);
	buf_printf(out, " [%s, after %llu events", check_kind_name(result->kind),
		   (unsigned long long)result->fault_event);
	if (*f->state) {
		buf_printf(out, "; ");
		check_report_clean(out, f->state);
	}
	if (result->more)
		buf_printf(out, "; %llu more faults", (unsigned long long)result->more);
	buf_printf(out, "]");
}

static void check_report_warnings(struct buf *out, const struct check_result *result)
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
		check_report_fault(out, result);
	check_report_warnings(out, result);
	buf_add_byte(out, '\n');
}
