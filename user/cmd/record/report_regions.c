// SPDX-License-Identifier: Apache-2.0
/* report_regions: the part of the report about --region: how many calls, and which are not seen. */
#include <inttypes.h>

#include "base/show.h"
#include "cmd/record/report.h"

static void regions_print_inlined(const struct plan *p, FILE *f)
{
	size_t i;

	for (i = 0; i < p->regions.len; i++) {
		const struct plan_region *r = vec_at(&p->regions, struct plan_region, i);

		if (r->inlined)
			show_printf(f, "region %s: the compiler has inlined it in %" PRIu32
				    " place%s, whose calls are not seen\n", r->name, r->inlined,
				    r->inlined == 1 ? "" : "s");
	}
}

void report_print_regions(const struct report *r, FILE *f)
{
	const struct model_counts *c = &r->result->model;

	if (!r->plan || !r->plan->regions.len)
		return;
	fprintf(f, "regions: %zu function%s, %" PRIu64 " calls", r->plan->regions.len,
		r->plan->regions.len == 1 ? "" : "s", c->calls);
	if (c->calls_left)
		fprintf(f, ", %" PRIu64 " left without a return (a panic, runtime.Goexit)",
			c->calls_left);
	if (c->calls_lost)
		fprintf(f, ", %" PRIu64 " of which the end is not known (a loss of records, or "
			"the probe was removed)",
			c->calls_lost);
	fputc('\n', f);
	if (c->regions_gone)
		fprintf(f, "regions: %" PRIu64 " of them cost too much, and lost their probes "
			"amid the recording: notes in the trace say which and when; --budget "
			"allows more\n", c->regions_gone);
	regions_print_inlined(r->plan, f);
}
