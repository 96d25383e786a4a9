// SPDX-License-Identifier: Apache-2.0
/*
 * region_budget: which region has to go, and when. Prices are round: a call costs 10 us, 1 at its begin and 9 at its return.
 * The budget is 20 % of a CPU, so that all regions together may take 10 %: 10,000 calls a second.
 */
#include "unit.h"

#include "base/percent.h"
#include "capture/region_budget.h"

enum { TICK = 20 * 1000 * 1000, TICKS_A_SECOND = 50 };

static const struct budget_prices prices = { .hit = 500, .step = 8500, .record = 500 };

static struct plan plan;
static struct region_budget b;
static struct region_hits hits[REGIONS_MOST];

static void start(size_t regions, double percent)
{
	size_t i;

	vec_free(&plan.regions);
	memset(hits, 0, sizeof(hits));
	for (i = 0; i < regions; i++)
		*(struct plan_region *)vec_push(&plan.regions, sizeof(struct plan_region)) =
			(struct plan_region){ .name = "main.f", .number = (uint32_t)i + 1,
				.ends_are_stepped = true };
	b = (struct region_budget){ .plan = &plan };
	region_budget_init(&b, &prices, percent < 0 ? BUDGET_NONE : percent_to_ns(percent));
}

/* @calls: a second, of each region. Returns the region that goes within @n ticks; -1: none. */
static int ticks(int n, const double *calls)
{
	size_t i;
	int gone = -1;

	while (n-- && gone < 0) {
		for (i = 0; i < plan.regions.len; i++) {
			hits[i].begins += (uint64_t)(b.gone[i] ? 0 : calls[i] / TICKS_A_SECOND);
			hits[i].ends = hits[i].begins;
		}
		gone = region_budget_decide(&b, hits, TICK);
	}
	return gone;
}

static void a_call_has_a_price(void)
{
	const struct plan_region emulated = {0}, ends = { .ends_are_stepped = true },
		both = { .begin_is_stepped = true, .ends_are_stepped = true };

	CHECK_EQ(region_call_price(&prices, &emulated), 2000);	/* as on arm64 */
	CHECK_EQ(region_call_price(&prices, &ends), 10000);
	CHECK_EQ(region_call_price(&prices, &both), 18000);
}

static void calls_within_the_budget_go_on(void)
{
	start(2, 20);
	CHECK(ticks(500, (double[]){ 6000, 3900 }) < 0);
}

static void the_one_that_costs_most_goes(void)
{
	start(3, 20);
	CHECK_EQ(ticks(500, (double[]){ 4000, 9000, 3000 }), 1);
	CHECK(ticks(500, (double[]){ 4000, 9000, 3000 }) < 0);
}

static void the_next_one_goes_if_that_is_not_enough(void)
{
	start(3, 20);
	CHECK_EQ(ticks(500, (double[]){ 40000, 90000, 3000 }), 1);
	CHECK_EQ(ticks(500, (double[]){ 40000, 90000, 3000 }), 0);
	CHECK(ticks(500, (double[]){ 40000, 90000, 3000 }) < 0);
}

/* The allowance that a region has not used for a second, 100 ms, pays for 10,000 calls at once. */
static void a_burst_is_paid_by_the_second_before(void)
{
	start(1, 20);
	CHECK(ticks(TICKS_A_SECOND, (double[]){ 0 }) < 0);
	CHECK(ticks(1, (double[]){ 9000.0 * TICKS_A_SECOND }) < 0);
	CHECK_EQ(ticks(10, (double[]){ 9000.0 * TICKS_A_SECOND }), 0);
}

static void without_a_budget_none_goes(void)
{
	start(1, -1);
	CHECK_EQ(b.ceiling, 0);	/* region_budget_tick() decides nothing then */
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_call_has_a_price), UNIT(calls_within_the_budget_go_on),
		UNIT(the_one_that_costs_most_goes), UNIT(the_next_one_goes_if_that_is_not_enough),
		UNIT(a_burst_is_paid_by_the_second_before), UNIT(without_a_budget_none_goes), {0} });
}
