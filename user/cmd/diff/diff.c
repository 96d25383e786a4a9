// SPDX-License-Identifier: Apache-2.0
/* gotap diff: what became slower from one trace to another (report/diff.h). */
#include "report/diff.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "cmd/cmd.h"
#include "cmd/next.h"
#include "cmd/diff/diff.h"
#include "files/leftover.h"
#include "files/reread.h"
#include "cmd/options.h"
#include "files/trace_input.h"

enum { TOP = 10, TOP_MAX = 1000, JSON_VERSION = 1 };

struct options {
	const char *out, *binary, *names[2];
	bool json;
	unsigned long top;
};

/* The two traces, and the differences of their stays and of their unit of work. */
struct shown {
	const struct options *options;
	struct diff *diff;
	struct reread files[2];
	struct units *units[2];
	struct unit_compared unit;	/* its sides are NULL: the traces have no unit in common */
};

/* --- text --- */

static void diff_put_seconds(FILE *f, const char *label, const char *name, const struct diff *d,
			     int side)
{
	const struct diff_trace *t = &d->traces[side];

	show_printf(f, "%s  %s: %.3f s, %llu goroutines", label, name, diff_time(d, side) / 1e9,
		    (unsigned long long)t->goroutines);
	if (t->gomaxprocs)
		fprintf(f, ", GOMAXPROCS %llu", (unsigned long long)t->gomaxprocs);
	if (t->unrecorded)
		fprintf(f, "; %.3f s more were not recorded", (double)t->unrecorded / 1e9);
	fprintf(f, "\n");
	if (t->note)
		show_printf(f, "   %llu note%s of the recorder, first: %s\n",
			    (unsigned long long)t->notes, t->notes == 1 ? "" : "s", t->note);
}

/* "costs 1.2 s of goroutines a second" */
static void put_change(FILE *f, const struct diff *d, const struct diff_change *c, size_t number)
{
	struct buf text = {0};

	diff_say(d, c, &text);
	buf_printf(&text, " (%s %.3g s of goroutines a second", c->slower ? "costs" : "saves",
		   c->cost);
	if (c->way != DIFF_NEW)
		buf_printf(&text, "; noise could make %.3g times", c->noise);
	buf_printf(&text, ")");
	if (c->follows)
		buf_printf(&text, "; ended by goroutines of %zu.",
			   (size_t)(c->follows - (const struct diff_change *)d->changes.data) + 1);
	buf_add_byte(&text, 0);
	show_printf(f, "%3zu. %s\n", number, (char *)text.data);
	buf_free(&text);
}

static void put_way(FILE *f, const struct diff *d, const struct options *o, bool slower)
{
	size_t i, number = 0, left = 0;

	for (i = 0; i < d->changes.len; i++) {
		const struct diff_change *c = vec_at(&d->changes, struct diff_change, i);

		if (c->slower != slower)
			continue;
		if (!number++)
			fprintf(f, "\n%s\n", slower ? "Slower:" : "Faster:");
		if (number <= o->top)
			put_change(f, d, c, number);
		else
			left++;
	}
	if (left)
		fprintf(f, "     and %zu more: --top\n", left);
}

/* Functions that only one side has, but for the runtime's. */
static void put_only(FILE *f, const struct diff *d, const struct options *o, int side)
{
	size_t i, n = 0;

	for (i = 0; i < d->functions.len; i++) {
		const struct diff_function *fn = vec_at(&d->functions, struct diff_function, i);

		if (!*fn->name || fn->system || !fn->goroutines[side] || fn->goroutines[!side])
			continue;
		if (!n++)
			fprintf(f, "\nGoroutines only in %s: ", side ? "B" : "A");
		if (n <= o->top)
			show_printf(f, "%s%s (%llu)", n > 1 ? ", " : "", fn->name,
				    (unsigned long long)fn->goroutines[side]);
	}
	if (n > o->top)
		fprintf(f, " and of %zu more functions", n - o->top);
	if (n)
		fprintf(f, "\n");
}

