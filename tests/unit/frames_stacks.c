// SPDX-License-Identifier: Apache-2.0
/* stacks: frames that readers take, and what is kept of the stacks of samples. */
#include "unit.h"

#include <stdlib.h>

#include "frames/stacks.h"
#include "stackkey.h"

static void define_as(struct stacks *s, uint64_t key, unsigned int n, uint64_t part)
{
	struct rec_stack *r = calloc(1, sizeof(*r) + n * sizeof(r->pcs[0]));
	unsigned int i;

	r->r.kind = REC_STACK;
	r->r.id = key;
	r->r.ptr = part;
	r->n = r->room = n;
	for (i = 0; i < n; i++)
		r->pcs[i] = 0x401000 + i;
	stacks_define(s, r);
	free(r);
}

static void define(struct stacks *s, uint64_t key, unsigned int n)
{
	define_as(s, key, n, 0);
}

static uint64_t sample(struct stacks *s, uint64_t ip, uint64_t callers)
{
	struct rec_cpu r = { .r = { .kind = REC_CPU_LEAF }, .ip = ip, .stack = callers };

	return stacks_sample(s, &r);
}

static uint64_t cut_sample(struct stacks *s, uint64_t ip)
{
	struct rec_cpu r = { .r = { .kind = REC_CPU_LEAF, .flags = REC_CPU_CUT }, .ip = ip };

	return stacks_sample(s, &r);
}

static size_t frames(struct stacks *s, uint64_t key)
{
	struct trace_frame out[TRACEV2_MAX_FRAMES];

	return stacks_frames(s, key, out, TRACEV2_MAX_FRAMES);
}

/* A reader takes a frame without a name as the leaf only. */
static void without_names_there_is_a_leaf_only(void)
{
	struct stacks *s = stacks_new(NULL, 27, 127);
	uint64_t key;

	define(s, 16, 3);
	key = sample(s, 0x402000, 16);
	CHECK_EQ(frames(s, 16), 1);
	CHECK_EQ(frames(s, key), 1);
	stacks_free(s);
}

static void samples_whose_callers_cannot_be_read_are_cut(void)
{
	struct stacks *s = stacks_new(NULL, 27, 127);

	CHECK(!(sample(s, 0x402000, 0) & STACK_KEY_CUT));
	CHECK_EQ(stacks_cut(s), 0);
	CHECK(cut_sample(s, 0x402000) & STACK_KEY_CUT);
	cut_sample(s, 0x403000);
	stacks_turn(s);
	CHECK_EQ(frames(s, cut_sample(s, 0x402000)), 1);
	CHECK_EQ(stacks_cut(s), 2);
	stacks_free(s);
}

static void stacks_of_samples_go_with_their_generation(void)
{
	struct stacks *s = stacks_new(NULL, 27, 127);
	uint64_t old = sample(s, 0x402000, 0), again = sample(s, 0x403000, 0);

	stacks_turn(s);
	CHECK_EQ(frames(s, old), 1);
	CHECK_EQ(sample(s, 0x403000, 0), again);
	stacks_turn(s);
	CHECK_EQ(frames(s, again), 1);
	CHECK_EQ(stacks_missing(s), 0);
	CHECK_EQ(frames(s, old), 0);
	stacks_free(s);
}

static void a_stack_that_comes_whole_in_time_is_not_cut(void)
{
	struct stacks *s = stacks_new(NULL, 27, 127);

	define_as(s, 16, 1, REC_STACK_PART);
	CHECK_EQ(stacks_cut(s), 1);
	define(s, 16, 3);
	CHECK_EQ(stacks_cut(s), 0);
	stacks_free(s);
}

/* A generation has been written with the part. */
static void a_stack_that_comes_whole_too_late_stays_counted_as_cut(void)
{
	struct stacks *s = stacks_new(NULL, 27, 127);

	define_as(s, 16, 1, REC_STACK_PART);
	CHECK_EQ(frames(s, 16), 1);
	define(s, 16, 3);
	CHECK_EQ(stacks_cut(s), 1);
	define_as(s, 32, 1, REC_STACK_PART);	/* the callers of a sample */
	CHECK_EQ(frames(s, sample(s, 0x402000, 32)), 1);
	define(s, 32, 3);
	CHECK_EQ(stacks_cut(s), 2);
	stacks_free(s);
}

