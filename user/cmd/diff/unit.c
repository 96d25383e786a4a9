// SPDX-License-Identifier: Apache-2.0
/* unit: the unit of work of two traces in words and in JSON. See diff.h. */
#include "cmd/diff/diff.h"

#include <math.h>

#include "base/show.h"
#include "base/units.h"

/* --- text --- */

static void diff_unit_put_rate(FILE *f, const struct unit_pair *p)
{
	int k;

	fprintf(f, "  %-5s", "rate");
	for (k = 0; k < 2; k++) {
		fprintf(f, "%s%.3g", k ? " -> " : " ", p->value[k]);
		if (isfinite(p->error[k]))
			fprintf(f, " +- %.2g", 2 * p->error[k]);
	}
	fprintf(f, " a second");
}

static void diff_unit_put_time(FILE *f, const char *name, const struct unit_pair *p)
{
	int k;

	fprintf(f, "  %-5s", name);
	for (k = 0; k < 2; k++) {
		fprintf(f, "%s%s", k ? " -> " : " ", unit_time((int64_t)p->value[k]).text);
		if (isfinite(p->error[k]))
			fprintf(f, " +- %s", unit_time((int64_t)(2 * p->error[k])).text);
	}
}

/* Ends the line of a number with the ratio of B to A, or with the reason why there is none. */
static void diff_unit_end(FILE *f, const struct unit_pair *p)
{
	if (!isfinite(p->error[0]) || !isfinite(p->error[1]))
		fprintf(f, ": the bounds are not known\n");
	else if (!unit_pair_differs(p))
		fprintf(f, ": no difference\n");
	else if (p->value[0] > 0)
		fprintf(f, ": %.3g times\n", p->value[1] / p->value[0]);
	else
		fprintf(f, "\n");
}

static void diff_unit_put_change(FILE *f, const struct unit_change *c)
{
	double difference = c->ns[1] - c->ns[0];
	struct buf text = {0};

	buf_printf(&text, "  %c%s an instance (%s", difference < 0 ? '-' : '+',
		   unit_time((int64_t)fabs(difference)).text, unit_time((int64_t)c->ns[0]).text);
	buf_printf(&text, " -> %s) ", unit_time((int64_t)c->ns[1]).text);
	buf_add(&text, c->cause->text.data, c->cause->text.len);
	buf_add_byte(&text, 0);
	show_printf(f, "%s\n", (char *)text.data);
	buf_free(&text);
}

void diff_put_unit(FILE *f, const struct unit_compared *c, size_t top)
{
	struct buf name = {0};
	size_t i;

	unit_put_name(c->side[1], &name);
	buf_add_byte(&name, 0);
	fputc('\n', f);
	show_printf(f, "UNIT OF WORK: %s; +- are two standard errors, from ten parts of each "
		    "trace\n", (char *)name.data);
	buf_free(&name);
	diff_unit_put_rate(f, &c->rate);
	diff_unit_end(f, &c->rate);
	diff_unit_put_time(f, "p50", &c->p50);
	diff_unit_end(f, &c->p50);
	diff_unit_put_time(f, "p90", &c->p90);
	diff_unit_end(f, &c->p90);
	diff_unit_put_time(f, "p99", &c->p99);
	diff_unit_end(f, &c->p99);
	diff_unit_put_time(f, "mean", &c->mean);
	diff_unit_end(f, &c->mean);
	for (i = 0; i < c->changes.len && i < top; i++)
		diff_unit_put_change(f, vec_at(&c->changes, struct unit_change, i));
}

/* --- JSON --- */

static void diff_unit_json_pair(struct json_out *j, const char *name, const double v[2])
{
	int k;

	json_open_array(j, name);
	for (k = 0; k < 2; k++)
		json_put_real(j, NULL, v[k], 3);
	json_close_array(j);
}

static void diff_unit_json_number(struct json_out *j, const char *name, const struct unit_pair *p)
{
	json_open_object(j, name);
	diff_unit_json_pair(j, "values", p->value);
	if (isfinite(p->error[0]) && isfinite(p->error[1]))
		diff_unit_json_pair(j, "errors", p->error);
	json_put_bool(j, "differs", unit_pair_differs(p));
	json_close_object(j);
}

static void diff_unit_json_change(struct json_out *j, const struct unit_change *c)
{
	struct buf text = {0};

	buf_add(&text, c->cause->text.data, c->cause->text.len);
	buf_add_byte(&text, 0);
	json_open_object(j, NULL);
	json_put_text(j, "text", (char *)text.data);
	json_put_text(j, "function", c->cause->function);
	json_put_text(j, "file", c->cause->file);
	json_put_count(j, "line", c->cause->line);
	diff_unit_json_pair(j, "ns", c->ns);
	json_close_object(j);
	buf_free(&text);
}

void diff_json_unit(struct json_out *j, const struct unit_compared *c)
{
	size_t i;

	json_open_object(j, "unit");
	json_put_text(j, "name", c->side[1]->name);
	json_put_text(j, "kind", unit_kind_name(c->side[1]->kind));
	diff_unit_json_number(j, "per_second", &c->rate);
	diff_unit_json_number(j, "p50_ns", &c->p50);
	diff_unit_json_number(j, "p90_ns", &c->p90);
	diff_unit_json_number(j, "p99_ns", &c->p99);
	diff_unit_json_number(j, "mean_ns", &c->mean);
	json_open_array(j, "causes");
	for (i = 0; i < c->changes.len; i++)
		diff_unit_json_change(j, vec_at(&c->changes, struct unit_change, i));
	json_close_array(j);
	json_close_object(j);
}
