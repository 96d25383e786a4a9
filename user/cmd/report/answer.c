// SPDX-License-Identifier: Apache-2.0
/*
 * answer: the sentences with which a report begins: the unit of work and the composition of its
 * time, then findings, then further units. See parts.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_out.h"
#include "base/show.h"
#include "base/units.h"
#include "cmd/report/parts.h"
#include "cmd/why/why.h"
#include "unit/snapshot.h"
#include "why/group.h"

static const struct units *answer_units(const struct trace_report *r, uint32_t trace)
{
	return *vec_at(&r->units, struct units *, trace);
}

/* Appends the functions in the running part of @u, if it runs. */
static void answer_add_samples(const struct trace_report *r, uint32_t trace, const struct unit *u,
			       struct buf *text)
{
	size_t before = text->len;

	buf_add_byte(text, ' ');
	unit_put_samples(u, units_samples(answer_units(r, trace)), text);
	if (text->len == before + 1)
		text->len = before;
}

static void answer_put_unit(const struct trace_report *r, uint32_t trace, const struct unit *u,
			    FILE *f)
{
	struct buf text = {0};

	if (!is_one(r))
		buf_printf(&text, "Trace %u: ", trace + 1);
	unit_put_text(u, &text);
	answer_add_samples(r, trace, u, &text);
	buf_add_byte(&text, 0);
	fputs("  ", f);
	report_put_wrapped((char *)text.data, 2, f);
	buf_free(&text);
}

/* Shows units @first to @end - 1 of a trace, below @head, which may be NULL. */
static bool answer_print(const struct trace_report *r, const char *head, uint32_t trace,
			 size_t first, size_t end, FILE *f)
{
	const struct units *u = answer_units(r, trace);
	size_t i;

	for (i = first; i < end && i < units_count(u); i++) {
		if (head)
			fprintf(f, "\n%s\n", head);
		head = NULL;
		answer_put_unit(r, trace, units_at(u, i), f);
	}
	return !head;
}

/* How many units of the trace stand above the findings. */
static size_t answer_first(const struct units *u)
{
	return units_count(u) && units_at(u, 0)->kind == UNIT_TRIGGER ? 2 : 1;
}

/* Shows the unit of work of each trace, or the units after it. */
static void answer_print_all(const struct trace_report *r, const char *head, bool is_first, FILE *f)
{
	uint32_t t;

	for (t = 0; t < r->units.len; t++) {
		size_t first = answer_first(answer_units(r, t));

		if (answer_print(r, head, t, is_first ? first - 1 : first,
				 is_first ? first : SIZE_MAX, f))
			head = NULL;
	}
}

/* The trigger of a snapshot that is about no goroutine, or about one that the trace lacks. */
static void answer_print_said(const struct trace_report *r, uint32_t trace, FILE *f)
{
	const struct unit_snapshot *n = units_snapshot(answer_units(r, trace));

	if (!n->said)
		return;
	fputs("\nTRIGGER OF THE SNAPSHOT\n  ", f);
	report_put_wrapped(n->said, 2, f);
	fputs("  noted at ", f);
	report_put_instant(r, trace, n->at, f);
	fputc('\n', f);
}

void report_print_unit(const struct trace_report *r, FILE *f)
{
	uint32_t t;

	for (t = 0; t < r->units.len; t++)
		if (answer_first(answer_units(r, t)) == 2)
			answer_print(r, "TRIGGER OF THE SNAPSHOT, and the composition of its time",
				     t, 0, 1, f);
		else
			answer_print_said(r, t, f);
	answer_print_all(r, "UNIT OF WORK, and the composition of its time", true, f);
}

void report_print_other_units(const struct trace_report *r, FILE *f)
{
	answer_print_all(r, "OTHER UNITS OF WORK", false, f);
}

/* --- shares --- */

/* Returns the time of the first units of all traces, ns. */
static double answer_time(const struct trace_report *r)
{
	double ns = 0;
	uint32_t t;

	for (t = 0; t < r->units.len; t++)
		if (units_count(answer_units(r, t)))
			ns += (double)units_at(answer_units(r, t), 0)->ns;
	return ns;
}

/*
 * Returns which part of the time of the first units of all traces the part @share of that of @trace
 * is.
 */
static double answer_share(const struct trace_report *r, uint32_t trace, double share)
{
	double all = answer_time(r);

	return all > 0 ? share * (double)units_at(answer_units(r, trace), 0)->ns / all : 0;
}

double report_finding_share(const struct trace_report *r, const struct trace_finding *tf)
{
	const struct units *u = answer_units(r, tf->trace);

	return units_count(u) ?
		       answer_share(r, tf->trace, unit_found(units_at(u, 0), tf->number)) : 0;
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
		json_put_number(j, "path_ns", c->path_ns);
		json_put_number(j, "slow_ns", (int64_t)c->slow);
		json_close_object(j);
	}
	json_close_array(j);
}

static void answer_put_part(struct json_out *j, const struct units *all, const struct path *p,
			    const struct part *part)
{
	const struct cause *c = vec_at(&p->causes, struct cause, part->leaf);
	const struct stack_frame *f = c->at ? stack_set_frame_at(units_stacks(all), c->at) : NULL;

	json_open_object(j, NULL);
	json_put_text(j, "kind", why_kind_names[c->kind]);
	answer_put_place(j, f ? f->func : "", f ? f->file : "", f ? f->line : 0);
	json_put_count(j, "ns", part->ns);
	json_close_object(j);
}

