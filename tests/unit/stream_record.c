// SPDX-License-Identifier: Apache-2.0
/* record: what follows from the table of kinds. */
#include "unit.h"

#include "record.h"

/* One record of @kind without anything behind its struct, in room for the longest. */
static size_t size_of(unsigned int kind, size_t avail)
{
	struct rec_cpu room = { .r = { .kind = (uint8_t)kind } };

	return record_size(&room.r, avail);
}

static void each_kind_has_the_size_of_its_layout(void)
{
#define KIND(number, name, layout, ...) \
	CHECK_EQ(size_of(number, sizeof(struct layout)), sizeof(struct layout)); \
	CHECK_EQ(size_of(number, sizeof(struct layout) - 1), 0);
#include "record.def"
#undef KIND
}

/* A reader that guessed a length for it would read the next record at a wrong place. */
static void a_number_that_is_no_kind_has_no_size(void)
{
	bool known[256] = { false };
	unsigned int i, n = 0;

#define KIND(number, ...) known[number] = true;
#include "record.def"
#undef KIND
	for (i = 0; i < 256; i++) {
		if (known[i])
			continue;
		CHECK_EQ(size_of(i, SIZE_MAX), 0);
		CHECK(!rec_is_of_thread((uint8_t)i) && !rec_is_of_goroutine((uint8_t)i));
		CHECK(!rec_may_omit_goid((uint8_t)i));
		n++;
	}
	CHECK(n > 100 && !known[REC_NONE] && !known[REC_SKIP]);
}

static void a_tail_that_does_not_fit_is_damage(void)
{
	union {
		struct rec r;
		struct rec_stack stack;
		struct rec_user user;
		uint8_t bytes[512];
	} u = { .stack = { .r = { .kind = REC_STACK }, .n = 2, .room = 2 } };

	CHECK_EQ(record_size(&u.r, sizeof(u)), sizeof(struct rec_stack) + 16);
	CHECK_EQ(record_size(&u.r, sizeof(struct rec_stack) + 15), 0);
	u.stack.n = 3;
	CHECK_EQ(record_size(&u.r, sizeof(u)), 0);
	memset(&u, 0, sizeof(u));
	u.user = (struct rec_user){ .r = { .kind = REC_USER_LOG }, .len = { 60, 68 }, .room = 128 };
	CHECK_EQ(record_size(&u.r, sizeof(u)), sizeof(struct rec_user) + 128);
	u.user.len[1] = 69;
	CHECK_EQ(record_size(&u.r, sizeof(u)), 0);
}

static void meaning_does_not_follow_from_numbers(void)
{
	CHECK(rec_is_of_goroutine(REC_EXTRA_LEAVE) && !rec_is_of_goroutine(REC_SNAP_G));
	CHECK(rec_is_of_p(REC_P_HANDOFF) && rec_is_of_p(REC_SNAP_P) && !rec_is_of_p(REC_PROCS));
	CHECK(rec_is_of_thread(REC_CPU_LEAF) && !rec_is_of_thread(REC_STACK));
	CHECK(rec_has_stack(REC_USER_LOG) && !rec_has_stack(REC_GO_SWITCH) && !rec_has_stack(REC_LOST));
	CHECK(rec_is_extra(REC_SPAN_FREE) && !rec_is_extra(REC_GC_BEGIN));
	CHECK(rec_may_omit_goid(REC_GO_READY) && !rec_may_omit_goid(REC_EXTRA_ENTER));
	CHECK(!rec_may_omit_goid(REC_STACK));
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(each_kind_has_the_size_of_its_layout),
		UNIT(a_number_that_is_no_kind_has_no_size),
		UNIT(a_tail_that_does_not_fit_is_damage),
		UNIT(meaning_does_not_follow_from_numbers),
		{ 0 },
	});
}
