// SPDX-License-Identifier: Apache-2.0
/* Triggers that --on-label restricts: which goroutines have the label, and when. */
#define _GNU_SOURCE
#include "trigger_story.h"

/* Goroutine 1, on thread 7, has label k=@value from now on; NULL: none. */
static void label_is(const char *value)
{
	struct { struct rec_user u; struct rec_label label[2]; } r = {
		.u = { .r = { .time = now, .tid = 7, .kind = REC_USER_LABELS, .id = 1 }, .arg = value != NULL, .room = 256,
		       .len = { 256, 0 } },
	};
	struct error err;

	if (value) {	/* in the second place: the first one is a gap */
		r.label[1].flags = REC_LABEL;
		r.label[1].key_len = 1;
		r.label[1].key[0] = 'k';
		r.label[1].value_len = (uint8_t)strlen(value);
		memcpy(r.label[1].value, value, strlen(value));
	}
	now += 10;
	CHECK_EQ(model_record(model, &r.u.r, &err), 0);
}

static void begin_labelled(const char *label, const char *rule)
{
	asked = (struct labels_asked){ .label = { label }, .n = 1 };
	begin_rules(rule);
	snapshot();
}

static void a_new_goroutine_has_the_labels_of_its_creator(void)
{
	begin_labelled("k=a*", "func:main.work*>1ms");
	put(REC_GO_CREATE, 0, 7, 4, 0x9004, 0, START);
	label_is("ab");
	put(REC_GO_CREATE, 0, 7, 5, 0x9005, 0, START);
	label_is("ba");
	put(REC_GO_CREATE, 0, 7, 6, 0x9006, 0, START);
	label_is(NULL);
	put(REC_GO_CREATE, 0, 7, 8, 0x9008, 0, START);
	pass(2 * MS);
	CHECK_EQ(n_facts, 1);
	CHECK_EQ(facts[0].g, 5);
	end_rules();
}

static void a_wait_counts_if_its_goroutine_has_the_label(void)
{
	begin_labelled("k=a", "blocked>1ms:chan receive");
	block(reason_number("chan receive"), 0x44);
	go(REC_GO_START, 7, 3);
	pass(2 * MS);
	go(REC_GO_READY, 7, 1);
	go(REC_GO_STOP, 7, 3);
	go(REC_GO_START, 7, 1);
	CHECK_EQ(n_facts, 0);
	label_is("a");
	block(reason_number("chan receive"), 0x44);
	pass(2 * MS);
	CHECK_EQ(n_facts, 1);
	CHECK_EQ(facts[0].g, 1);
	end_rules();
}

static void a_region_counts_if_it_had_the_label_inside(void)
{
	begin_labelled("k=a", "region:load>1ms");
	label_is("a");
	label_is(NULL);
	user(REC_USER_REGION_BEGIN, 0, "load", "");
	pass(2 * MS);
	user(REC_USER_REGION_END, 0, "load", "");
	CHECK_EQ(n_facts, 0);
	user(REC_USER_REGION_BEGIN, 0, "load", "");
	label_is("a");
	label_is(NULL);
	pass(2 * MS);
	CHECK_EQ(n_facts, 1);
	user(REC_USER_REGION_END, 0, "load", "");
	end_rules();
}

static void which_kinds_are_restricted(void)
{
	CHECK(trigger_takes_labels(TRIGGER_REQUEST));
	CHECK(trigger_takes_labels(TRIGGER_BLOCKED));
	CHECK(!trigger_takes_labels(TRIGGER_STW));
	CHECK(!trigger_takes_labels(TRIGGER_CRASH));
	begin_labelled("k=a", "goroutines>3");
	put(REC_GO_CREATE, 0, 7, 4, 0x9004, 0, START);
	put(REC_GO_CREATE, 0, 7, 5, 0x9005, 0, START);
	pass(MS);
	CHECK_EQ(n_facts, 1);
	end_rules();
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_new_goroutine_has_the_labels_of_its_creator),
		UNIT(a_wait_counts_if_its_goroutine_has_the_label),
		UNIT(a_region_counts_if_it_had_the_label_inside),
		UNIT(which_kinds_are_restricted),
		{0},
	});
}
