// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_answers: the first byte chooses a question, the rest is any bytes as a trace: tables and findings,
 * the units of work, a prediction, a profile of each type, the trace beside itself, the critical path of a goroutine, a function, a region, a task,
 * the program. States must add up to lives, and the steps of a path to its interval.
 */
#include "fuzz.h"

#include <string.h>

#include "pprof/pprof.h"
#include "report/diff.h"
#include "report/finding.h"
#include "report/tables.h"
#include "unit/unit.h"
#include "whatif/internal.h"
#include "why/why.h"

/* --- the trace --- */

static struct trace_reader *again(const uint8_t *data, size_t size)
{
	struct error err;

	return trace_reader_open_memory(data, size, &err);
}

/* --- report --- */

static void look_at_tables(const struct tables *t)
{
	size_t i, length = 0;

	must(!t->unclosed, "states add up to lives");
	for (i = 0; i < t->functions.len; i++) {
		const struct function_row *row = vec_at(&t->functions, struct function_row, i);

		must(row->states == row->life.sum, "states of a function add up to its goroutines' lives");
		length += strlen(tables_name(t, row));
	}
	must(length || !t->functions.len, "functions have names to show");
}

static void look_at_findings(const struct vec *found)
{
	size_t i;

	for (i = 0; i < found->len; i++) {
		const struct finding *f = vec_at(found, struct finding, i);

		must(*f->kind && *f->text && f->share >= 0 && f->share <= 1 && f->seconds >= 0,
		     "a finding has a kind, a sentence and a share");
		must(f->from <= f->to, "the place of a finding ends after it begins");
	}
}

/* The second reading; each cause has a share, and all shares are the whole at most. */
static void explain(struct units *u, const uint8_t *data, size_t size)
{
	struct trace_reader *r = again(data, size);
	struct buf text = {0};
	struct error err;
	size_t i, k;

	(void)units_read(u, r, NULL, &err);
	trace_reader_close(r);
	for (i = 0; i < units_count(u); i++) {
		const struct unit *unit = units_at(u, i);
		double sum = 0;

		must(unit->n > 0 && unit->ns > 0 && unit->ncauses <= UNIT_CAUSES, "a unit has instances");
		for (k = 0; k < unit->ncauses; k++) {
			must(unit->causes[k].share >= 0 && unit->causes[k].text.len, "a cause has a share and words");
			sum += unit->causes[k].share;
		}
		must(sum < 1.001, "the shares of the causes are the whole at most");
		unit_put_sentence(unit, &text);
		unit_put_slow(unit, &text);
	}
	must(text.len || !units_count(u), "units have sentences");
	buf_free(&text);
}

static void find_units(struct trace_reader *r, const uint8_t *data, size_t size)
{
	struct spans *s = spans_new();
	struct units *u = units_new();
	struct error err;

	units_collect(u, s);
	(void)spans_read(s, r, &err);
	units_collected(u);
	if (units_choose(u, NULL))
		explain(u, data, size);
	units_free(u);
	spans_free(s);
}

/* --- whatif --- */

static void look_at_predictions(const struct whatif_answer *a)
{
	size_t i;

	must(!a->reasons.len || !a->predictions.len, "a refused trace has no predictions");
	for (i = 0; i < a->predictions.len; i++) {
		const struct whatif_prediction *p = vec_at(&a->predictions, struct whatif_prediction, i);
		const struct whatif_range *rate = &p->value[ROUNDS_RATE];

		must(p->reasons.len || (rate->low > 0 && rate->low <= rate->high), "a prediction has a range or a reason");
		must(p->seconds >= 0 && p->unsure >= 0 && p->unsure <= 1, "a change is about some time");
	}
}

/* Nearly all traces that are made of any bytes would be refused. */
static void predict_anyway(struct whatif *w)
{
	int v, q;

	whatif_reasons_free(&w->answer.reasons);
	for (v = 0; v < RERUN_VARIANTS; v++)
		for (q = 0; q < ROUNDS_QUANTITIES; q++)
			w->answer.valid[v][q] = true;
}

static void predict(struct trace_reader *r)
{
	struct spans *s = spans_new();
	struct units *u = units_new();
	struct whatif *w = whatif_new(s, u);
	struct error err;

	whatif_collect(w, NULL);
	units_collect(u, s);
	(void)spans_read(s, r, &err);
	units_collected(u);
	units_choose(u, NULL);
	whatif_base(w);
	look_at_predictions(whatif_answer(w));
	if (w->answer.unit)
		predict_anyway(w);
	whatif_guess(w, 0.5, 3);
	look_at_predictions(whatif_answer(w));
	whatif_free(w);
	units_free(u);
	spans_free(s);
}

