// SPDX-License-Identifier: Apache-2.0
/* outgoing: what the program asks others for, in the answer of `gotap requests`. */
#include "cmd/requests/requests.h"

#include "base/show.h"
#include "base/units.h"
#include "cmd/requests/table.h"

enum { OUTGOING_SHOWN = 20 };	/* rows; the JSON has all */

/* --- for people --- */

static void calls_text_row(FILE *f, const struct requests_shown *a, const struct call_row *r,
			   int64_t all)
{
	double seconds = routes_seconds(a->routes);
	const struct dist *d = &r->dist;

	fprintf(f, "%8s %7s ", unit_count(d->count).text, unit_count(r->errors).text);
	fprintf(f, "%8.4g ", seconds > 0 ? (double)d->count / seconds : 0);
	fprintf(f, "%9s %9s ", unit_time(dist_quantile(d, 0.5)).text,
		unit_time(dist_quantile(d, 0.9)).text);
	fprintf(f, "%9s %9s ", unit_time(dist_quantile(d, 0.99)).text, unit_time(d->max).text);
	fprintf(f, "%7s  %s ", unit_share((double)d->sum, (double)all).text,
		call_kind_name(r->kind));
	show_printf(f, "%s\n", r->name);
}

/* The line below, of what the row has beside its durations. */
static void calls_text_parts(FILE *f, const struct call_row *r)
{
	const char *sep = "         ";
	double sum = (double)r->dist.sum;

	if (!r->conn_wait && !r->first_byte && !r->after.count)
		return;
	if (r->conn_wait) {
		fprintf(f, "%sconnection %s", sep, unit_share((double)r->conn_wait, sum).text);
		if (r->dials)
			fprintf(f, " (%s new: %s each)", unit_count(r->dials).text,
				unit_time(r->dial / (int64_t)r->dials).text);
		sep = "; ";
	}
	if (r->first_byte) {
		fprintf(f, "%sto the first byte %s", sep,
			unit_share((double)r->first_byte, sum).text);
		sep = "; ";
	}
	if (r->after.count)
		fprintf(f, "%sthen %s of %s, p50 %s", sep, r->kind == CALL_HTTP ? "the body" :
			"the rows", unit_count(r->after.count).text,
			unit_time(dist_quantile(&r->after, 0.5)).text);
	fputc('\n', f);
}

void requests_text_calls(FILE *f, const struct requests_shown *a)
{
	int64_t all = 0;
	size_t i;

	for (i = 0; i < outgoing_count(a->calls); i++)
		all += outgoing_at(a->calls, i)->dist.sum;
	if (!outgoing_count(a->calls))
		return;
	fprintf(f, "\nWHAT THE PROGRAM ASKS OTHERS FOR\n"
		   "   COUNT  FAILED        /s       P50       P90       P99       MAX    TIME  "
		   "CALL\n");
	for (i = 0; i < outgoing_count(a->calls) && i < OUTGOING_SHOWN; i++) {
		calls_text_row(f, a, outgoing_at(a->calls, i), all);
		calls_text_parts(f, outgoing_at(a->calls, i));
	}
	if (i < outgoing_count(a->calls))
		fprintf(f, "         and %s more: --json has all\n",
			unit_count(outgoing_count(a->calls) - i).text);
	if (outgoing_left_out(a->calls))
		fprintf(f, "         %s calls are not in it, or not in those of routes: too many "
			"were open\n", unit_count(outgoing_left_out(a->calls)).text);
}

void requests_text_shares(FILE *f, const struct requests_shown *a, const struct route *r)
{
	const struct call_shares *s = outgoing_of_route(a->calls, r->name);
	const char *sep = "  ";
	int i;

	for (i = 0; s && i < CALL_KINDS; i++) {
		if (!s->ns[i])
			continue;
		fprintf(f, "%s%s %s", *sep == ' ' ? "      calls: " : sep, call_kind_name(i),
			unit_share((double)s->ns[i], (double)r->dist.sum).text);
		sep = ", ";
	}
	if (*sep == ',')
		fprintf(f, " of the time of %s\n", unit_count(r->dist.count).text);
}

/* --- JSON --- */

static void calls_json_row(struct json_out *j, const struct requests_shown *a,
			   const struct call_row *r)
{
	double seconds = routes_seconds(a->routes);

	json_open_object(j, NULL);
	json_put_text(j, "kind", call_kind_name(r->kind));
	json_put_text(j, "name", r->name);
	json_put_count(j, "count", r->dist.count);
	json_put_count(j, "failed", r->errors);
	json_put_real(j, "per_second", seconds > 0 ? (double)r->dist.count / seconds : 0, 4);
	json_put_number(j, "sum_ns", r->dist.sum);
	json_put_number(j, "p50_ns", dist_quantile(&r->dist, 0.5));
	json_put_number(j, "p90_ns", dist_quantile(&r->dist, 0.9));
	json_put_number(j, "p99_ns", dist_quantile(&r->dist, 0.99));
	json_put_number(j, "max_ns", r->dist.max);
	json_put_number(j, "connection_ns", r->conn_wait);
	json_put_count(j, "dials", r->dials);
	json_put_number(j, "dial_ns", r->dial);
	json_put_number(j, "tls_ns", r->tls);
	json_put_number(j, "first_byte_ns", r->first_byte);
	json_put_count(j, "after_count", r->after.count);
	json_put_number(j, "after_ns", r->after.sum);
	json_close_object(j);
}

void requests_json_calls(struct json_out *j, const struct requests_shown *a)
{
	size_t i;

	json_open_array(j, "calls");
	for (i = 0; i < outgoing_count(a->calls); i++)
		calls_json_row(j, a, outgoing_at(a->calls, i));
	json_close_array(j);
}

void requests_json_shares(struct json_out *j, const struct requests_shown *a,
			  const struct route *r)
{
	const struct call_shares *s = outgoing_of_route(a->calls, r->name);
	int i;

	json_open_object(j, "calls_ns");
	for (i = 0; i < CALL_KINDS; i++)
		json_put_number(j, call_kind_name(i), s ? s->ns[i] : 0);
	json_close_object(j);
}
