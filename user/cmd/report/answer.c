// SPDX-License-Identifier: Apache-2.0
/*
 * answer: the sentences with which a report begins: the unit of work and the composition of its
 * time, then findings, then further units. See parts.h.
 */
#include <stdlib.h>

#include "base/json_out.h"
#include "base/show.h"
#include "base/units.h"
#include "cmd/report/parts.h"

static void answer_put_unit(const struct trace_report *r, uint32_t trace, const struct unit *u,
			    FILE *f)
{
	struct buf text = {0};

	if (!is_one(r))
		buf_printf(&text, "Trace %u: ", trace + 1);
	unit_put_sentence(u, &text);
	buf_add_byte(&text, ' ');
	unit_put_slow(u, &text);
	if (text.data[text.len - 1] == ' ')
		text.len--;
	buf_add_byte(&text, 0);
	fputs("  ", f);
	report_put_wrapped((char *)text.data, 2, f);
	buf_free(&text);
}

static const struct units *answer_units(const struct trace_report *r, uint32_t trace)
{
	return *vec_at(&r->units, struct units *, trace);
}

/* Shows units @first to @end - 1 of each trace. */
static void answer_print(const struct trace_report *r, const char *head, size_t first, size_t end,
			 FILE *f)
{
	uint32_t t;
	size_t i;

	for (t = 0; t < r->units.len; t++) {
		const struct units *u = answer_units(r, t);

		for (i = first; i < end && i < units_count(u); i++) {
			if (head)
				fprintf(f, "\n%s\n", head);
			head = NULL;
			answer_put_unit(r, t, units_at(u, i), f);
		}
	}
}

void report_print_unit(const struct trace_report *r, FILE *f)
{
	answer_print(r, "UNIT OF WORK, and the composition of its time", 0, 1, f);
}

void report_print_other_units(const struct trace_report *r, FILE *f)
{
	answer_print(r, "OTHER UNITS OF WORK", 1, UNITS_MOST, f);
}

/* --- JSON --- */

static void answer_put_place(struct json_out *j, const char *function, const char *file,
			     uint64_t line)
{
	json_put_text(j, "function", function);
	json_put_text(j, "file", file);
	json_put_count(j, "line", line);
}

static void answer_put_text(struct json_out *j, const char *name, struct buf *text)
{
	buf_add_byte(text, 0);
	json_put_text(j, name, (char *)text->data);
	buf_free(text);
}

static void answer_put_causes(struct json_out *j, const struct unit *u)
{
	size_t i;

	json_open_array(j, "causes");
	for (i = 0; i < u->ncauses; i++) {
		const struct unit_cause *c = &u->causes[i];
		struct buf text = {0};

		json_open_object(j, NULL);
		buf_add(&text, c->text.data, c->text.len);
		answer_put_text(j, "text", &text);
		answer_put_place(j, c->function, c->file, c->line);
		json_put_real(j, "share", c->share, 6);
		json_put_number(j, "slow_ns", (int64_t)c->slow);
		json_close_object(j);
	}
	json_close_array(j);
}

static void answer_put_unit_json(struct json_out *j, uint32_t trace, const struct unit *u)
{
	static const struct unit_cause none = { .function = "", .file = "" };
	const struct unit_cause *first = u->ncauses ? &u->causes[0] : &none;
	struct buf text = {0};

	json_open_object(j, NULL);
	json_put_text(j, "kind", "unit");
	unit_put_sentence(u, &text);
	answer_put_text(j, "text", &text);
	answer_put_place(j, first->function, first->file, first->line);
	json_put_real(j, "share", unit_said(u), 6);
	json_put_text(j, "unit", u->name);
	json_put_text(j, "unit_kind", unit_kind_name(u->kind));
	json_put_count(j, "count", u->n);
	json_put_number(j, "sum_ns", u->ns);
	json_put_number(j, "p50_ns", dist_quantile(&u->dist, 0.5));
	json_put_number(j, "p90_ns", dist_quantile(&u->dist, 0.9));
	json_put_number(j, "p99_ns", dist_quantile(&u->dist, 0.99));
	json_put_count(j, "trace", trace);
	answer_put_causes(j, u);
	unit_put_slow(u, &text);
	if (text.len)
		answer_put_text(j, "slow", &text);
	json_close_object(j);
}

static void answer_put_units(struct json_out *j, const struct trace_report *r, size_t first,
			     size_t end)
{
	uint32_t t;
	size_t i;

	for (t = 0; t < r->units.len; t++)
		for (i = first; i < end && i < units_count(answer_units(r, t)); i++)
			answer_put_unit_json(j, t, units_at(answer_units(r, t), i));
}

static void answer_put_finding(struct json_out *j, const struct trace_finding *tf)
{
	json_open_object(j, NULL);
	json_put_text(j, "kind", "finding");
	json_put_text(j, "text", tf->finding->text);
	answer_put_place(j, tf->finding->function, tf->finding->file, tf->finding->line);
	json_put_real(j, "share", tf->share, 6);
	json_close_object(j);
}

static void answer_put_rest(struct json_out *j, const struct trace_report *r)
{
	const struct unit *u;

	if (!r->units.len || !units_count(answer_units(r, 0)))
		return;
	u = units_at(answer_units(r, 0), 0);
	json_open_object(j, NULL);
	json_put_text(j, "kind", "rest");
	json_put_text(j, "text", "has other causes");
	answer_put_place(j, "", "", 0);
	json_put_real(j, "share", u->ncauses ? 1 - unit_said(u) : 0, 6);
	json_close_object(j);
}

void report_json_answer(struct json_out *j, const struct trace_report *r)
{
	size_t i;

	json_open_array(j, "answer");
	answer_put_units(j, r, 0, 1);
	for (i = 0; i < r->findings.len; i++)
		answer_put_finding(j, vec_at(&r->findings, struct trace_finding, i));
	answer_put_units(j, r, 1, UNITS_MOST);
	answer_put_rest(j, r);
	json_close_array(j);
}
