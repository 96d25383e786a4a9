// SPDX-License-Identifier: Apache-2.0
/* region_budget: see region_budget.h. */
#include "capture/region_budget.h"

#include <string.h>

#include "base/clock.h"
#include "base/vec.h"

#define SECOND 1e9
#define PART 0.5	/* of the budget, for all regions */
#define BEGIN_S 0.05	/* seconds of that part that may be spent at the begin, as in budget.c */

void region_budget_init(struct region_budget *b, const struct budget_prices *prices,
			double ceiling)
{
	b->prices = *prices;
	b->ceiling = budget_limits(ceiling) ? PART * ceiling : 0;
	b->debt = -BEGIN_S * b->ceiling;
}

static const struct plan_region *region_budget_row(const struct region_budget *b, size_t i)
{
	return vec_at(&b->plan->regions, struct plan_region, i);
}

static double region_hit_price(const struct budget_prices *p, bool stepped)
{
	return (stepped ? p->step : p->hit) + p->record;
}

double region_call_price(const struct budget_prices *prices, const struct plan_region *r)
{
	return region_hit_price(prices, r->begin_is_stepped) +
	       region_hit_price(prices, r->ends_are_stepped);
}

/* Returns what the hits of region @i since the last tick have cost, in ns. */
static double region_cost(const struct region_budget *b, const struct region_hits *now, size_t i)
{
	const struct plan_region *r = region_budget_row(b, i);

	return (double)(now[i].begins - b->hits[i].begins) *
		       region_hit_price(&b->prices, r->begin_is_stepped) +
	       (double)(now[i].ends - b->hits[i].ends) *
		       region_hit_price(&b->prices, r->ends_are_stepped);
}

int region_budget_decide(struct region_budget *b, const struct region_hits *now, uint64_t ns)
{
	double sum = 0, most = 0;
	int worst = -1;
	size_t i;

	for (i = 0; i < b->plan->regions.len; i++) {
		double cost = region_cost(b, now, i);

		b->hits[i] = now[i];
		if (b->gone[i])		/* the kernel takes some time to remove its probes */
			continue;
		sum += cost;
		if (cost > most) {
			most = cost;
			worst = (int)i;
		}
	}
	b->debt += sum - b->ceiling * (double)ns / SECOND;
	if (b->debt < -b->ceiling)
		b->debt = -b->ceiling;
	if (b->debt <= 0 || worst < 0)
		return -1;
	b->gone[worst] = true;
	b->debt = -BEGIN_S * b->ceiling;
	return worst;
}

/* The model makes a note of it. */
static void region_say(struct region_budget *b, size_t i)
{
	const struct plan_region *r = region_budget_row(b, i);
	size_t len = strlen(r->name) < REC_TEXT_MAX ? strlen(r->name) : REC_TEXT_MAX;
	char room[sizeof(struct rec_user) + REC_USER_MAX] = {0};
	struct rec_user *u = (struct rec_user *)room;

	u->r.kind = REC_REGION_GONE;
	u->r.id = b->hits[i].begins;
	u->arg = (uint64_t)b->ceiling;
	u->len[0] = (uint16_t)len;
	u->room = REC_USER_MAX;
	memcpy(u->text, r->name, len);
	user_records_add(b->records, u, sizeof(room));
}

bool region_budget_tick(struct region_budget *b)
{
	uint64_t now = now_ns(), since = b->read;
	int gone;

	if (b->ceiling <= 0 || !b->plan->regions.len)
		return false;
	b->read = now;
	if (!since) {
		memcpy(b->hits, bpf_region_hits(b->probes->bpf), sizeof(b->hits));
		return false;
	}
	gone = region_budget_decide(b, bpf_region_hits(b->probes->bpf), now - since);
	if (gone < 0)
		return false;
	probes_detach_region(b->probes, (unsigned int)gone);
	region_say(b, (size_t)gone);
	return true;
}

uint64_t region_budget_steps(const struct region_budget *b)
{
	const struct region_hits *hits = bpf_region_hits(b->probes->bpf);
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < b->plan->regions.len; i++) {
		const struct plan_region *r = region_budget_row(b, i);

		n += (r->begin_is_stepped ? hits[i].begins : 0) +
		     (r->ends_are_stepped ? hits[i].ends : 0);
	}
	return n;
}