static void report(struct trace_reader *r, bool by_label)
{
	struct tables_options options = { .top = 3, .label = by_label ? "k" : NULL };
	struct spans *s = spans_new();
	struct tables *t = tables_new(s, &options);
	struct findings *f = findings_new(s);
	struct error err;

	tables_trace(t, "x");
	(void)spans_read(s, r, &err);
	look_at_tables(t);
	look_at_findings(findings_finish(f));
	findings_free(f);
	tables_delete(t);
	spans_free(s);
}

/* --- pprof --- */

static void write_both(struct profile *profile)
{
	struct raw_sink sink;

	sink_open(&sink, -1, NULL);
	profile_write(profile, &sink);
	must(sink.buf.len > 18 && sink.buf.data[0] == 0x1f && sink.buf.data[1] == 0x8b, "a profile is gzip");
	profile_write_folded(profile, &sink);
	buf_free(&sink.buf);
}

static void make_profile(struct trace_reader *r, uint8_t which)
{
	struct pprof_options options = {
		.type = pprof_type_named(pprof_type_name(which)), .to = INT64_MAX, .at = which & 1 ? 5 : PPROF_END,
	};
	struct pprof *p = pprof_new(&options);
	struct error err;

	(void)pprof_read(p, r, "x", &err);
	pprof_finish(p);
	write_both(pprof_profile(p));
	pprof_free(p);
}

/* --- diff --- */

/* A trace and the same one again: nothing differs, and nothing overflows on the way. */
static void compare(const uint8_t *data, size_t size)
{
	struct diff *d = diff_new();
	struct trace_reader *r;
	struct error err;
	int side;

	for (side = 0; side < 2; side++) {
		r = again(data, size);
		(void)diff_read(d, side, r, &err);
		trace_reader_close(r);
	}
	diff_judge(d);
	must(!d->changes.len, "a trace does not differ from itself");
	diff_free(d);
}

/* --- why --- */

static int64_t sum_of(const struct path *path)
{
	const struct part *part = path->parts.data;
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < path->parts.len; i++)
		sum += (int64_t)part[i].ns;
	return sum;
}

static void look_at_answer(const struct why_answer *a)
{
	if (a->found)
		must(sum_of(&a->path) == a->path.to - a->path.from, "the steps of a path are all of its time");
}

/* The trace once, and once more if the question needs it. */
static bool ask(struct why *w, const uint8_t *data, size_t size)
{
	struct trace_reader *r = again(data, size);
	struct error err;
	int ret = 0;

	if (why_chooses(w)) {
		(void)why_choose(w, 0, r, &err);
		ret = why_chosen(w, &err);
		trace_reader_close(r);
		r = again(data, size);
	}
	if (!ret && why_needs(w, 0))
		(void)why_read(w, 0, r, &err);
	trace_reader_close(r);
	return !ret && !why_check(w, &err);
}

static void ask_why(uint8_t which, const uint8_t *data, size_t size)
{
	static const char *const names[] = { "main", "f", "a", "" };
	struct why_question q = {
		.of = which % 5, .name = which & 32 ? names[which >> 6] : NULL, .id = which >> 6,
		.percentile = which & 8 ? 100 : 50, .all = which & 16, .from = INT64_MIN, .to = INT64_MAX,
	};
	struct why *w;

	if ((q.of == WHY_FUNC || q.of == WHY_REGION) && !q.name)
		q.name = "main";
	if (q.of != WHY_FUNC && q.of != WHY_REGION && !(q.of == WHY_TASK && q.name))
		q.all = false;
	w = why_new(&q);
	if (ask(w, data, size))
		look_at_answer(why_answer(w));
	why_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_reader *r = size ? again(data + 1, size - 1) : NULL;
	uint8_t which = r ? data[0] : 0;

	if (!r)
		return 0;
	if (which & 4)
		ask_why((uint8_t)(which >> 3 | which << 5), data + 1, size - 1);
	else if (which & 2)
		make_profile(r, (uint8_t)((which >> 3) % 10));
	else if (which & 64 && which & 1)
		predict(r);
	else if (which & 64)
		find_units(r, data + 1, size - 1);
	else if (which & 128)
		compare(data + 1, size - 1);
	else
		report(r, which & 1);
	trace_reader_close(r);
	return 0;
}
