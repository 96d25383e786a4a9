// SPDX-License-Identifier: Apache-2.0
/*
 * judge: the base: the replay of a trace as it was, and whether a prediction from it can be right.
 * That the base is near to the trace is necessary and not sufficient: a replay in the recorded
 * order, with the recorded delays, is near by construction. docs/whatif.md has the measurements.
 */
#include "whatif/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * UNITS_LEAST: completions in the measured part. SPREAD_LEAST: the part of the trace over which
 * they lie. DONE_LEAST: completions of a replay, of those of the trace. STARVED_MOST: of the time
 * with an idle P beside a ready goroutine, beyond what a wake-up takes, the part of all time.
 * QUEUED_MOST: the part of the runs in which the threads waited for a CPU. RECORDER_MOST: the part
 * of the time that is the recorder's, at RECORDER_PRICE ns for each event, of which all can lie on
 * the path of the unit.
 */
enum { UNITS_LEAST = 30 };
#define SPREAD_LEAST 0.6
#define DONE_LEAST 0.9
#define STARVED_MOST 0.05
#define QUEUED_MOST 0.05
#define RECORDER_MOST 0.03
#define RECORDER_PRICE 200

struct whatif *whatif_new(struct spans *s, struct units *u)
{
	struct whatif *w = xcalloc(1, sizeof(*w));

	w->s = s;
	w->u = u;
	return w;
}

void whatif_collect(struct whatif *w, struct oncpu *o)
{
	w->gather = gather_new(w->s, o);
	w->no_threads = !o;
}

void whatif_forget_threads(struct whatif *w)
{
	w->no_threads = true;
}

/* --- reasons --- */

struct buf *whatif_reason(struct vec *list, const char *kind)
{
	struct whatif_reason *r = vec_push(list, sizeof(*r));

	r->kind = kind;
	return &r->text;
}

void whatif_reasons_free(struct vec *list)
{
	size_t i;

	for (i = 0; i < list->len; i++)
		buf_free(&vec_at(list, struct whatif_reason, i)->text);
	vec_free(list);
}

/* --- the unit --- */

/* Returns the index of the first unit that repeats; units_count(): there is none. */
static size_t judge_unit(const struct units *u)
{
	size_t i;

	for (i = 0; i < units_count(u); i++)
		if (units_at(u, i)->kind != UNIT_TRIGGER && units_at(u, i)->kind != UNIT_LIFE)
			break;
	return i;
}

static void judge_count(struct whatif *w)
{
	const struct whatif_answer *a = &w->answer;
	struct buf *text;

	if (a->trace.n < UNITS_LEAST) {
		text = whatif_reason(&w->answer.reasons, "few");
		buf_printf(text, "only %zu of them were completed in the middle of the trace; "
			   "%d are needed", a->trace.n, UNITS_LEAST);
	} else if (a->trace.spread < SPREAD_LEAST) {
		text = whatif_reason(&w->answer.reasons, "spread");
		buf_printf(text, "all of them were completed in %.0f %% of the trace, so that "
			   "they have no rate", 100 * a->trace.spread);
	}
}

/* --- the trace --- */

/* Facts of the trace that forbid each prediction. */
static void judge_trace(struct whatif *w)
{
	const struct programs *p = w->p;
	struct vec *reasons = &w->answer.reasons;
	double seconds = w->answer.seconds;

	if (p->gap)
		buf_printf(whatif_reason(reasons, "gaps"),
			   "%.3f s of goroutines were not recorded", (double)p->gap / 1e9);
	else if (p->notes)
		buf_printf(whatif_reason(reasons, "losses"), "the recorder notes: %s", p->note);
	if (p->procs_change)
		buf_printf(whatif_reason(reasons, "procs"), "GOMAXPROCS changed");
	if (seconds > 0 && (double)p->starved > STARVED_MOST * seconds * 1e9)
		buf_printf(whatif_reason(reasons, "starved"),
			   "for %.0f %% of the time goroutines were ready and a P was idle, for "
			   "longer than a wake-up takes (%.0f %% are allowed): the machine did "
			   "not give the program its CPUs",
			   (double)p->starved / seconds / 1e7, 100 * STARVED_MOST);
	if (!w->no_threads && (double)p->queued > QUEUED_MOST * (double)p->known)
		buf_printf(whatif_reason(reasons, "host"),
			   "for %.0f %% of the time in which goroutines ran their threads waited "
			   "for a CPU (%.0f %% are allowed)",
			   100 * (double)p->queued / (double)p->known, 100 * QUEUED_MOST);
	if ((double)p->events * RECORDER_PRICE > RECORDER_MOST * seconds * 1e9)
		buf_printf(whatif_reason(reasons, "recorder"),
			   "%.0f events a second are too many: the recorder is a part of what was "
			   "recorded", (double)p->events / seconds);
}

