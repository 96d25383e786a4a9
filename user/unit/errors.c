// SPDX-License-Identifier: Apache-2.0
/* errors: see errors.h. */
#include "unit/errors.h"

#include <math.h>
#include <stdlib.h>

/* PARTS: of a trace; FEW: parts with a value; LEAST: instances of a part that has quantiles */
enum { ERRORS_PARTS = 10, ERRORS_FEW = 4, ERRORS_LEAST = 5 };

/* The durations of the kept instances in one part of the trace, ns. */
struct errors_part {
	double ns[UNIT_KEPT];
	size_t n;
};

static int errors_by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void errors_fill(struct errors_part *parts, const struct unit_list *list, int64_t first,
			int64_t last)
{
	double wall = (double)last - (double)first;
	size_t i, k;

	for (i = 0; i < list->kept.len && wall > 0; i++) {
		const struct instance *in = vec_at(&list->kept, struct instance, i);
		double at = ((double)in->from + (double)in->ns - (double)first) / wall;

		k = at > 0 ? (size_t)(at * ERRORS_PARTS) : 0;
		k = k < ERRORS_PARTS ? k : ERRORS_PARTS - 1;
		parts[k].ns[parts[k].n++] = (double)in->ns;
	}
	for (k = 0; k < ERRORS_PARTS; k++)
		qsort(parts[k].ns, parts[k].n, sizeof(double), errors_by_value);
}

/* Returns the standard error of the mean of @n values. */
static double errors_mean(const double *v, size_t n)
{
	double sum = 0, squares = 0, mean;
	size_t i;

	if (n < ERRORS_FEW)
		return INFINITY;
	for (i = 0; i < n; i++)
		sum += v[i];
	mean = sum / (double)n;
	for (i = 0; i < n; i++)
		squares += (v[i] - mean) * (v[i] - mean);
	return sqrt(squares / (double)(n - 1) / (double)n);
}

static double errors_quantile(const struct errors_part *parts, double q)
{
	double v[ERRORS_PARTS];
	size_t k, n = 0;

	for (k = 0; k < ERRORS_PARTS; k++)
		if (parts[k].n >= ERRORS_LEAST)
			v[n++] = parts[k].ns[(size_t)(q * (double)(parts[k].n - 1) + 0.5)];
	return errors_mean(v, n);
}

static double errors_part_mean(const struct errors_part *part)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < part->n; i++)
		sum += part->ns[i];
	return sum / (double)part->n;
}

static double errors_duration(const struct errors_part *parts)
{
	double v[ERRORS_PARTS];
	size_t k, n = 0;

	for (k = 0; k < ERRORS_PARTS; k++)
		if (parts[k].n)
			v[n++] = errors_part_mean(&parts[k]);
	return errors_mean(v, n);
}

/* The rate of a part is that of the kept instances, of which each stands for @stride. */
static double errors_rate(const struct errors_part *parts, uint64_t stride, double seconds)
{
	double v[ERRORS_PARTS];
	size_t k;

	for (k = 0; k < ERRORS_PARTS; k++)
		v[k] = (double)(parts[k].n * stride) * ERRORS_PARTS / seconds;
	return errors_mean(v, ERRORS_PARTS);
}

struct unit_errors errors_of(const struct unit_list *list, int64_t first, int64_t last)
{
	struct errors_part *parts = xcalloc(ERRORS_PARTS, sizeof(*parts));
	double seconds = ((double)last - (double)first) / 1e9;
	struct unit_errors errors;

	errors_fill(parts, list, first, last);
	errors = (struct unit_errors){
		.rate = seconds > 0 ? errors_rate(parts, list->stride, seconds) : INFINITY,
		.mean = errors_duration(parts),
		.p50 = errors_quantile(parts, 0.5),
		.p90 = errors_quantile(parts, 0.9),
		.p99 = errors_quantile(parts, 0.99),
	};
	free(parts);
	return errors;
}