/* A program that recurses at random makes a new stack at each call. */
static void stacks_are_bounded_and_those_beyond_are_missing(void)
{
	enum { FRAMES = 128, MOST = (1 << 24) / FRAMES, MORE = 10 };
	struct stacks *s = stacks_new(NULL, 27, 127);
	uint64_t key;

	for (key = 1; key <= MOST + MORE; key++)
		define(s, key, FRAMES);
	CHECK_EQ(stacks_defined(s), MOST);
	CHECK_EQ(frames(s, MOST), 1);
	CHECK_EQ(frames(s, MOST + 1), 0);
	CHECK_EQ(stacks_missing(s), 1);
	stacks_free(s);
}

/* A part leaves no more room for its whole than another stack has. */
static void small_stacks_are_bounded_too(void)
{
	enum { MOST = 1 << 19, MORE = 10 };
	struct stacks *s = stacks_new(NULL, 27, 127);
	uint64_t key;

	for (key = 1; key <= MOST + MORE; key++)
		define_as(s, key, 1, REC_STACK_PART);
	CHECK_EQ(stacks_defined(s), MOST);
	define(s, 1, 3);
	CHECK_EQ(stacks_cut(s), MOST - 1);
	for (key = MOST + 1; key <= 2 * MOST + 2 * MORE; key++)
		frames(s, key);
	CHECK_EQ(stacks_missing(s), MOST + 2 * MORE);
	stacks_free(s);
}

/* A return address into the function; 0: there is none. */
static uint64_t address_in(struct symbolizer *y, const char *function)
{
	enum { TEXT_AT = 0x401000, TEXT_SIZE = 4 << 20, ALIGNMENT = 16 };
	struct frame f;
	uint64_t pc;

	for (pc = TEXT_AT + 2; pc < TEXT_AT + TEXT_SIZE; pc += ALIGNMENT)
		if (symbolizer_stack(y, &pc, 1, 0, &f, 1) && !strcmp(f.func, function))
			return pc;
	return 0;
}

/* Of the first program in GOTAP_TEST_BINARIES, which is no PIE. */
static struct symbolizer *program_symbols(void)
{
	const char *list = getenv("GOTAP_TEST_BINARIES");
	char *path = list ? strndup(list, strcspn(list, " ")) : NULL;
	struct symbolizer *y = NULL;
	struct error err;

	if (path && *path)
		CHECK_EQ(symbolizer_open(&y, &(struct symbol_file){ .path = path }, SYMBOL_PCLNTAB, &err), 0);
	else
		printf("# skip no GOTAP_TEST_BINARIES\n");
	free(path);
	return y;
}

static void define_sample(struct stacks *s, uint64_t key, const uint64_t pcs[3])
{
	struct rec_stack *r = calloc(1, sizeof(*r) + 3 * sizeof(r->pcs[0]));

	r->r = (struct rec){ .kind = REC_STACK, .id = key, .ptr = REC_STACK_PART, .sub = STACK_CPU };
	r->n = r->room = 3;
	memcpy(r->pcs, pcs, 3 * sizeof(r->pcs[0]));
	stacks_define(s, r);
	free(r);
}

/* The frame pointer of a new thread is the one of the thread that made it. */
static void samples_end_where_the_thread_began(void)
{
	struct symbolizer *y = program_symbols();
	struct stacks *s = stacks_new(y, 27, 127);
	uint64_t schedule, mstart, other;

	if (y) {
		schedule = address_in(y, "runtime.schedule");
		mstart = address_in(y, "runtime.mstart");
		other = address_in(y, "runtime.newm");
		CHECK(schedule && mstart && other);
		define_sample(s, 16, (uint64_t[]){ schedule, mstart, other });
		CHECK_EQ(frames(s, 16), 2);
		CHECK_EQ(stacks_cut(s), 0);
		define_sample(s, 32, (uint64_t[]){ schedule, other, other });
		CHECK_EQ(frames(s, 32), 3);
		CHECK_EQ(stacks_cut(s), 1);
	}
	stacks_free(s);
	symbolizer_free(y);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(without_names_there_is_a_leaf_only),
		UNIT(samples_whose_callers_cannot_be_read_are_cut),
		UNIT(stacks_of_samples_go_with_their_generation),
		UNIT(a_stack_that_comes_whole_in_time_is_not_cut),
		UNIT(a_stack_that_comes_whole_too_late_stays_counted_as_cut),
		UNIT(stacks_are_bounded_and_those_beyond_are_missing),
		UNIT(small_stacks_are_bounded_too),
		UNIT(samples_end_where_the_thread_began),
		{0},
	});
}
