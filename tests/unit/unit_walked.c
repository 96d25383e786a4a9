// SPDX-License-Identifier: Apache-2.0
/* walked: which instances of a unit get a path, and that a long path is shortened without a hole. */
#include "unit.h"

#include <string.h>

#include "unit/walked.h"

static struct instance instance_of(int64_t from, int64_t ns)
{
	return (struct instance){ .from = from, .ns = ns, .g = 7, .of = WHY_GOROUTINE };
}

static void the_slowest_ones_and_some_ranks_are_chosen_each_once(void)
{
	struct instance picked[100];
	struct walked list[WALKED_MOST];
	size_t i, n;

	for (i = 0; i < 100; i++)
		picked[i] = instance_of((int64_t)i, 1000 + (int64_t)(i * 37 % 100));
	n = walked_choose(picked, 100, list);
	CHECK_EQ(n, 6);
	CHECK_EQ(list[0].in.ns, 1099);
	CHECK_EQ(list[1].in.ns, 1098);
	CHECK_EQ(list[2].in.ns, 1097);
	CHECK_EQ(list[3].in.ns, 1089);
	CHECK_EQ(list[4].in.ns, 1049);
	CHECK_EQ(list[5].in.ns, 1009);
	CHECK_EQ(walked_choose(picked, 2, list), 2);
	CHECK(list[0].in.from != list[1].in.from);
	CHECK_EQ(walked_choose(picked, 0, list), 0);
}

/* @n steps of goroutine 1 back from @to: each @every-th one is long, the others take 3 ns. */
static void walk_steps(struct path *p, int64_t to, int n, int every)
{
	int i;

	for (i = 0; i < n; i++) {
		int64_t ns = i % every ? 3 : 1000 + i;
		struct step s = { .from = to - ns, .to = to, .g = 1, .name = "main.f", .reason = "",
				  .kind = i % every ? STEP_RUNNING : STEP_RUNNABLE, .via_g = 2,
				  .via = i % every ? VIA_NONE : VIA_WOKE, .p = UINT32_MAX };

		path_add(p, &s);
		to = s.from;
	}
}

/* Takes a path of such steps; its steps must fill the interval, and have all of the path's. */
static size_t taken(int n, int every, size_t *few)
{
	struct spans *s = spans_new();
	struct path p;
	struct walked w = {0};
	int64_t at = 0, sum = 0;
	size_t i, steps = 0, len;

	path_init(&p, s, true);
	path_begin(&p, 0, INT64_MAX / 2);
	walk_steps(&p, INT64_MAX / 2, n, every);
	walked_take(&w, &p);
	CHECK_EQ(w.count, n);
	*few = 0;
	for (i = 0; i < w.steps.len; i++) {
		const struct walked_step *step = vec_at(&w.steps, struct walked_step, i);

		CHECK(!i || step->from == at);
		at = step->to;
		sum += step->to - step->from;
		steps += step->steps ? step->steps : 1;
		*few += step->steps > 0;
		CHECK(step->steps || (step->g == 1 && step->cause));
		CHECK(!step->steps || (step->g == TRACEV2_NO_ID && !step->cause));
		CHECK(step->to - step->from < 1000 || step->steps || step->via_g == 2);
	}
	CHECK_EQ(at, INT64_MAX / 2);
	CHECK_EQ(steps, n);
	for (i = 0; i < w.parts.len; i++)
		sum -= (int64_t)vec_at(&w.parts, struct walked_part, i)->ns;
	CHECK_EQ(sum, 0);
	CHECK_EQ(w.parts.len, 2);
	CHECK(vec_at(&w.parts, struct walked_part, 0)->ns >=
	      vec_at(&w.parts, struct walked_part, 1)->ns);
	len = w.steps.len;
	walked_free(&w);
	path_free(&p);
	spans_free(s);
	return len;
}

static void a_short_path_has_all_its_steps(void)
{
	size_t few;

	CHECK_EQ(taken(WALKED_STEPS, 10, &few), WALKED_STEPS);
	CHECK_EQ(few, 0);
}

static void short_steps_of_a_long_path_are_one_between_long_ones(void)
{
	size_t few, len = taken(5000, 10, &few);

	CHECK_EQ(len - few, WALKED_STEPS);
	CHECK(few > 400 && few < 500);
	/* the long ones are too many, too */
	len = taken(50000, 10, &few);
	CHECK_EQ(len - few, WALKED_STEPS);
	CHECK(few <= WALKED_STEPS + 1);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(the_slowest_ones_and_some_ranks_are_chosen_each_once),
		UNIT(a_short_path_has_all_its_steps),
		UNIT(short_steps_of_a_long_path_are_one_between_long_ones), {0} });
}