static void put_noise(FILE *f, const struct diff *d)
{
	fprintf(f, "\n%llu kinds of intervals were compared", (unsigned long long)d->compared);
	if (d->compared)
		fprintf(f,
			"; for half of them less than %.3g times as long would be taken for noise",
			d->noise);
	if (d->crowded)
		fprintf(f, "; %llu intervals found no room and were not",
			(unsigned long long)d->crowded);
	fprintf(f, ".\n");
	if (!d->compared)
		fprintf(f, "The traces have too little in common to be compared, or it lies in too "
			   "small a part of them.\n");
}

/* Is it worth to be said? */
static bool drifted(const struct diff *d)
{
	return d->drift > 1.1 || d->drift < 1 / 1.1;
}

static void diff_put_head(FILE *f, const struct diff *d, const struct options *o)
{
	diff_put_seconds(f, "A", o->names[0], d, 0);
	diff_put_seconds(f, "B", o->names[1], d, 1);
	if (drifted(d))
		fprintf(f,
			"\nTwo thirds of all kinds of intervals take at %s %.3g times as long in "
			"B: the whole program or the machine was %s.\n",
			d->drift > 1 ? "least" : "most", d->drift,
			d->drift > 1 ? "slower" : "faster");
	if (d->compared && !d->changes.len)
		fprintf(f, "\nNo %sdifference that is more than noise.\n",
			drifted(d) ? "other " : "");
}

/* The function of the change that costs most; NULL: nothing became slower. */
static const char *diff_slowest(const struct diff *d)
{
	size_t i;

	for (i = 0; i < d->changes.len; i++) {
		const struct diff_change *c = vec_at(&d->changes, struct diff_change, i);

		if (c->slower && c->row->kind < DIFF_REGION && *c->row->name)
			return c->row->name;
	}
	return NULL;
}

static void diff_next(const struct shown *s, struct next *n)
{
	const char *slower = diff_slowest(s->diff);

	*n = (struct next){ .trace = next_file(s->options->names[1]) };
	if (slower)
		next_put_name(n->func, "--func", slower);
	if (slower)
		next_want(n, NEXT_ALL);
	if (s->diff->changes.len)
		next_want(n, NEXT_REPORT);
	else if (s->diff->noise > 2 || !s->diff->compared)
		next_want(n, NEXT_LONGER);
}

static void diff_put_text(FILE *f, const struct shown *s)
{
	const struct diff *d = s->diff;
	const struct options *o = s->options;
	struct next next;

	diff_put_head(f, d, o);
	if (s->unit.side[0])
		diff_put_unit(f, &s->unit, o->top);
	put_way(f, d, o, true);
	put_way(f, d, o, false);
	put_only(f, d, o, 0);
	put_only(f, d, o, 1);
	put_noise(f, d);
	diff_next(s, &next);
	next_print(&next, f);
}

/* --- JSON --- */

static void json_pair(struct json_out *j, const char *name, double a, double b, int digits)
{
	json_open_array(j, name);
	json_put_real(j, NULL, a, digits);
	json_put_real(j, NULL, b, digits);
	json_close_array(j);
}

static void json_quantiles(struct json_out *j, const char *name, const struct diff_row *row,
			   double q)
{
	json_pair(j, name, (double)dist_quantile(&row->side[0].dist, q),
		  (double)dist_quantile(&row->side[1].dist, q), 0);
}

static double mean_of(const struct dist *d)
{
	return d->count ? (double)d->sum / (double)d->count : 0;
}

static void json_row(struct json_out *j, const struct diff_row *row)
{
	json_put_text(j, "kind", diff_kind_name(row->kind));
	json_put_text(j, row->kind < DIFF_REGION ? "function" : "name", row->name);
	if (row->kind == DIFF_WAIT)
		json_put_text(j, "reason", row->reason);
	json_put_text(j, "in", row->what);
	json_put_text(j, "place", row->func);
	json_put_text(j, "file", row->file);
	json_put_count(j, "line", row->side[1].line ? row->side[1].line : row->side[0].line);
	json_pair(j, "count", (double)row->side[0].dist.count, (double)row->side[1].dist.count, 0);
	json_pair(j, "mean_ns", mean_of(&row->side[0].dist), mean_of(&row->side[1].dist), 0);
	json_quantiles(j, "p50_ns", row, 0.5);
	json_quantiles(j, "p90_ns", row, 0.9);
	json_quantiles(j, "p99_ns", row, 0.99);
}

