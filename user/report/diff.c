// SPDX-License-Identifier: Apache-2.0
/*
 * diff: decides which rows differ beyond the noise, and which changes follow from others. See
 * diff.h and docs/diff.md.
 */
#include "report/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * A difference must exceed ERRORS standard errors, HALVES times the difference between the halves
 * of a trace, the ratio of its kind, and COST, in seconds of goroutines per second. Two recordings
 * of one program differ by more than the parts of one recording: therefore the ratios.
 */
static const double ERRORS = 6, HALVES = 1.5, RATIO = 1.25, RATIO_CPU = 1.5, RATIO_RATE = 1.5,
		    COST = 0.001, LOAD_AGREES = 1.5, MORE_AT_ALL = 1.1,
		    LOAD_MOST = 4;
enum { STAYS_MIN = 10, PARTS_MIN = 4, DRIFT_ROWS = 12, RARE_RATIO = 5 };

/* --- estimates --- */

/*
 * A ratio of sums over the parts of a trace, with its standard error, and the difference between
 * the halves of the trace.
 */
struct estimate {
	double value, error, halves;
};

static double diff_sum(const double *v, unsigned from, unsigned to)
{
	double s = 0;

	for (; from < to; from++)
		s += v[from];
	return s;
}

static double diff_divided(double a, double b)
{
	return b > 0 ? a / b : 0;
}

/*
 * Returns the number of parts of equal weight that would have the same statistical information as
 * the parts with weights @b.
 */
static double parts_that_count(const double *b, unsigned n)
{
	double squares = 0, all = diff_sum(b, 0, n);
	unsigned i;

	for (i = 0; i < n; i++)
		squares += b[i] * b[i];
	return diff_divided(all * all, squares);
}

/*
 * Estimates the ratio of two sums, and its error from the deviations of the parts (linear
 * approximation). If the events are in only a few parts, the error is infinite: their noise is not
 * known.
 */
static struct estimate diff_estimate(const double *a, const double *b, unsigned n)
{
	struct estimate e = { .value = diff_divided(diff_sum(a, 0, n), diff_sum(b, 0, n)),
			      .error = INFINITY };
	double squares = 0, first = diff_sum(b, 0, n / 2), second = diff_sum(b, n / 2, n),
	       parts = parts_that_count(b, n);
	unsigned i;

	for (i = 0; i < n; i++)
		squares += (a[i] - e.value * b[i]) * (a[i] - e.value * b[i]);
	if (parts >= PARTS_MIN)
		e.error = diff_divided(sqrt(squares * parts / (parts - 1)), diff_sum(b, 0, n));
	if (first > 0 && second > 0)
		e.halves = fabs(diff_sum(a, 0, n / 2) / first - diff_sum(a, n / 2, n) / second);
	return e;
}

/* Returns the difference of @a and @b that chance alone may cause. */
static double noise_of(const struct estimate *a, const struct estimate *b)
{
	double halves = a->halves > b->halves ? a->halves : b->halves;
	double errors = ERRORS * hypot(a->error, b->error);

	return errors > HALVES * halves ? errors : HALVES * halves;
}

/* --- estimated values --- */

enum column { COUNT, TIME };

static unsigned diff_column(const struct diff *d, int side, const struct diff_slices *s,
			    enum column which, double v[DIFF_SLICES])
{
	struct diff_slices wide = *s;
	uint32_t shift;
	unsigned i, n = diff_parts(d, side, &shift);

	diff_widen(&wide, shift);
	for (i = 0; i < DIFF_SLICES; i++)
		v[i] = (double)(which == COUNT ? wide.n[i] : wide.ns[i]);
	return n;
}

/* Estimates the mean length of a stay, ns. */
static struct estimate diff_mean_of(const struct diff *d, int side, const struct diff_row *row)
{
	const struct diff_slices *s = &row->side[side].slices;
	double ns[DIFF_SLICES], count[DIFF_SLICES];

