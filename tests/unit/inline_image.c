// SPDX-License-Identifier: Apache-2.0
/*
 * image: the code that --attach inline puts into a program keeps the program's registers and stack, and does not write
 * outside of the shared memory.
 */
#define _GNU_SOURCE
#include "inline_call.h"

/* --- the program is left as it was --- */

static void registers_survive_each_program(void)
{
	size_t i;

	for (i = 0; i <= INLINE_PROGRAMS; i++) {
		begin(1, 8);
		make_chain(3);
		flag = 1;	/* the hook goes on to the function, too */
		fill_registers();
		/* what programs follow: pointers to structs of the runtime, a frame, texts */
		regs.ax = regs.bx = addr_of(thread.g);
		regs.cx = regs.si = regs.di = addr_of(thread.m);
		regs.bp = 0;
		AT(thread.g, g_coroarg) = addr_of(&thread.other);
		call(i, i % 2 ? thread.g : thread.g0);
		check_registers();
		fake_end();
	}
}

static void registers_survive_where_nothing_is_recorded(void)
{
	begin(1, 1);
	fill_registers();
	fake_shared->on = 0;
	call(INLINE_casgstatus, thread.g);
	check_registers();
	fake_control->shared = 0;
	fake_landed = 0;
	call(INLINE_casgstatus, thread.g);
	check_registers();
	CHECK_EQ(fake_states->hits, 0);
	fake_end();
}

/* Nothing above or below the stack pointer changes but the return address, and that the call itself wrote. */
static void the_stack_of_a_goroutine_is_not_touched(void)
{
	uint64_t before[STACK / 8];
	size_t i, at = STACK / 16 - RETURN / 8;

	begin(1, 8);
	for (i = 0; i < STACK / 8; i++)
		thread.stack[i] = 0x5555000000000000 + i;
	regs.ax = addr_of(thread.g);
	make_chain(30);
	memcpy(before, thread.stack, sizeof(before));
	change(thread.g, thread.g, 2, 4);
	before[at] = addr_of(stub_returns);
	CHECK(!memcmp(before, thread.stack, sizeof(before)));
	CHECK_EQ(records(), 2);
	fake_end();
}

/* The whole use of the system stack, by the record with the longest way: a log with a new stack. */
static void a_kilobyte_of_the_system_stack_is_enough(void)
{
	static char text[2000];
	size_t i, used = 0;

	begin(1, 8);
	make_chain(3);
	memset(thread.system, 0xaa, sizeof(thread.system));
	regs.bx = regs.di = addr_of(text);
	regs.cx = regs.si = sizeof(text);
	regs.bp = AT(thread.g, g_sched_bp);
	call(INLINE_user_log, thread.g);
	for (i = 0; i < STACK / 8 - 8; i++)
		if (thread.system[i] != 0xaaaaaaaaaaaaaaaa && !used)
			used = STACK - 64 - 8 * i;
	CHECK(used > 0 && used <= 1024);
	fake_end();
}

/* On a system stack that is nearly used up a record is lost, and counted, and nothing is written below the stack. */
static void a_stack_without_room_costs_the_record(void)
{
	uint64_t *lo = &thread.system[STACK / 16 - 60];
	size_t i;
	int own;

	for (own = 0; own < 2; own++) {
		begin(1, 8);
		make_chain(3);
		memset(thread.system, 0xaa, sizeof(thread.system) / 2);
		AT(thread.g0, g_stack_lo) = addr_of(lo);
		AT(thread.g0, g_sched_sp) = addr_of(&thread.system[STACK / 16]);
		change(own ? thread.g0 : thread.g, thread.g, 2, 4);
		CHECK_EQ(fake_landed, 1);
		CHECK_EQ(records(), 0);
		CHECK_EQ(fake_states->lost, 1);
		for (i = 0; &thread.system[i] < lo; i++)
			CHECK_EQ(thread.system[i], 0xaaaaaaaaaaaaaaaa);
		fake_end();
	}
}

/* --- when nothing may be written --- */

static void is_untouched(uint64_t position)
{
	size_t i;

	CHECK_EQ(fake_states->position, position);
	for (i = 0; i < fake_shared->size - fake_shared->chunks; i++)
		if (fake_chunks[i]) {
			CHECK(!"chunks are as they were");
			return;
		}
}

