// SPDX-License-Identifier: Apache-2.0
/* ps_effort: `gotap ps` spends a limited time on the files of each user. After that it goes on with those of others. */
#include "unit.h"

#include "cmd/ps/effort.h"

static void one_user_does_not_use_up_the_time_of_others(void)
{
	struct container inside = {0};
	struct ps_effort e = {0};

	CHECK(ps_effort_begin(&e, 1000, NULL));
	ps_effort_add(&e, PS_EFFORT_USER - 1);
	CHECK(ps_effort_begin(&e, 1000, NULL));
	CHECK(ps_effort_begin(&e, 0, &inside));
	ps_effort_add(&e, PS_EFFORT_USER);
	CHECK(!ps_effort_go_on(&e));
	CHECK(ps_effort_begin(&e, 0, NULL));		/* another user than root in the container */
	CHECK(ps_effort_begin(&e, 1000, NULL));
	ps_effort_add(&e, 1);
	CHECK(!ps_effort_begin(&e, 1000, NULL));
	CHECK(!ps_effort_begin(&e, 0, &inside));
	CHECK(ps_effort_begin(&e, 1001, NULL));
	ps_effort_free(&e);
}

static void all_together_have_a_limit_and_each_still_a_little(void)
{
	struct ps_effort e = {0};
	uid_t uid;

	for (uid = 0; uid < PS_EFFORT_ALL / PS_EFFORT_USER; uid++) {
		CHECK(ps_effort_begin(&e, uid, NULL));
		ps_effort_add(&e, PS_EFFORT_USER);
	}
	CHECK(ps_effort_begin(&e, 1000, NULL));
	ps_effort_add(&e, 0.5);
	CHECK(ps_effort_begin(&e, 1000, NULL));
	ps_effort_add(&e, 0.5);
	CHECK(!ps_effort_begin(&e, 1000, NULL));
	ps_effort_free(&e);
}

/* The CPU time of this process and of its children counts. */
static void work_is_counted(void)
{
	struct ps_effort e = {0};
	volatile unsigned int n = 0;

	ps_effort_begin(&e, 1, NULL);
	while (e.all < 0.02) {
		n++;
		ps_effort_go_on(&e);
	}
	CHECK(e.all < 10);
	ps_effort_free(&e);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(one_user_does_not_use_up_the_time_of_others),
		UNIT(all_together_have_a_limit_and_each_still_a_little),
		UNIT(work_is_counted), {0} });
}
