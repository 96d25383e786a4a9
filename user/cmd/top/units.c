// SPDX-License-Identifier: Apache-2.0
/* units: the units of work in the samples of `gotap top`, from unit/live.h. See top.h. */
#include <string.h>

#include "cmd/top/top.h"

static void units_written(void *ctx, const struct tracefile_generation *g)
{
	unit_live_add(ctx, g);
}

void top_units_opts(struct unit_live *units, struct assembler_opts *opts)
{
	static const struct observer_ops ops = { .written = units_written };

	observers_add(&opts->observers, &ops, units);
	opts->restate = true;
}

static void units_add_row(struct top_units *ret, const struct unit_live_row *row)
{
	struct top_unit *u = vec_push(&ret->list, sizeof(*u));

	*u = (struct top_unit){ .kind = row->kind, .n = row->n, .p50 = (uint64_t)row->p50,
				.p99 = (uint64_t)row->p99, .max = (uint64_t)row->max };
	memcpy(u->name, row->name, sizeof(u->name));
}

void top_units_read(struct unit_live *units, struct top_units *ret)
{
	struct unit_live_sample s;
	size_t i;

	unit_live_sample(units, &s);
	ret->known = s.known;
	ret->ns = (uint64_t)(s.to - s.from);
	ret->skipped = s.skipped;
	for (i = 0; i < s.n; i++)
		units_add_row(ret, &s.rows[i]);
}