static void json_change(struct json_out *j, const struct diff *d, const struct diff_change *c)
{
	static const char *const ways[] = { "longer", "more often", "new" };
	const char *unit;
	double a = diff_often(d, c, 0, &unit), b = diff_often(d, c, 1, &unit);
	struct buf text = {0};

	diff_say(d, c, &text);
	buf_add_byte(&text, 0);
	json_open_object(j, NULL);
	json_put_bool(j, "slower", c->slower);
	json_put_text(j, "text", (char *)text.data);
	json_put_text(j, "way", ways[c->way]);
	if (c->way != DIFF_NEW) {
		json_put_real(j, "ratio", c->slower ? c->ratio : 1 / c->ratio, 4);
		json_put_real(j, "noise", c->noise, 4);
	}
	json_put_real(j, "seconds_per_second", c->cost, 6);
	json_row(j, c->row);
	json_pair(j, !strcmp(unit, "second") ? "per_second" : "per_goroutine", a, b, 4);
	if (c->follows)
		json_put_count(j, "ended_by",
			       (uint64_t)(c->follows -
					  (const struct diff_change *)d->changes.data));
	json_close_object(j);
	buf_free(&text);
}

static void json_trace(struct json_out *j, const char *key, const char *name, const struct diff *d,
		       int side)
{
	const struct diff_trace *t = &d->traces[side];

	json_open_object(j, key);
	json_put_text(j, "trace", name);
	json_put_real(j, "seconds", diff_time(d, side) / 1e9, 9);
	json_put_real(j, "unrecorded_seconds", (double)t->unrecorded / 1e9, 9);
	json_put_count(j, "goroutines", t->goroutines);
	json_put_count(j, "gomaxprocs", t->gomaxprocs);
	json_put_count(j, "notes", t->notes);
	json_close_object(j);
}

static void json_only(struct json_out *j, const char *key, const struct diff *d, int side)
{
	size_t i;

	json_open_array(j, key);
	for (i = 0; i < d->functions.len; i++) {
		const struct diff_function *fn = vec_at(&d->functions, struct diff_function, i);

		if (*fn->name && !fn->system && fn->goroutines[side] && !fn->goroutines[!side])
			json_put_text(j, NULL, fn->name);
	}
	json_close_array(j);
}

static void diff_put_json(FILE *f, const struct shown *s)
{
	const struct diff *d = s->diff;
	const struct options *o = s->options;
	struct json_out j = { .f = f };
	struct next next;
	size_t i;

	json_open_object(&j, NULL);
	json_put_count(&j, "version", JSON_VERSION);
	json_trace(&j, "a", o->names[0], d, 0);
	json_trace(&j, "b", o->names[1], d, 1);
	if (s->unit.side[0])
		diff_json_unit(&j, &s->unit);
	json_open_array(&j, "changes");
	for (i = 0; i < d->changes.len; i++)
		json_change(&j, d, vec_at(&d->changes, struct diff_change, i));
	json_close_array(&j);
	json_put_count(&j, "compared", d->compared);
	json_put_real(&j, "drift", d->drift, 4);
	json_put_real(&j, "median_noise", d->noise, 4);
	json_put_count(&j, "left_out", d->crowded);
	json_only(&j, "only_a", d, 0);
	json_only(&j, "only_b", d, 1);
	diff_next(s, &next);
	next_json(&next, &j);
	json_close_object(&j);
	fputc('\n', f);
}

/* --- options --- */

static const struct option_row diff_rows[] = {
	OPTION_OUTPUT(offsetof(struct options, out)),
	OPTION(0, "json", NULL, OPTION_FLAG, offsetof(struct options, json),
	  "one JSON object on one line"),
	OPTION(0, "top", "N", OPTION_NUMBER, offsetof(struct options, top),
	  "how many differences to show of each kind (default 10)", .min = 1, .max = TOP_MAX),
	OPTION_BINARY(offsetof(struct options, binary)),
	{0},
};

