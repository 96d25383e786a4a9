// SPDX-License-Identifier: Apache-2.0
/* json: the answer of `gotap whatif` for programs (docs/whatif.md). */
#include <math.h>

#include "base/json_out.h"
#include "cmd/whatif/whatif.h"

enum { JSON_VERSION = 1 };

static const char *const whatif_json_names[ROUNDS_QUANTITIES] = {
	[ROUNDS_RATE] = "per_second", [ROUNDS_P50] = "p50_ns", [ROUNDS_P90] = "p90_ns",
	[ROUNDS_P99] = "p99_ns",
};

static const char *const whatif_json_variants[RERUN_VARIANTS] = {
	[RERUN_ORDER] = "order", [RERUN_FREE] = "free",
};

static void whatif_json_real(struct json_out *j, const char *name, double value, int digits)
{
	if (isfinite(value))
		json_put_real(j, name, value, digits);
	else
		json_put_text(j, name, NULL);
}

static void whatif_json_measured(struct json_out *j, const char *name, const struct measured *m)
{
	int q;

	json_open_object(j, name);
	json_put_count(j, "count", m->done);
	for (q = 0; q < ROUNDS_QUANTITIES; q++)
		whatif_json_real(j, whatif_json_names[q], m->value[q], q == ROUNDS_RATE ? 4 : 0);
	json_close_object(j);
}

static void whatif_json_base(struct json_out *j, const struct whatif_answer *a)
{
	int v, q;

	json_open_object(j, "replayed");
	for (v = 0; v < RERUN_VARIANTS; v++) {
		json_open_object(j, whatif_json_variants[v]);
		for (q = 0; q < ROUNDS_QUANTITIES; q++) {
			json_open_object(j, whatif_json_names[q]);
			whatif_json_real(j, "value", a->base[v].value[q], 4);
			whatif_json_real(j, "error",
					 a->base[v].value[q] / a->trace.value[q] - 1, 4);
			json_put_bool(j, "valid", a->valid[v][q]);
			json_close_object(j);
		}
		json_close_object(j);
	}
	json_close_object(j);
}

static void whatif_json_reasons(struct json_out *j, const struct vec *reasons)
{
	size_t i;

	json_open_array(j, "refused");
	for (i = 0; i < reasons->len; i++) {
		struct whatif_reason *r = vec_at(reasons, struct whatif_reason, i);

		buf_add_byte(&r->text, 0);
		json_open_object(j, NULL);
		json_put_text(j, "reason", r->kind);
		json_put_text(j, "text", (char *)r->text.data);
		json_close_object(j);
		r->text.len--;
	}
	json_close_array(j);
}

static void whatif_json_range(struct json_out *j, const char *name, const struct whatif_range *r)
{
	if (!isfinite(r->low) || !isfinite(r->high)) {
		json_put_text(j, name, NULL);
		return;
	}
	json_open_object(j, name);
	json_put_real(j, "ratio_low", r->low, 4);
	json_put_real(j, "ratio_high", r->high, 4);
	json_close_object(j);
}

static void whatif_json_prediction(struct json_out *j, const struct whatif_prediction *p)
{
	int i;

	json_open_object(j, NULL);
	json_put_text(j, "change", whatif_kind_name(p->change.kind));
	json_put_text(j, "name", p->change.name);
	json_put_real(j, "shorter", p->change.by, 4);
	json_put_text(j, "file", p->file && *p->file ? p->file : NULL);
	json_put_count(j, "line", p->line);
	json_put_real(j, "seconds", p->seconds, 6);
	json_put_real(j, "unsure", p->unsure, 4);
	json_put_bool(j, "at_least", p->at_least);
	for (i = 0; i < ROUNDS_QUANTITIES; i++)
		whatif_json_range(j, whatif_json_names[i], &p->value[i]);
	json_open_object(j, "ratios");
	for (i = 0; i < RERUN_VARIANTS; i++)
		whatif_json_real(j, whatif_json_variants[i], p->rates[i], 4);
	json_close_object(j);
	whatif_json_reasons(j, &p->reasons);
	json_close_object(j);
}

static void whatif_json_unit(struct json_out *j, const struct unit *u)
{
	json_open_object(j, "unit");
	json_put_text(j, "kind", unit_kind_name(u->kind));
	json_put_text(j, "name", u->name);
	json_put_count(j, "count", u->n);
	json_close_object(j);
}

void whatif_json(FILE *f, const struct whatif_answer *a, const char *trace)
{
	struct json_out j = { .f = f };
	size_t i;

	json_open_object(&j, NULL);
	json_put_count(&j, "version", JSON_VERSION);
	json_put_text(&j, "trace", trace);
	json_put_real(&j, "seconds", a->seconds, 9);
	json_put_bool(&j, "cut", a->cut);
	json_put_count(&j, "ops", a->ops);
	json_put_count(&j, "linked", a->linked);
	if (a->unit) {
		whatif_json_unit(&j, a->unit);
		whatif_json_measured(&j, "measured", &a->trace);
		whatif_json_base(&j, a);
	}
	whatif_json_reasons(&j, &a->reasons);
	json_open_array(&j, "predictions");
	for (i = 0; i < a->predictions.len; i++)
		whatif_json_prediction(&j, vec_at(&a->predictions, struct whatif_prediction, i));
	json_close_array(&j);
	json_close_object(&j);
	fputc('\n', f);
}
