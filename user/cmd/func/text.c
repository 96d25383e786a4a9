// SPDX-License-Identifier: Apache-2.0
/* text: the answer of `gotap func` for people. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/show.h"
#include "base/units.h"
#include "cmd/composition.h"
#include "cmd/func/func.h"

enum { BAR = 40 };

const struct unit *func_unit(const struct func_shown *a, const struct call_function *f)
{
	size_t i;

	for (i = 0; i < units_count(a->units); i++) {
		const struct unit *u = units_at(a->units, i);

		if (u->kind == UNIT_REGION && !strcmp(u->name, f->name))
			return u;
	}
	return NULL;
}

double func_seconds(const struct func_shown *a)
{
	return (double)(called_end(a->calls) - called_begin(a->calls)) / 1e9;
}

/* --- numbers --- */

static void func_put_bar(FILE *f, uint64_t n, uint64_t most)
{
	uint64_t i, len = most ? (n * BAR + most - 1) / most : 0;

	for (i = 0; i < len; i++)
		fputc('#', f);
}

static void func_put_bucket(FILE *f, unsigned int octave, uint64_t n, uint64_t most)
{
	int64_t from = octave ? (int64_t)(1ULL << octave) : 0;
	int64_t to = octave < 62 ? (int64_t)(2ULL << octave) : INT64_MAX;

	fprintf(f, "%11s .. ", unit_time(from).text);
	fprintf(f, "%-9s %12s  ", unit_time(to).text, unit_count(n).text);
	func_put_bar(f, n, most);
	fputc('\n', f);
}

static void func_put_histogram(FILE *f, const struct dist *d)
{
	uint64_t counts[CALLS_OCTAVES], most = 0;
	unsigned int i, first = CALLS_OCTAVES, last = 0;

	calls_octaves(d, counts);
	for (i = 0; i < CALLS_OCTAVES; i++) {
		if (!counts[i])
			continue;
		first = first < i ? first : i;
		last = i;
		most = counts[i] > most ? counts[i] : most;
	}
	for (i = first; i <= last && i < CALLS_OCTAVES; i++)
		func_put_bucket(f, i, counts[i], most);
}

void func_put_dist(FILE *f, const struct dist *d, uint64_t left, double seconds)
{
	fprintf(f, "  %s calls in %.3g s, %.4g a second", unit_count(d->count).text, seconds,
		seconds > 0 ? (double)d->count / seconds : 0);
	if (left)
		fprintf(f, "; %s more were left without a return (a panic, runtime.Goexit)",
			unit_count(left).text);
	fputc('\n', f);
	if (!d->count)
		return;
	fprintf(f, "  P50 %s, ", unit_time(dist_quantile(d, 0.5)).text);
	fprintf(f, "P90 %s, ", unit_time(dist_quantile(d, 0.9)).text);
	fprintf(f, "P99 %s, ", unit_time(dist_quantile(d, 0.99)).text);
	fprintf(f, "max %s\n", unit_time(d->max).text);
	func_put_histogram(f, d);
}

/* --- functions, and what is next --- */

static void func_put_function(FILE *f, const struct func_shown *a, const struct call_function *fn)
{
	const struct unit *u = func_unit(a, fn);

	fputc('\n', f);
	show_printf(f, "%s\n", fn->name);
	func_put_dist(f, &fn->dist, fn->left, func_seconds(a));
	if (fn->open)
		fprintf(f, "  %s calls had not returned when the goroutine or the trace ended\n",
			unit_count(fn->open).text);
	if (!u)
		return;
	fputc('\n', f);
	composition_put(u, f);
}

static void func_put_slowest(FILE *f, const struct func_shown *a)
{
	size_t i, n = called_nslowest(a->calls);

	if (n)
		fprintf(f, "\nTHE SLOWEST     BEGIN   GOROUTINE  FUNCTION\n");
	for (i = 0; i < n; i++) {
		const struct call_span *c = called_slowest(a->calls, i);

		fprintf(f, "%11s %9s %11" PRIu64 "  ", unit_time(c->ns).text,
			unit_time(c->from - called_begin(a->calls)).text, c->g);
		show_printf(f, "%s\n", c->name);
	}
}

/* The commands that look deeper: they need a trace that is kept. */
static void func_put_next(FILE *f, const struct func_shown *a)
{
	_cleanup_free_ char *word = show_file_word(a->trace ? a->trace : "FILE");
	const char *name = called_at(a->calls, 0)->name;

	fprintf(f, a->trace ? "\nNEXT\n  the slowest one, step by step, and all slow ones beside "
			      "the others:\n" :
			      "\nNEXT\n  -o FILE keeps the trace; then\n");
	show_printf(f, "      gotap why %s --region '%s'\n", word, name);
	show_printf(f, "      gotap why %s --region '%s' --all\n", word, name);
}

void func_text(FILE *f, const struct func_shown *a)
{
	const char *lost = a->origin.facts[ORIGIN_LOST];
	size_t i;

	if (lost && strcmp(lost, "0"))
		show_printf(f, "Recording: lost %s\n", lost);
	if (a->ngone > 1)
		fprintf(f, "Recording: %zu functions lost their probes, the last one:\n", a->ngone);
	if (a->gone[0])
		show_printf(f, "Recording: %s; --budget allows more\n", a->gone);
	for (i = 0; i < called_count(a->calls); i++)
		func_put_function(f, a, called_at(a->calls, i));
	func_put_slowest(f, a);
	if (called_nslowest(a->calls) && (!a->trace || strcmp(a->trace, "-")))
		func_put_next(f, a);
}
