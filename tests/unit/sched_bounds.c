// SPDX-License-Identifier: Apache-2.0
/* The tables of the model are bounded where a program can forge records (most_goroutines). */
#define _GNU_SOURCE
#include "sched_story.h"

#include "sched/state.h"

enum { MOST = 6, LONG_NS = 1000000000, PAGE_BYTES = 8192 };

static size_t fits, asked;

static size_t goroutines_fit(void *ctx)
{
	(*(size_t *)ctx)++;
	return fits;
}

static void begin_with(struct model_opts opts)
{
	open_trace(25);
	model = model_new(v2_sink(trace), &opts);
	now = 100000;
}

static void begin_bounded(size_t most)
{
	begin_with((struct model_opts){ .minor = 27, .version = 25, .gen_ns = LONG_NS,
					.gen_bytes = 16 << 20, .most_goroutines = most });
}

static void end_bounded(void)
{
	struct error err;

	CHECK_EQ(model_finish(model, 0, &err), 0);
	end_story();
}

static uint64_t dropped(void)
{
	return model_counts(model)->repairs[REPAIR_DROPPED];
}

static void create_many(uint64_t first, uint64_t n)
{
	uint64_t i;

	for (i = first; i < first + n; i++)
		go(REC_GO_CREATE, 7, i);
}

static void a_gap(void)
{
	put(REC_GAP, REC_GAP_LOST, 0, 0, 0, 0, 0);
	put(REC_RESUME, 0, 0, 0, 0, 0, 0);
}

/* Those from before the gap and those of the gap are bounded together. */
static void a_gap_has_no_second_table_to_fill(void)
{
	begin_bounded(MOST);
	snapshot();
	create_many(100, MOST);
	CHECK_EQ(model->gs.len, MOST);
	CHECK_EQ(dropped(), 3);
	a_gap();
	create_many(200, MOST);
	CHECK_EQ(model->gs.len, 0);
	CHECK_EQ(dropped(), 3 + MOST);
	end_bounded();
}

/* The program has memory for more goroutines than need no proof: they are in the trace. */
static void as_many_are_taken_as_the_program_has_memory_for(void)
{
	asked = 0;
	begin_with((struct model_opts){ .minor = 27, .version = 25, .gen_ns = LONG_NS,
					.gen_bytes = 16 << 20, .most_goroutines = MOST,
					.goroutines_fit = goroutines_fit, .fit_ctx = &asked });
	snapshot();
	fits = 2 * MOST;
	create_many(100, 3 * MOST);
	CHECK_EQ(model->gs.len, 2 * MOST);
	CHECK_EQ(asked, 1);
	fits = 4 * MOST;
	create_many(200, 3 * MOST);
	CHECK_EQ(model->gs.len, 2 * MOST);	/* not yet 1 ms later */
	now += FIT_NS;
	create_many(300, 3 * MOST);
	CHECK_EQ(model->gs.len, 4 * MOST);
	CHECK_EQ(asked, 2);
	fits = 0;
	now += FIT_NS;
	create_many(400, 1);
	CHECK_EQ(model->gs.len, 4 * MOST);	/* the program has less memory: none is forgotten */
	CHECK_EQ(asked, 3);
	end_bounded();
}

/* If one from before the gap were left out, the end of the gap would take it for one that ended. */
static void goroutines_from_before_a_gap_are_known_in_it(void)
{
	begin_bounded(MOST);
	snapshot();
	create_many(100, MOST - 3);
	a_gap();
	create_many(200, 1);
	create_many(100, MOST - 3);
	snapshot();
	CHECK_EQ(dropped(), 1);
	CHECK_EQ(model->gs.len, MOST);
	CHECK(g_get(model, 100) && g_get(model, 3) && !g_get(model, 200));
	end_bounded();
}

/* Until the states are read, the ids of those that ended are kept, too. */
static void goroutines_that_end_before_the_trace_begins_are_bounded(void)
{
	uint64_t i;

	begin_bounded(MOST);
	for (i = 100; i < 200; i++) {
		go(REC_GO_START, 7, i);
		go(REC_GO_DEAD, 7, i);
	}
	CHECK_EQ(model->dead.len, MOST);
	CHECK(dropped() > 0);
	end_bounded();
}

static void the_first_generation_turns_before_it_keeps_more_ends(void)
{
	enum { MANY = 300000 };
	uint64_t i;

	begin_bounded(0);
	snapshot();
	for (i = 100; i < 100 + MANY; i++) {
		now -= 20;
		go(REC_GO_CREATE, 7, i);
		go(REC_GO_START, 8, i);
		go(REC_GO_DEAD, 8, i);
		now -= 10;
	}
	CHECK_EQ(model->gen, 2);
	CHECK_EQ(model->dead.len, 0);
	CHECK_EQ(model_counts(model)->goroutines, 3 + MANY);
	end_bounded();
}