	diff_column(d, side, s, TIME, ns);
	return diff_estimate(ns, count, diff_column(d, side, s, COUNT, count));
}

/* Stores the length of each part in seconds. The last part ends with the trace. */
static void diff_seconds(const struct diff *d, int side, double v[DIFF_SLICES])
{
	uint32_t shift;
	unsigned i, n = diff_parts(d, side, &shift);
	double width = ldexp(1, (int)shift) / 1e9, whole = diff_time(d, side) / 1e9;

	for (i = 0; i < n; i++)
		v[i] = width;
	v[n - 1] = (double)((uint64_t)d->traces[side].last - (uint64_t)d->traces[side].first) /
			   1e9 -
		   width * (n - 1);
	for (i = 0, width = diff_sum(v, 0, n); i < n; i++)
		v[i] *= diff_divided(whole, width);
}

/*
 * Do the goroutines of a function begin and end during the trace? Counts are then divided by their
 * number.
 */
static bool is_short_lived(const struct diff_function *f)
{
	int side;

	for (side = 0; side < 2; side++)
		if (!f || f->created[side] < 20 ||
		    (double)f->created[side] < 0.8 * (double)f->goroutines[side])
			return false;
	return true;
}

/*
 * Estimates the stays per goroutine, or per second. The rate of the first trace is scaled to the
 * load of the later one.
 */
static struct estimate diff_rate_of(const struct diff *d, int side, const struct diff_row *row,
			       const struct diff_function *f)
{
	double count[DIFF_SLICES], units[DIFF_SLICES], load = f && !side ? f->load : 1;
	unsigned n = diff_column(d, side, &row->side[side].slices, COUNT, count);
	struct estimate e;

	if (is_short_lived(f)) {
		diff_column(d, side, &f->births[side], COUNT, units);
		load = 1;
	} else {
		diff_seconds(d, side, units);
	}
	e = diff_estimate(count, units, n);
	return (struct estimate){ e.value * load, e.error * load, e.halves * load };
}

/* --- functions --- */

static struct diff_function *function_of(struct diff *d, const struct diff_row *row)
{
	return row->kind <= DIFF_ASSIST ? diff_function_of(d, row->name) : NULL;
}

static bool is_countable(const struct diff_row *row)
{
	return row->kind == DIFF_WAIT || row->kind == DIFF_SYSCALL || row->kind == DIFF_ASSIST;
}

/* Goroutines of the runtime wait for work: their waits are not judged. */
static bool diff_is_idle(const struct diff_row *row)
{
	return row->kind == DIFF_WAIT && spans_is_system(row->name);
}

static bool is_judged(const struct diff_row *row)
{
	return !row->merged && !diff_is_idle(row) && row->side[0].dist.count >= STAYS_MIN &&
	       row->side[1].dist.count >= STAYS_MIN;
}

struct load {
	const struct diff_function *f;
	double ratio;
};

static int by_function(const void *a, const void *b)
{
	const struct load *x = a, *y = b;

	if (x->f != y->f)
		return x->f < y->f ? -1 : 1;
	return x->ratio < y->ratio ? -1 : x->ratio > y->ratio;
}

/*
 * Returns the load of a function with @n ratios, sorted: the lower median, if more than half of the
 * places agree with it. If they do not, nothing says how much more work there was: rates are then
 * compared per second.
 */
static double diff_load_of(const struct load *l, size_t n)
{
	double middle = l[(n - 1) / 2].ratio;
	size_t i, agree = 0;

	for (i = 0; i < n; i++)
		agree += l[i].ratio < middle * LOAD_AGREES && middle < l[i].ratio * LOAD_AGREES;
	return agree * 2 > n ? middle : 1;
}

/*
 * Sets the load of each function: the lower median of the ratios (later trace to first trace) of
 * the counts of its waits, calls and assists. If one kind of wait became more frequent, the load is
 * unchanged; if all kinds did, the load is larger.
 */
