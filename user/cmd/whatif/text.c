// SPDX-License-Identifier: Apache-2.0
/* text: the answer of `gotap whatif` for people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "base/units.h"
#include "cmd/whatif/whatif.h"

/* A ratio within this part of 1 is no change. */
#define SAME 0.02

/* --- the unit, and the base --- */

static void text_head(FILE *f, const struct whatif_answer *a, const char *trace)
{
	struct buf name = {0};

	show_printf(f, "gotap whatif is experimental. %s: %.3f s", trace, a->seconds);
	if (a->cut)
		fprintf(f, " of it (the trace is longer)");
	fprintf(f, "\n");
	if (!a->unit)
		return;
	unit_put_name(a->unit, &name);
	buf_add_byte(&name, 0);
	fputc('\n', f);
	show_printf(f, "Unit: %s, %zu of them", (char *)name.data, a->trace.done);
	if (!isnan(a->trace.value[ROUNDS_RATE]))
		fprintf(f, ", %.4g a second", a->trace.value[ROUNDS_RATE]);
	if (!isnan(a->trace.value[ROUNDS_P50]))
		fprintf(f, ", median %s", unit_time((int64_t)a->trace.value[ROUNDS_P50]).text);
	fprintf(f, ".\n");
	buf_free(&name);
}

static void text_base(FILE *f, const struct whatif_answer *a)
{
	static const char *const names[RERUN_VARIANTS] = {
		"in the recorded order", "with channels that hold enough",
	};
	bool any = false;
	int v;

	for (v = 0; v < RERUN_VARIANTS; v++) {
		double off = a->base[v].value[ROUNDS_RATE] / a->trace.value[ROUNDS_RATE] - 1;

		if (!a->valid[v][ROUNDS_RATE])
			continue;
		fprintf(f, "%s%.1f %% off %s", any ? ", " : "The replay is ", 100 * off, names[v]);
		any = true;
	}
	if (any)
		fprintf(f, ": predictions are possible.\n");
}

static void text_reasons(FILE *f, const struct vec *reasons, const char *indent)
{
	size_t i;

	for (i = 0; i < reasons->len; i++) {
		const struct whatif_reason *r = vec_at(reasons, struct whatif_reason, i);

		show_printf(f, "%s- %.*s\n", indent, (int)r->text.len, (char *)r->text.data);
	}
}

/* --- predictions --- */

static void text_change(FILE *f, const struct whatif_prediction *p)
{
	static const char *const nouns[WHATIF_KINDS] = {
		[WHATIF_FUNCTION] = "running time of", [WHATIF_SLEEP] = "sleeps in",
		[WHATIF_LOCK] = "time of the lock's holder",
		[WHATIF_NETWORK] = "waits for the network in",
		[WHATIF_SYSCALL] = "system calls of",
	};
	const char *base = p->file ? strrchr(p->file, '/') : NULL;

	if (p->change.kind == WHATIF_GC) {
		fprintf(f, "Without the garbage collector");
		return;
	}
	show_printf(f, "If the %s %s", nouns[p->change.kind], p->change.name);
	if (p->file && *p->file)
		show_printf(f, " (%s:%llu)", base ? base + 1 : p->file,
			    (unsigned long long)p->line);
	fprintf(f, " took %.4g %% less time", 100 * p->change.by);
}

static bool text_is_same(const struct whatif_range *r)
{
	return fabs(r->low - 1) <= SAME && fabs(r->high - 1) <= SAME;
}

/* "1.90" or "1.44 to 1.97" */
static void text_ratio(FILE *f, const struct whatif_range *r)
{
	if (r->high / r->low < 1.02)
		fprintf(f, "%.2f", sqrt(r->low * r->high));
	else
		fprintf(f, "%.2f to %.2f", r->low, r->high);
}

static void text_rate(FILE *f, const struct whatif_prediction *p)
{
	const struct whatif_range *r = &p->value[ROUNDS_RATE];

	if (text_is_same(r)) {
		fprintf(f, ": as many a second as now");
		return;
	}
	fprintf(f, ": %s", p->at_least ? "at least " : "");
	text_ratio(f, r);
	fprintf(f, " times as many a second");
}

static void text_times(FILE *f, const struct whatif_answer *a, const struct whatif_prediction *p)
{
	static const char *const names[ROUNDS_QUANTITIES] = {
		[ROUNDS_P50] = "median", [ROUNDS_P90] = "p90", [ROUNDS_P99] = "p99",
	};
	int q;

	for (q = ROUNDS_P50; q < ROUNDS_QUANTITIES; q++) {
		const struct whatif_range *r = &p->value[q];

		if (isnan(r->low))
			continue;
		fprintf(f, "; %s ", names[q]);
		text_ratio(f, r);
		fprintf(f, " times (%s)",
			unit_time((int64_t)(a->trace.value[q] * sqrt(r->low * r->high))).text);
	}
}

/* The two replays, where they differ: what the trace does not say. */
static void text_variants(FILE *f, const struct whatif_prediction *p)
{
	double order = p->rates[RERUN_ORDER], free_rate = p->rates[RERUN_FREE];

	if (isnan(order) || isnan(free_rate) || fabs(free_rate / order - 1) < WHATIF_AGREE - 1)
		return;
	fprintf(f, "\n     (%.2f if its channels hold nothing, %.2f if they hold enough: the trace "
		"does not say which)", order, free_rate);
}

static void text_prediction(FILE *f, const struct whatif_answer *a,
			    const struct whatif_prediction *p, size_t number)
{
	fprintf(f, "%3zu. ", number);
	text_change(f, p);
	if (p->reasons.len) {
		fprintf(f, ": not predicted:\n");
		text_reasons(f, &p->reasons, "     ");
		return;
	}
	text_rate(f, p);
	text_times(f, a, p);
	text_variants(f, p);
	fprintf(f, ".\n");
}

void whatif_text(FILE *f, const struct whatif_answer *a, const char *trace)
{
	size_t i;

	text_head(f, a, trace);
	if (a->reasons.len) {
		fprintf(f, "\nNothing is predicted:\n");
		text_reasons(f, &a->reasons, "  ");
		return;
	}
	text_base(f, a);
	fprintf(f, "\n");
	for (i = 0; i < a->predictions.len; i++)
		text_prediction(f, a, vec_at(&a->predictions, struct whatif_prediction, i), i + 1);
	if (!a->predictions.len)
		fprintf(f, "No change of what takes most time would change the unit by 2 %%.\n");
	else
		fprintf(f, "\nTimes as many: for the same work by the same clients, without what "
			"the trace does not show (docs/whatif.md).\n");
}
