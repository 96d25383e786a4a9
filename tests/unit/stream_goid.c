// SPDX-License-Identifier: Apache-2.0
/* goid: creations wait for their id, and everything behind them waits, too. */
#include "unit.h"

#include "base/vec.h"
#include "stream/goid.h"

enum { MAX = 64, G1 = 0x1000, G2 = 0x2000 };

static struct rec seen[MAX];
static size_t n_seen;
static uint64_t switched_to;	/* the second goroutine of the last REC_GO_SWITCH */
static struct merge *merge;

static struct goid_filter *begin(void)
{
	n_seen = 0;
	merge = merge_new();
	return goid_filter_new(merge, true);
}

static void pull(struct goid_filter *f)
{
	const struct rec *r;

	while ((r = goid_filter_next(f))) {
		if (n_seen < MAX)
			seen[n_seen++] = *r;
		if (r->kind == REC_GO_SWITCH)
			switched_to = ((const struct rec_long *)r)->stack;
	}
}

/* Adds a chunk with the one record, and takes all that the filter gives. */
static void put_record(struct goid_filter *f, const struct rec *r)
{
	struct chunk c = { .watermark = UINT64_MAX };
	size_t at = chunk_segment_begin(&c, 0);
	struct error err = {0};

	buf_add(&c.data, r, record_size(r, SIZE_MAX));
	chunk_segment_end(&c, at);
	CHECK_EQ(merge_add(merge, &c, &err), 0);
	pull(f);
	chunk_free(&c);
}

static void put(struct goid_filter *f, uint8_t kind, uint64_t id, uint64_t g)
{
	struct { struct rec r; uint64_t rest[8]; } room = {	/* for every kind */
		.r = { .kind = kind, .id = id, .ptr = g } };

	put_record(f, &room.r);
}

static void end(struct goid_filter *f)
{
	goid_filter_free(f);
	merge_free(merge);
}

static void what_has_its_id_passes_at_once(void)
{
	struct goid_filter *f = begin();

	put(f, REC_GO_CREATE, 7, G1);
	put(f, REC_GO_START, 7, G1);
	put(f, REC_P_STOP, 0, 0);
	CHECK_EQ(n_seen, 3);
	end(f);
}

static void a_creation_waits_for_the_goroutines_next_record(void)
{
	struct goid_filter *f = begin();

	put(f, REC_GO_CREATE, 0, G1);
	put(f, REC_GO_PARK, 3, G2);
	CHECK_EQ(n_seen, 0);
	put(f, REC_GO_START, 9, G1);
	CHECK_EQ(n_seen, 3);
	CHECK_EQ(seen[0].kind, REC_GO_CREATE);
	CHECK_EQ(seen[0].id, 9);
	CHECK_EQ(seen[1].kind, REC_GO_PARK);
	CHECK_EQ(seen[2].kind, REC_GO_START);
	end(f);
}

static void or_for_the_id_that_user_space_read(void)
{
	struct goid_filter *f = begin();

	put(f, REC_GO_CREATE_BLOCKED, 0, G1);
	put(f, REC_GOID, 9, G1);
	CHECK(n_seen >= 1);
	CHECK_EQ(seen[0].id, 9);
	CHECK_EQ(goid_filter_unnamed(f), 0);
	end(f);
}

/* It was read for an earlier creation in the same g, by a thread that then had to wait for a CPU. */
static void but_not_for_one_of_another_creation(void)
{
	struct goid_filter *f = begin();
	struct rec_long creation = { .r = { .kind = REC_GO_CREATE, .ptr = G1, .time = 2000 } };
	struct rec_long late = { .r = { .kind = REC_GOID, .id = 9, .ptr = G1, .time = 2100 }, .arg = 1000 };

	put_record(f, &creation.r);
	put_record(f, &late.r);
	CHECK_EQ(n_seen, 0);
	late.r.id = 10;
	late.arg = 2000;
	put_record(f, &late.r);
	CHECK(n_seen >= 1);
	CHECK_EQ(seen[0].id, 10);
	end(f);
}

static void two_creations_keep_their_order(void)
{
	struct goid_filter *f = begin();

	put(f, REC_GO_CREATE, 0, G1);
	put(f, REC_GO_CREATE, 0, G2);
	put(f, REC_GO_START, 12, G2);	/* the second is known first */
	CHECK_EQ(n_seen, 0);
	put(f, REC_GO_START, 11, G1);
	CHECK_EQ(n_seen, 4);
	CHECK_EQ(seen[0].id, 11);
	CHECK_EQ(seen[1].id, 12);
	CHECK_EQ(seen[2].id, 12);
	end(f);
}

static void a_g_that_is_used_again_gets_the_id_of_each_time(void)
{
	struct goid_filter *f = begin();

	put(f, REC_GO_CREATE, 0, G1);
	put(f, REC_GO_START, 11, G1);
	put(f, REC_GO_DEAD, 11, G1);
	put(f, REC_GO_CREATE, 0, G1);
	put(f, REC_GO_START, 27, G1);
	CHECK_EQ(n_seen, 5);
	CHECK_EQ(seen[0].id, 11);
	CHECK_EQ(seen[3].id, 27);
	end(f);
}

