// SPDX-License-Identifier: Apache-2.0
/* ps_effort: `gotap ps` shares its time between users, whichever ids their processes have. */
#include "unit.h"

#include <string.h>

#include "cmd/ps/effort.h"

static void put(struct ps_effort *e, uid_t uid, const struct container *in, pid_t first, int n)
{
	struct principal of = { uid, in };

	while (n--)
		ps_effort_put(e, &of, first++);
}

/* Takes all that are left, each at a cost of @seconds. Returns how many were of pid @first and above. */
static int look_at_rest(struct ps_effort *e, double seconds, pid_t first)
{
	pid_t pid;
	int n = 0;

	while (ps_effort_next(e, &pid)) {
		ps_effort_add(e, seconds);
		n += pid >= first;
	}
	return n;
}

static void the_user_who_took_least_is_next(void)
{
	struct container inside = {0};
	struct ps_effort e = {0};
	pid_t pid;

	put(&e, 1000, NULL, 1, 100);
	put(&e, 0, &inside, 200, 100);
	put(&e, 0, NULL, 300, 2);
	CHECK(ps_effort_next(&e, &pid));
	ps_effort_add(&e, 10);
	CHECK(ps_effort_next(&e, &pid));
	ps_effort_add(&e, 10);
	CHECK(ps_effort_next(&e, &pid));
	CHECK_EQ(pid, 300);
	ps_effort_add(&e, 1);
	CHECK(ps_effort_next(&e, &pid));
	CHECK_EQ(pid, 301);
	ps_effort_free(&e);
}

static void one_user_does_not_use_up_the_time_of_others(void)
{
	struct ps_effort e = {0};
	int left = 0;
	pid_t pid;

	put(&e, 1000, NULL, 1, 100);
	put(&e, 1001, NULL, 200, 5);
	CHECK_EQ(look_at_rest(&e, 1, 1), PS_EFFORT_USER + 5);
	CHECK(!ps_effort_is_over(&e));
	while (ps_effort_left(&e, &pid))
		left += pid < 200;
	CHECK_EQ(left, 100 - PS_EFFORT_USER);
	ps_effort_free(&e);
}

/* However many users there are. */
static void the_listing_has_an_end(void)
{
	struct ps_effort e = {0};
	pid_t pid, all = 0;

	for (pid = 1; pid <= 50; pid++)
		put(&e, (uid_t)pid, NULL, pid, 1);
	CHECK(ps_effort_next(&e, &pid));
	e.begin -= PS_EFFORT_END - 3;
	CHECK(ps_effort_seconds(&e) <= 3);
	CHECK(ps_effort_go_on(&e));
	e.begin -= 3;
	CHECK(!ps_effort_go_on(&e));
	CHECK(!ps_effort_next(&e, &pid));
	CHECK(ps_effort_is_over(&e));
	CHECK_EQ(ps_effort_seconds(&e), 1);
	while (ps_effort_left(&e, &pid))
		all++;
	CHECK_EQ(all, 49);
	ps_effort_free(&e);
}

/* The CPU time of this process and of its children counts. */
static void work_is_counted(void)
{
	struct ps_effort e = {0};
	volatile unsigned int n = 0;
	double begin;
	pid_t pid;

	put(&e, 1, NULL, 1, 1);
	CHECK(ps_effort_next(&e, &pid));
	begin = e.cpu;
	while (e.cpu < begin + 0.02) {
		n++;
		CHECK(ps_effort_go_on(&e));
	}
	ps_effort_free(&e);
}

static void subordinate_ids_are_one_user(void)
{
	static const char text[] = "ann:100000:65536\nbob:165536:65536\nnonsense\n\nann:231072:10\n4711:300000:1\n";
	struct subordinates s = {0};

	subordinates_read(&s, text, strlen(text));
	CHECK_EQ(subordinates_user(&s, 100000), 100000);
	CHECK_EQ(subordinates_user(&s, 165535), 100000);
	CHECK_EQ(subordinates_user(&s, 231081), 100000);
	CHECK_EQ(subordinates_user(&s, 165536), 165536);
	CHECK_EQ(subordinates_user(&s, 165999), 165536);
	CHECK_EQ(subordinates_user(&s, 300000), 300000);
	CHECK_EQ(subordinates_user(&s, 300001), 300001);
	CHECK_EQ(subordinates_user(&s, 1000), 1000);
	subordinates_free(&s);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(the_user_who_took_least_is_next),
		UNIT(one_user_does_not_use_up_the_time_of_others),
		UNIT(the_listing_has_an_end),
		UNIT(subordinate_ids_are_one_user),
		UNIT(work_is_counted), {0} });
}