static const char *diff_check(void *options, char **operands)
{
	struct options *o = options;

	o->names[0] = operands[0];
	o->names[1] = operands[1];
	return strcmp(o->names[0], "-") || strcmp(o->names[1], "-") ? NULL :
	       "- is given twice, and standard input can be read once";
}

static const struct command_line diff_line = {
	.name = "diff",
	.usage = "gotap diff A B [OPTION...]",
	.about =
		"Compares two Go execution traces of a program, of any release: first the unit of\n"
		"work that both have, its rate, its durations, and the causes whose time in it\n"
		"changed, the greatest change first; then what became\n"
		"slower or faster from A to B, by the function that goroutines began with, the\n"
		"reason and the place in the code, the most costly first. What may be noise,\n"
		"judged by how much the parts of each trace differ among themselves, is no\n"
		"difference. A or B may be - (standard input). docs/diff.md explains it.\n",
	.tables = { { diff_rows, 0 } },
	.least = 2, .most = 2, .operands = "two traces are needed, the earlier one first",
	.check = diff_check,
};

/* --- the command --- */

static int diff_open(struct trace_input *in, struct reread *file, const struct options *o,
		     struct error *err)
{
	int ret = reread_rewind(file, err);

	return ret ? ret : trace_input_open_source(in, &file->source, o->binary, err);
}

/* A damaged trace counts up to its damage. */
static int read_side(struct shown *s, int side, int *status, struct error *err)
{
	struct trace_input in;
	int ret = reread_open_tee(&s->files[side], s->options->names[side], err);

	if (!ret)
		ret = diff_open(&in, &s->files[side], s->options, err);
	if (ret)
		return ret;
	units_collect(s->units[side], s->diff->spans);
	ret = diff_read(s->diff, side, in.reader, err);
	units_collected(s->units[side]);
	if (trace_input_close(&in, s->options->names[side], ret, err))
		*status = cmd_fail(err);
	return 0;
}

/* The second reading of a trace, for the causes of its unit. The first one has shown its faults. */
static bool diff_explain_side(struct shown *s, int side)
{
	struct trace_input in;
	struct error err;
	int ret = diff_open(&in, &s->files[side], s->options, &err);

	if (ret) {
		show_printf(stderr, "gotap: %s; the unit of work is left out\n", err.text);
		return false;
	}
	ret = units_read(s->units[side], in.reader, NULL, &err);
	trace_input_close(&in, s->options->names[side], ret, &err);
	return true;
}

static void diff_compare_units(struct shown *s)
{
	if (units_choose_common(s->units[0], s->units[1]) && diff_explain_side(s, 0) &&
	    diff_explain_side(s, 1))
		unit_compare(&s->unit, units_at(s->units[0], 0), units_at(s->units[1], 0));
}

static void put_shown(FILE *f, const void *shown)
{
	const struct shown *s = shown;

	(s->options->json ? diff_put_json : diff_put_text)(f, s);
}

static int diff_read_both(struct shown *s, int *status, struct error *err)
{
	int ret = read_side(s, 0, status, err);

	if (!ret)
		ret = read_side(s, 1, status, err);
	if (ret)
		return ret;
	diff_judge(s->diff);
	diff_compare_units(s);
	return 0;
}

static void diff_shown_free(struct shown *s)
{
	int side;

	unit_compared_free(&s->unit);
	for (side = 0; side < 2; side++) {
		units_free(s->units[side]);
		reread_close(&s->files[side]);
	}
	diff_free(s->diff);
}

static int diff_run(const struct options *o)
{
	struct shown s = { .options = o, .diff = diff_new(), .units = { units_new(), units_new() },
			   .files = { REREAD_CLOSED, REREAD_CLOSED } };
	struct error err;
	int status = EXIT_OK, ret = diff_read_both(&s, &status, &err);

	if (!ret)
		ret = output_text(o->out, put_shown, &s, &err);
	diff_shown_free(&s);
	return ret ? cmd_fail(&err) : status;
}

int cmd_diff(int argc, char **argv)
{
	struct options o = { .out = "-", .top = TOP };
	int status = command_line_read(&diff_line, &o, argc, argv);

	return status ? status - 1 : diff_run(&o);
}