static void ids_of_ps_name_nothing(void)
{
	struct goid_filter *f = begin();

	put(f, REC_GO_CREATE, 0, G1);
	put(f, REC_P_START, 3, G1);
	CHECK_EQ(n_seen, 0);
	end(f);
}

static void the_end_leaves_out_who_never_told(void)
{
	struct goid_filter *f = begin();

	put(f, REC_GO_CREATE, 0, G1);
	put(f, REC_GO_START, 3, G2);
	goid_filter_finish(f);
	pull(f);
	CHECK_EQ(n_seen, 1);
	CHECK_EQ(seen[0].kind, REC_GO_START);
	CHECK_EQ(goid_filter_unnamed(f), 1);
	end(f);
	goid_filter_free(NULL);
}

/* It has ended, and all of its records were lost: nothing waits for its name. */
static void a_g_that_is_created_again_gives_up_the_first(void)
{
	struct goid_filter *f = begin();

	put(f, REC_GO_CREATE, 0, G1);
	put(f, REC_GO_PARK, 3, G2);
	put(f, REC_GO_CREATE, 0, G1);
	CHECK_EQ(n_seen, 1);
	CHECK_EQ(seen[0].id, 3);
	put(f, REC_GO_START, 9, G1);
	CHECK_EQ(n_seen, 3);
	CHECK_EQ(seen[1].kind, REC_GO_CREATE);
	CHECK_EQ(seen[1].id, 9);
	CHECK_EQ(goid_filter_unnamed(f), 1);
	end(f);
}

/* Each stands behind another that waits, and is named before it. */
static void creations_are_named_while_others_wait(void)
{
	enum { N = 30 };
	struct goid_filter *f = begin();
	size_t i;

	for (i = 0; i < N; i++)
		put(f, REC_GO_CREATE, 0, G1 + i * 8);
	for (i = N; i-- > 1;)
		put(f, REC_GOID, 100 + i, G1 + i * 8);
	CHECK_EQ(n_seen, 0);
	put(f, REC_GO_START, 100, G1);
	CHECK_EQ(n_seen, 2 * N);
	for (i = 0; i < N; i++)
		CHECK_EQ(seen[i].id, 100 + i);
	put(f, REC_GO_CREATE, 0, G2);
	put(f, REC_GO_START, 7, G2);
	CHECK_EQ(seen[2 * N].id, 7);
	end(f);
}

static void what_waits_for_a_name_is_bounded(void)
{
	struct goid_filter *f = begin();
	size_t i, n = (16 << 20) / sizeof(struct rec_long) - 10;

	put(f, REC_GO_CREATE, 0, G1);
	for (i = 0; i < n; i++)
		put(f, REC_GO_PARK, 3, G2);
	CHECK_EQ(n_seen, 0);
	for (i = 0; i < 20; i++)
		put(f, REC_GO_PARK, 3, G2);
	CHECK_EQ(n_seen, MAX);
	CHECK_EQ(seen[0].kind, REC_GO_PARK);
	CHECK_EQ(goid_filter_unnamed(f), 1);
	end(f);
}

/* They name no goroutine, and the frames of a stack may be asked for before the creation has its id. */
static void stacks_and_threads_overtake(void)
{
	struct goid_filter *f = begin();

	put(f, REC_GO_CREATE, 0, G1);
	put(f, REC_GO_PARK, 3, G2);
	put(f, REC_STACK, 0x77, 0);
	put(f, REC_THREAD_WAKE, 5, 0);
	CHECK_EQ(n_seen, 2);
	CHECK_EQ(seen[0].kind, REC_STACK);
	CHECK_EQ(seen[1].kind, REC_THREAD_WAKE);
	put(f, REC_GO_START, 9, G1);
	CHECK_EQ(n_seen, 5);
	CHECK_EQ(seen[2].kind, REC_GO_CREATE);
	end(f);
}

static void an_id_that_was_told_need_not_be_told_again(void)
{
	struct goid_filter *f = begin();

	put(f, REC_GO_CREATE, 7, G1);
	put(f, REC_GO_START, REC_ID_TOLD, G1);
	put(f, REC_GO_PARK, 8, G2);
	put(f, REC_GO_READY, REC_ID_TOLD, G2);
	put(f, REC_GO_DEAD, REC_ID_TOLD, G1);
	CHECK_EQ(n_seen, 5);
	CHECK_EQ(seen[1].id, 7);
	CHECK_EQ(seen[3].id, 8);
	CHECK_EQ(seen[4].id, 7);
	end(f);
}