static void nothing_is_recorded_unless_gotap_lives_and_wants_it(void)
{
	static const struct { uint32_t alive, on; bool shared; } rows[] = {
		{ TID, 0, true }, { 0, 1, true }, { INLINE_OWNER_DIED, 1, true },
		{ TID | INLINE_OWNER_DIED, 1, true }, { TID, 1, false },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin(1, 8);
		fake_shared->alive = rows[i].alive;
		fake_shared->on = rows[i].on;
		if (!rows[i].shared)
			fake_control->shared = 0;
		change(thread.g0, thread.g, 1, 2);
		change(thread.g, thread.g, 2, 3);
		CHECK_EQ(fake_landed, 2);
		CHECK_EQ(fake_states->hits, 0);
		is_untouched(0);
		fake_end();
	}
}

static void a_full_ring_counts_what_it_loses(void)
{
	uint32_t end = RING_CHUNK / RING_UNIT;

	begin(1, 1);
	fake_states->position = (uint64_t)end << 32;
	change(thread.g0, thread.g, 1, 2);
	change(thread.g0, thread.g, 1, 2);
	CHECK_EQ(fake_landed, 2);
	CHECK_EQ(fake_states->lost, 2);
	CHECK_EQ(fake_states->hits, 2);
	CHECK(fake_states->lost_first && fake_states->lost_last > fake_states->lost_first);
	is_untouched((uint64_t)end << 32);
	fake_end();
}

static void a_layout_without_rings_records_nothing(void)
{
	begin(1, 1);
	fake_end();
	fake_make(1, 1);
	image_set_layout(&fake_image, &(struct inline_shared){0});
	fake_site(INLINE_proc_handoff, INLINE_proc_handoff);
	fake_load();
	regs.ax = addr_of(thread.p);
	call(INLINE_proc_handoff, thread.g0);
	CHECK_EQ(fake_states->hits, 0);
	is_untouched(0);
	fake_end();
}

/* Values at random, and such at the edges. */
static uint32_t hostile_word(void)
{
	static const uint32_t edges[] = { 0, 1, 2, 511, 512, 513, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffe00 };
	uint64_t r = random_word();

	return r & 1 ? edges[r / 2 % (sizeof(edges) / sizeof(*edges))] : (uint32_t)(r >> 32);
}

/*
 * The target may write over the states of its rings and over the head of the shared memory. Records then lie
 * anywhere in the chunks, but nowhere else: a page lies on each side of the chunks that nobody may touch.
 */
static void hostile_positions_lead_nowhere_else(void)
{
	size_t i, n = 200000;

	begin(1, 4);
	make_chain(20);
	for (i = 0; i < n; i++) {
		*fake_states = (struct ring_state){
			.position = (uint64_t)hostile_word() << 32 | hostile_word(),
			.first_chunk = hostile_word(), .chunks = hostile_word(),
		};
		fake_shared->n_states = hostile_word();
		fake_shared->states = random_word();
		fake_shared->chunks = fake_shared->seen = random_word();
		change(thread.g0, i % 2 ? thread.g : thread.other, 2, 4);
	}
	CHECK_EQ(fake_landed, n);
	fake_end();
}

/* The numbers are for whoever runs this by hand; that they depend on the machine is no fault. */
static void prices_are_measured(void)
{
	struct error err = {0};
	struct image_prices p = {0};

	CHECK_EQ(image_measure(&p, &err), 0);
	printf("# a record %.1f ns, its stack %.1f ns, a frame %.2f ns\n", p.record, p.stack, p.frame);
	CHECK(p.record > 0);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(registers_survive_each_program),
		UNIT(registers_survive_where_nothing_is_recorded),
		UNIT(the_stack_of_a_goroutine_is_not_touched),
		UNIT(a_kilobyte_of_the_system_stack_is_enough),
		UNIT(a_stack_without_room_costs_the_record),
		UNIT(nothing_is_recorded_unless_gotap_lives_and_wants_it),
		UNIT(a_full_ring_counts_what_it_loses),
		UNIT(a_layout_without_rings_records_nothing),
		UNIT(hostile_positions_lead_nowhere_else),
		UNIT(prices_are_measured),
		{0},
	});
}