static void find_loads(struct diff *d)
{
	double time = diff_time(d, 0) / diff_time(d, 1);
	struct vec loads = {0};
	size_t i, end;

	for (i = 0; i < d->rows.len; i++) {
		const struct diff_row *row = *vec_at(&d->rows, struct diff_row *, i);

		if (is_judged(row) && is_countable(row))
			*(struct load *)vec_push(&loads, sizeof(struct load)) = (struct load){
				function_of(d, row), (double)row->side[1].dist.count /
				(double)row->side[0].dist.count * time,
			};
	}
	vec_sort(&loads, sizeof(struct load), by_function);
	for (i = 0; i < loads.len; i = end) {
		const struct load *l = vec_at(&loads, struct load, 0);

		for (end = i; end < loads.len && l[end].f == l[i].f; )
			end++;
		vec_at(&d->functions, struct diff_function,
		       l[i].f - (struct diff_function *)d->functions.data)
			->load = diff_load_of(l + i, end - i);
	}
	vec_free(&loads);
}

/* --- rows --- */

static double ratio_min(const struct diff_row *row)
{
	return row->kind == DIFF_RUNNING || row->kind == DIFF_RUNNABLE || row->kind == DIFF_STOP ?
	       RATIO_CPU : RATIO;
}

/*
 * Did at least two quantiles grow? If only a few long stays made the time of a row larger, its
 * quantiles are as before.
 */
static bool quantiles_moved(const struct diff_row *row, int later)
{
	static const double q[] = { 0.5, 0.9, 0.99 };
	unsigned i, moved = 0;

	for (i = 0; i < 3; i++)
		moved += (double)dist_quantile(&row->side[later].dist, q[i]) >
			 1.15 * (double)dist_quantile(&row->side[!later].dist, q[i]);
	return moved >= 2;
}

static void diff_push(struct diff *d, struct diff_change c)
{
	c.function = function_of(d, c.row);
	if (c.cost >= COST)
		*(struct diff_change *)vec_push(&d->changes, sizeof(c)) = c;
}

/*
 * Returns the factor by which all stays became longer. A row differs only if it exceeds this
 * factor.
 */
static double drift_of(const struct diff *d, int later)
{
	return fmax(1, later ? d->drift : 1 / d->drift);
}

/*
 * Are three quarters of the later stays longer than @ratio times nine tenths of the other stays?
 * The error of the mean then does not matter.
 */
static bool are_apart(const struct diff_row *row, int later, double ratio)
{
	return (double)dist_quantile(&row->side[later].dist, 0.25) >
	       ratio * (double)dist_quantile(&row->side[!later].dist, 0.9);
}

/* Adds a change if the stays of @later are longer than those of the other side. */
static bool diff_longer(struct diff *d, struct diff_row *row, int later)
{
	struct estimate a = diff_mean_of(d, !later, row), b = diff_mean_of(d, later, row);
	double noise = noise_of(&a, &b), drift = drift_of(d, later), ratio = drift * ratio_min(row);
	const struct dist *dist = &row->side[later].dist;
	bool apart = are_apart(row, later, ratio);

	if (b.value < a.value * ratio || !quantiles_moved(row, later))
		return false;
	if (!apart && b.value - a.value * drift <= noise)
		return false;
	diff_push(
		d,
		(struct diff_change){
			.row = row,
			.slower = later == 1,
			.way = DIFF_LONGER,
			.ratio = diff_divided(b.value, a.value),
			.noise = apart ? ratio : fmax(ratio, drift + diff_divided(noise, a.value)),
			.cost = (b.value - a.value) * (double)dist->count / diff_time(d, later),
		});
	return true;
}

/*
 * Returns how many times as often the stays of a row come, from @a to @b, which are rates at equal
 * load. A load that has changed beyond LOAD_MOST is none that the rates can be compared at: a fixed
 * program that does one thing 269 times less often did not do the others 269 times as often. Then
 * the ratio is that per second; and what does not come more often per second has no ratio (0).
 * Short-lived goroutines count by their own number alone.
 */