static void the_snapshot_tells_names_but_records_know_better(void)
{
	struct goid_filter *f = begin();

	put(f, REC_GO_DEAD, 3, G1);	/* while the snapshot was read */
	put(f, REC_SNAP_G, 3, G1);
	put(f, REC_SNAP_G, 4, G2);
	put(f, REC_GO_START, REC_ID_TOLD, G1);
	put(f, REC_GO_START, REC_ID_TOLD, G2);
	CHECK_EQ(seen[3].id, 0);
	CHECK_EQ(seen[4].id, 4);
	end(f);
}

static void after_a_gap_all_names_are_told_anew(void)
{
	struct goid_filter *f = begin();

	put(f, REC_GO_START, 3, G1);
	put(f, REC_RESUME, 0, 0);
	put(f, REC_GO_READY, REC_ID_TOLD, G1);
	put(f, REC_SNAP_G, 9, G1);	/* another goroutine's by now */
	put(f, REC_GO_START, REC_ID_TOLD, G1);
	CHECK_EQ(seen[2].id, 0);
	CHECK_EQ(seen[4].id, 9);
	end(f);
}

static void a_g_that_is_used_again_has_the_new_name(void)
{
	struct goid_filter *f = begin();

	put(f, REC_GO_CREATE, 7, G1);
	put(f, REC_GO_DEAD, REC_ID_TOLD, G1);
	put(f, REC_GO_START, REC_ID_TOLD, G1);	/* as after a creation that nobody saw */
	put(f, REC_GO_CREATE, 9, G1);
	put(f, REC_GO_START, REC_ID_TOLD, G1);
	CHECK_EQ(seen[2].id, 0);
	CHECK_EQ(seen[4].id, 9);
	end(f);
}

static void an_id_that_could_not_be_read_stays_unknown(void)
{
	struct goid_filter *f = begin();

	put(f, REC_GO_CREATE, 7, G1);
	put(f, REC_GO_START, 0, G1);
	put(f, REC_GO_READY, REC_ID_TOLD, G1);
	CHECK_EQ(seen[1].id, 0);
	CHECK_EQ(seen[2].id, 7);
	end(f);
}

/* Each of them may be told or not: probes run while that changes. */
static void a_switch_names_two(void)
{
	static const uint64_t ids[][2] = {
		{ 7, 8 }, { REC_ID_TOLD, REC_ID_TOLD }, { 7, REC_ID_TOLD }, { REC_ID_TOLD, 8 },
	};
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct rec_long l = { .r = { .kind = REC_GO_SWITCH, .id = ids[i][0], .ptr = G1 },
				      .arg = G2, .stack = ids[i][1] };
		struct goid_filter *f = begin();

		put(f, REC_GO_CREATE, 7, G1);
		put(f, REC_GO_CREATE_BLOCKED, 8, G2);
		put_record(f, &l.r);
		CHECK_EQ(seen[2].id, 7);
		CHECK_EQ(switched_to, 8);
		end(f);
	}
}

static void told_ids_resolve_no_creation(void)
{
	struct goid_filter *f = begin();

	put(f, REC_GO_CREATE, 0, G1);
	put(f, REC_GO_START, REC_ID_TOLD, G1);
	CHECK_EQ(n_seen, 0);
	put(f, REC_GO_PARK, 5, G1);
	CHECK_EQ(n_seen, 3);
	CHECK_EQ(seen[0].id, 5);
	CHECK_EQ(seen[1].id, 5);
	end(f);
}

/* Where every record has its goid, no g takes memory of the filter. */
static void a_filter_without_names_learns_none(void)
{
	struct goid_filter *f;

	n_seen = 0;
	merge = merge_new();
	f = goid_filter_new(merge, false);
	put(f, REC_GO_PARK, 7, G1);
	put(f, REC_GO_PARK, REC_ID_TOLD, G1);
	CHECK_EQ(n_seen, 2);
	CHECK_EQ(seen[1].id, REC_ID_TOLD);
	end(f);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(what_has_its_id_passes_at_once),
		UNIT(a_creation_waits_for_the_goroutines_next_record),
		UNIT(or_for_the_id_that_user_space_read),
		UNIT(but_not_for_one_of_another_creation),
		UNIT(two_creations_keep_their_order),
		UNIT(a_g_that_is_used_again_gets_the_id_of_each_time),
		UNIT(ids_of_ps_name_nothing),
		UNIT(the_end_leaves_out_who_never_told),
		UNIT(a_g_that_is_created_again_gives_up_the_first),
		UNIT(creations_are_named_while_others_wait),
		UNIT(what_waits_for_a_name_is_bounded),
		UNIT(stacks_and_threads_overtake),
		UNIT(an_id_that_was_told_need_not_be_told_again),
		UNIT(the_snapshot_tells_names_but_records_know_better),
		UNIT(after_a_gap_all_names_are_told_anew),
		UNIT(a_g_that_is_used_again_has_the_new_name),
		UNIT(an_id_that_could_not_be_read_stays_unknown),
		UNIT(a_switch_names_two),
		UNIT(told_ids_resolve_no_creation),
		UNIT(a_filter_without_names_learns_none),
		{0} });
}