/* The ids of C threads beyond those that a program can have are forged. */
static void ids_of_c_threads_are_bounded(void)
{
	enum { MORE = 100 };
	uint64_t i;

	begin_bounded(0);
	snapshot();
	for (i = 1000; i < 1000 + EXTRAS + MORE; i++) {
		go(REC_EXTRA_ENTER, 8, i);
		go(REC_EXTRA_LEAVE, 8, i);
	}
	CHECK_EQ(model->extras.len, EXTRAS);
	end_bounded();
}

/* Losses while no goroutine runs that could say them. */
static void notes_that_wait_are_bounded(void)
{
	enum { LOSSES = 50000, NOTE = 160 };
	uint64_t i;

	open_trace(25);
	begin_into(v2_sink(trace), 27, 25, true);
	put(REC_SNAP_P, 0, 0, 0, P0, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	for (i = 0; i < LOSSES; i++) {
		now -= 10;
		put(REC_LOST, 0, 0, 1, now, now, 2);
	}
	CHECK(model->notes.len > (1 << 20));
	CHECK(model->notes.len <= (1 << 20) + NOTE);
	CHECK_EQ(model_counts(model)->lost, 2 * LOSSES);
	CHECK_EQ(model_counts(model)->notes + model->notes_left_out, LOSSES);
	i = model_counts(model)->notes;
	go(REC_GO_START, 7, 1);
	CHECK_EQ(model->notes.len, 0);
	CHECK_EQ(model->notes_left_out, 0);
	CHECK_EQ(model_counts(model)->notes, i + 1);	/* how many there are beside these */
	end_bounded();
}

/*
 * Each of these records needs a P, and no P is idle: all Ps are looked at, until the sum of looks in the generation is
 * too high. Then the first P is taken.
 */
static void looks_at_all_ps_are_bounded(void)
{
	enum { PS = 8192, STARTS = 1000, LOOKED_AT = 1 << 20 };
	uint64_t i;

	begin_bounded(0);
	snapshot();
	for (i = 2; i < PS; i++)
		put(REC_P_START, 0, 7, i, 0x10000 + i * 64, 0, 0);
	put(REC_P_STOP, 0, 7, PS - 1, 0x10000 + (PS - 1) * 64, 0, 0);
	put(REC_PROCS, 0, 7, 1, 0, 0, 0);
	for (i = 0; i < STARTS; i++)
		go(REC_GO_START, (uint32_t)(8 + i % 2), 50 + i % 2);
	CHECK_EQ(model->gen, 1);
	CHECK(model->ps_looked_at > LOOKED_AT);
	CHECK_EQ(p_get(model, 0)->m->tid, 8 + (STARTS - 1) % 2);
	end_bounded();
}

/* A new number of Ps looks at no thread unless the trace has the begin of a sweep (step_sweep_end_beyond()). */
static void sweeps_that_the_trace_has_are_counted(void)
{
	begin_bounded(0);
	snapshot();
	put(REC_SWEEP_SPAN, 1, 7, PAGE_BYTES, 0, 0, 0);
	CHECK_EQ(model->sweeps, 1);
	put(REC_PROCS, 0, 7, 2, 0, 0, 0);
	CHECK_EQ(model->sweeps, 0);
	proc(REC_P_START, 8, 1);
	go(REC_GO_START, 8, 3);
	put(REC_SWEEP_SPAN, 1, 8, PAGE_BYTES, 0, 0, 0);
	CHECK_EQ(model->sweeps, 1);
	put(REC_GAP, REC_GAP_LOST, 0, 0, 0, 0, 0);
	CHECK_EQ(model->sweeps, 0);
	end_bounded();
}

/* Go's reader has the begins of two generations beyond as equal, and refuses the trace. */
static void a_time_that_go_cannot_represent_is_damaged(void)
{
	const uint64_t exact_units = 1ULL << 53, unit = 64, last = now;
	uint64_t taken;

	begin_bounded(0);
	snapshot();
	taken = model->now;
	now = exact_units * unit;
	go(REC_GO_CREATE, 7, 100);
	CHECK(model->now < taken + unit);	/* each event takes a ns */
	CHECK(g_get(model, 100) != NULL);
	now = exact_units * unit - 1;
	go(REC_GO_CREATE, 7, 101);
	CHECK(model->now >= exact_units * unit - 1);
	now = last;
	end_bounded();
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(as_many_are_taken_as_the_program_has_memory_for),
		UNIT(a_gap_has_no_second_table_to_fill),
		UNIT(goroutines_from_before_a_gap_are_known_in_it),
		UNIT(goroutines_that_end_before_the_trace_begins_are_bounded),
		UNIT(the_first_generation_turns_before_it_keeps_more_ends),
		UNIT(ids_of_c_threads_are_bounded),
		UNIT(notes_that_wait_are_bounded),
		UNIT(looks_at_all_ps_are_bounded),
		UNIT(a_time_that_go_cannot_represent_is_damaged),
		UNIT(sweeps_that_the_trace_has_are_counted),
		{0} });
}