/* --- the base --- */

static const char *const judge_quantities[ROUNDS_QUANTITIES] = {
	[ROUNDS_RATE] = "rate", [ROUNDS_P50] = "median", [ROUNDS_P90] = "90th percentile",
	[ROUNDS_P99] = "99th percentile",
};

static bool judge_near(double trace, double base)
{
	return fabs(base / trace - 1) <= WHATIF_BASE;	/* false of NAN */
}

static void judge_rerun(struct whatif *w, enum rerun_variant variant)
{
	static const struct rerun_change none = {0};
	struct rerun_result y = rerun_run(w->p, &w->rounds, variant, &none);
	struct whatif_answer *a = &w->answer;
	bool whole = y.ended &&
		(double)y.measured.done >= DONE_LEAST * (double)a->trace.done;
	int q;

	w->steps += w->p->ops.len;
	a->base[variant] = y.measured;
	for (q = 0; q < ROUNDS_QUANTITIES; q++)
		a->valid[variant][q] = whole &&
			judge_near(a->trace.value[q], y.measured.value[q]);
}

static void judge_bases(struct whatif *w)
{
	struct whatif_answer *a = &w->answer;
	struct buf *text;
	double off;

	judge_rerun(w, RERUN_ORDER);
	judge_rerun(w, RERUN_FREE);
	if (a->valid[RERUN_ORDER][ROUNDS_RATE] || a->valid[RERUN_FREE][ROUNDS_RATE])
		return;
	text = whatif_reason(&a->reasons, "base");
	off = a->base[RERUN_ORDER].value[ROUNDS_RATE] / a->trace.value[ROUNDS_RATE] - 1;
	if (isnan(off) || (double)a->base[RERUN_ORDER].done < DONE_LEAST * (double)a->trace.done)
		buf_printf(text, "the replay of what was recorded does not come to its end: "
			   "%zu of %zu are completed", a->base[RERUN_ORDER].done, a->trace.done);
	else
		buf_printf(text, "the replay of what was recorded has a %s that is %.0f %% too "
			   "%s (%.0f %% are allowed)", judge_quantities[ROUNDS_RATE],
			   100 * fabs(off), off > 0 ? "high" : "low", 100 * WHATIF_BASE);
}

void whatif_base(struct whatif *w)
{
	struct whatif_answer *a = &w->answer;
	size_t unit = judge_unit(w->u);

	w->p = gather_finish(w->gather);
	a->seconds = (double)(w->p->until - w->p->begin) / 1e9;
	a->cut = w->p->until < w->p->end;
	a->ops = w->p->ops.len - 1;
	a->linked = w->p->linked;
	w->factors = xcalloc(w->p->classes.list.len, sizeof(*w->factors));
	if (unit == units_count(w->u)) {
		buf_printf(whatif_reason(&a->reasons, "unit"),
			   "nothing in the trace repeats that could be counted");
		return;
	}
	a->unit = units_at(w->u, unit);
	rounds_find(&w->rounds, w->p, w->u, unit);
	a->trace = rounds_measure(w->rounds.from.data, w->rounds.to.data, w->rounds.n,
				  w->p->begin, w->p->until);
	judge_count(w);
	judge_trace(w);
	if (a->trace.n)
		judge_bases(w);
}

const struct whatif_answer *whatif_answer(const struct whatif *w)
{
	return &w->answer;
}

void whatif_prediction_free(struct whatif_prediction *p)
{
	whatif_reasons_free(&p->reasons);
}

void whatif_free(struct whatif *w)
{
	size_t i;

	if (!w)
		return;
	for (i = 0; i < w->answer.predictions.len; i++)
		whatif_prediction_free(vec_at(&w->answer.predictions, struct whatif_prediction, i));
	vec_free(&w->answer.predictions);
	whatif_reasons_free(&w->answer.reasons);
	rounds_free(&w->rounds);
	gather_free(w->gather);
	free(w->factors);
	free(w);
}