static double diff_often_ratio(const struct diff *d, const struct diff_row *row,
			       const struct diff_function *f, int later, double a, double b)
{
	double at_load = diff_divided(b, a);
	double before = (double)row->side[!later].dist.count / diff_time(d, !later);
	double after = (double)row->side[later].dist.count / diff_time(d, later);

	double raw = diff_divided(after, before);

	if (is_short_lived(f))
		return at_load;
	if (raw <= MORE_AT_ALL)
		return 0;
	return at_load > raw * LOAD_MOST ? raw : at_load;
}

static void diff_oftener(struct diff *d, struct diff_row *row, int later)
{
	const struct diff_function *f = function_of(d, row);
	struct estimate a = diff_rate_of(d, !later, row, f), b = diff_rate_of(d, later, row, f);
	double noise = noise_of(&a, &b), least = is_short_lived(f) ? RATIO : RATIO_RATE;
	double ratio = diff_often_ratio(d, row, f, later, a.value, b.value);
	const struct dist *dist = &row->side[later].dist;

	if (b.value - a.value <= noise || ratio < least)
		return;
	diff_push(d, (struct diff_change){
			     .row = row,
			     .slower = later == 1,
			     .way = DIFF_OFTEN,
			     .ratio = ratio,
			     .noise = fmin(ratio, 1 + diff_divided(noise, a.value)),
			     .cost = (1 - 1 / ratio) * (double)dist->sum / diff_time(d, later),
		     });
}

/* Are there enough stays on @side, in at least half of its parts? */
static bool is_all_the_time(const struct diff *d, const struct diff_row *row, int side)
{
	double count[DIFF_SLICES];
	unsigned i, parts = 0, n = diff_column(d, side, &row->side[side].slices, COUNT, count);

	for (i = 0; i < n; i++)
		parts += count[i] > 0;
	return row->side[side].dist.count >= STAYS_MIN && parts * 2 >= n;
}

/*
 * Adds a change for stays that one side has all the time, and the other side, which has such
 * goroutines, never.
 */
static void only_later(struct diff *d, struct diff_row *row, int later)
{
	const struct diff_function *f = function_of(d, row);

	if (row->side[!later].dist.count || !f || !f->goroutines[!later] || !is_countable(row) ||
	    row->merged || diff_is_idle(row) || !is_all_the_time(d, row, later))
		return;
	diff_push(d, (struct diff_change){
		.row = row, .slower = later == 1, .way = DIFF_NEW,
		.cost = (double)row->side[later].dist.sum / diff_time(d, later),
	});
}

/*
 * Adds a change for stays that one side has all the time, and the other side too rarely to estimate
 * the noise from its parts. The count of the other side is replaced by the largest one that chance
 * would allow: three standard deviations more.
 */
static void rare_before(struct diff *d, struct diff_row *row, int later)
{
	const struct diff_function *f = function_of(d, row);
	double n = (double)row->side[!later].dist.count, most = n + 3 * sqrt(n) + 3, ratio;

	if (!n || n >= STAYS_MIN || !f || !is_countable(row) || row->merged || diff_is_idle(row) ||
	    !is_all_the_time(d, row, later))
		return;
	ratio = diff_often_ratio(d, row, f, later, diff_rate_of(d, !later, row, f).value,
				 diff_rate_of(d, later, row, f).value);
	if (ratio < most / n * RARE_RATIO)
		return;
	diff_push(d, (struct diff_change){
			     .row = row,
			     .slower = later == 1,
			     .way = DIFF_OFTEN,
			     .ratio = ratio,
			     .noise = most / n,
			     .cost = (1 - 1 / ratio) * (double)row->side[later].dist.sum /
				     diff_time(d, later),
		     });
}

/* Do both traces have enough parts to estimate the noise of the row? */
static bool has_noise(const struct diff *d, const struct diff_row *row)
{
	struct estimate a = diff_mean_of(d, 0, row), b = diff_mean_of(d, 1, row);

	return isfinite(noise_of(&a, &b));
}