/* The slowest instance, in the numbers of `gotap why -g G --from T --to T --json`. */
static void answer_put_slowest(struct json_out *j, const struct units *all, const struct unit *u)
{
	size_t i;

	if (!u->slowest_path->parts.len)
		return;
	json_open_object(j, "slowest");
	if (u->slowest_g != TRACEV2_NO_ID)
		json_put_count(j, "goroutine", u->slowest_g);
	json_put_number(j, "from_ns", u->slowest.from - units_begin(all));
	json_put_number(j, "to_ns", u->slowest.from + u->slowest.ns - units_begin(all));
	json_open_array(j, "causes");
	for (i = 0; i < u->slowest_path->parts.len; i++)
		answer_put_part(j, all, u->slowest_path,
				vec_at(&u->slowest_path->parts, struct part, i));
	json_close_array(j);
	json_close_object(j);
}

static void answer_put_more(struct json_out *j, const char *name, struct buf *text)
{
	if (text->len)
		answer_put_text(j, name, text);
}

static void answer_put_numbers(struct json_out *j, const struct unit *u)
{
	json_put_text(j, "unit", u->name);
	json_put_text(j, "unit_kind", unit_kind_name(u->kind));
	json_put_count(j, "count", u->n);
	json_put_number(j, "sum_ns", u->ns);
	json_put_number(j, "p50_ns", dist_quantile(&u->dist, 0.5));
	json_put_number(j, "p90_ns", dist_quantile(&u->dist, 0.9));
	json_put_number(j, "p99_ns", dist_quantile(&u->dist, 0.99));
	json_put_count(j, "paths", u->groups[0].looked + u->groups[1].looked);
	json_put_number(j, "paths_ns", u->groups[0].ns + u->groups[1].ns);
}

/* @is_first: @u is the first unit of its trace; shares are of the time of those. */
static void answer_put_unit_json(struct json_out *j, const struct trace_report *r, uint32_t trace,
				 const struct unit *u, bool is_first)
{
	static const struct unit_cause none = { .function = "", .file = "" };
	const struct unit_cause *first = u->ncauses ? &u->causes[0] : &none;
	struct buf text = {0};

	json_open_object(j, NULL);
	json_put_text(j, "kind", "unit");
	unit_put_sentence(u, &text);
	answer_put_text(j, "text", &text);
	answer_put_place(j, first->function, first->file, first->line);
	json_put_real(j, "share", is_first ? answer_share(r, trace, unit_said(u)) : 0, 6);
	answer_put_numbers(j, u);
	json_put_real(j, "unattributed", u->unattributed, 6);
	json_put_count(j, "trace", trace);
	answer_put_causes(j, u);
	answer_put_slowest(j, answer_units(r, trace), u);
	unit_put_slow(u, &text);
	answer_put_more(j, "slow", &text);
	unit_put_samples(u, units_samples(answer_units(r, trace)), &text);
	answer_put_more(j, "running", &text);
	json_close_object(j);
}

/* The units above the findings, or those below. */
static void answer_put_units(struct json_out *j, const struct trace_report *r, bool above)
{
	uint32_t t;
	size_t i;

	for (t = 0; t < r->units.len; t++)
		for (i = 0; i < units_count(answer_units(r, t)); i++)
			if ((i < answer_first(answer_units(r, t))) == above)
				answer_put_unit_json(j, r, t, units_at(answer_units(r, t), i), !i);
}

static void answer_put_finding(struct json_out *j, const struct trace_report *r,
			       const struct trace_finding *tf)
{
	json_open_object(j, NULL);
	json_put_text(j, "kind", "finding");
	json_put_text(j, "text", tf->finding->text);
	answer_put_place(j, tf->finding->function, tf->finding->file, tf->finding->line);
	json_put_real(j, "share", report_finding_share(r, tf), 6);
	json_put_real(j, "lost_share", tf->share, 6);
	json_close_object(j);
}

/* All that no sentence has of the first unit of a trace. */
static void answer_put_rest(struct json_out *j, const struct trace_report *r, uint32_t trace)
{
	const struct unit *u = units_at(answer_units(r, trace), 0);
	struct buf text = {0};

	json_open_object(j, NULL);
	json_put_text(j, "kind", "rest");
	unit_put_rest(u, &text);
	answer_put_text(j, "text", &text);
	answer_put_place(j, "", "", 0);
	json_put_real(j, "share", answer_share(r, trace, unit_rest(u)), 6);
	json_put_count(j, "trace", trace);
	json_close_object(j);
}

void report_json_answer(struct json_out *j, const struct trace_report *r)
{
	size_t i;

	json_open_array(j, "answer");
	answer_put_units(j, r, true);
	for (i = 0; i < r->findings.len; i++)
		answer_put_finding(j, r, vec_at(&r->findings, struct trace_finding, i));
	answer_put_units(j, r, false);
	for (i = 0; i < r->units.len; i++)
		if (units_count(answer_units(r, (uint32_t)i)))
			answer_put_rest(j, r, (uint32_t)i);
	json_close_array(j);
}