static void judge_row(struct diff *d, struct diff_row *row)
{
	int later;

	for (later = 0; later < 2; later++) {
		only_later(d, row, later);
		rare_before(d, row, later);
	}
	if (!is_judged(row) || !has_noise(d, row))
		return;
	d->compared++;
	if (!diff_longer(d, row, 1) && !diff_longer(d, row, 0) && is_countable(row)) {
		diff_oftener(d, row, 1);
		diff_oftener(d, row, 0);
	}
}

static int diff_by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Returns @what of all rows with enough stays, sorted. The caller frees the vec. */
static struct vec diff_sorted(const struct diff *d,
			      double (*what)(const struct diff *d, const struct diff_row *row))
{
	struct vec all = {0};
	size_t i;

	for (i = 0; i < d->rows.len; i++) {
		const struct diff_row *row = *vec_at(&d->rows, struct diff_row *, i);

		if (is_judged(row) && has_noise(d, row))
			*(double *)vec_push(&all, sizeof(double)) = what(d, row);
	}
	vec_sort(&all, sizeof(double), diff_by_value);
	return all;
}

static double ratio_of(const struct diff *d, const struct diff_row *row)
{
	struct estimate a = diff_mean_of(d, 0, row), b = diff_mean_of(d, 1, row);

	return a.value > 0 && b.value > 0 ? b.value / a.value : 1;
}

/* Returns the smallest ratio that would count as a difference of the row. */
static double noise_ratio(const struct diff *d, const struct diff_row *row)
{
	struct estimate a = diff_mean_of(d, 0, row), b = diff_mean_of(d, 1, row);

	return fmax(drift_of(d, 1) * ratio_min(row),
		    drift_of(d, 1) + diff_divided(noise_of(&a, &b), a.value));
}

/*
 * Returns the factor by which at least two thirds of the rows became longer, or shorter; 1 if there
 * are few rows.
 */
static double find_drift(const struct diff *d)
{
	struct vec ratios = diff_sorted(d, ratio_of);
	double low, high, drift = 1;

	if (ratios.len >= DRIFT_ROWS) {
		low = *vec_at(&ratios, double, ratios.len / 3);
		high = *vec_at(&ratios, double, ratios.len - 1 - ratios.len / 3);
		drift = low > 1 ? low : high < 1 ? high : 1;
	}
	vec_free(&ratios);
	return drift;
}

static double find_noise(const struct diff *d)
{
	struct vec ratios = diff_sorted(d, noise_ratio);
	double noise = ratios.len ? *vec_at(&ratios, double, ratios.len / 2) : 0;

	vec_free(&ratios);
	return noise;
}

/* Do both traces have enough parts to estimate their noise? */
static bool is_long_enough(const struct diff *d)
{
	uint32_t shift;

	return diff_parts(d, 0, &shift) >= PARTS_MIN && diff_parts(d, 1, &shift) >= PARTS_MIN;
}

void diff_judge(struct diff *d)
{
	size_t i;

	/* adds all functions now: pointers into d->functions are valid from here on */
	for (i = 0; i < d->rows.len; i++)
		function_of(d, *vec_at(&d->rows, struct diff_row *, i));
	diff_merge_rows(d);
	find_loads(d);
	d->drift = find_drift(d);
	for (i = 0; i < d->rows.len && is_long_enough(d); i++)
		judge_row(d, *vec_at(&d->rows, struct diff_row *, i));
	d->noise = find_noise(d);
	diff_rank(d);
}

double diff_often(const struct diff *d, const struct diff_change *c, int side, const char **unit)
{
	double n = (double)c->row->side[side].dist.count;

	*unit = is_short_lived(c->function) ? "goroutine" : "second";
	if (is_short_lived(c->function))
		return n / (double)c->function->created[side];
	return n / (diff_time(d, side) / 1e9);
}
