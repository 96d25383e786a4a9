// SPDX-License-Identifier: Apache-2.0
/* strtab: ids of strings, and how long ones are cut. */
#include "unit.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace/strtab.h"
#include "tracev2.h"

static const char *text_of(const struct strtab *t, uint64_t id)
{
	return *vec_at(&t->order, const char *, id - 1);
}

static void ids_are_dense_from_1(void)
{
	struct strtab t;

	strtab_init(&t);
	CHECK_EQ(strtab_put(&t, "one", false), 1);
	CHECK_EQ(strtab_put(&t, "two", true), 2);
	CHECK_EQ(strtab_put(&t, "one", true), 1);
	CHECK_EQ(strtab_put(&t, "", false), 0);
	CHECK_EQ(strtab_put(&t, NULL, false), 0);
	CHECK_EQ(t.order.len, 2);
	CHECK_STR(text_of(&t, 2), "two");
	strtab_free(&t);
}

static void the_table_has_its_own_copies(void)
{
	char text[] = "abc";
	struct strtab t;

	strtab_init(&t);
	strtab_put(&t, text, false);
	text[0] = 'x';
	CHECK_EQ(strtab_put(&t, "abc", false), 1);
	CHECK_EQ(strtab_put(&t, text, false), 2);
	strtab_free(&t);
}

/* 1100 bytes: 'h' 1024 times, then 't' to the end. */
static void long_ones_keep_their_head_and_names_their_tail(void)
{
	char text[1101];
	struct strtab t;
	uint64_t head, tail;

	memset(text, 'h', 1024);
	memset(text + 1024, 't', 76);
	text[1100] = 0;
	strtab_init(&t);
	head = strtab_put(&t, text, false);
	tail = strtab_put(&t, text, true);
	CHECK(head != tail);
	CHECK_EQ(strlen(text_of(&t, head)), TRACEV2_MAX_STRING);
	CHECK_EQ(strlen(text_of(&t, tail)), TRACEV2_MAX_STRING);
	CHECK(text_of(&t, head)[1023] == 'h');
	CHECK(text_of(&t, tail)[1023] == 't');
	CHECK(text_of(&t, tail)[0] == 'h');
	/* What is the same after the cut is the same string. */
	text[1099] = 'x';
	CHECK_EQ(strtab_put(&t, text, false), head);
	text[1024] = 0;
	CHECK_EQ(strtab_put(&t, text, true), head);
	strtab_free(&t);
}

static void a_reset_begins_anew(void)
{
	struct strtab t;
	char text[16];
	int i, round;

	strtab_init(&t);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 70000; i++) {	/* beyond the point where the texts go, too */
			snprintf(text, sizeof(text), "%d", i + round);
			if (strtab_put(&t, text, false) != (uint64_t)i + 1)
				break;
		}
		CHECK_EQ(i, 70000);
		CHECK_STR(text_of(&t, 70000), text);
		strtab_reset(&t);
		CHECK_EQ(t.order.len, 0);
	}
	strtab_free(&t);
}

/* A program may log another text each time. */
static void memory_does_not_grow_with_generations(void)
{
	enum { GENERATIONS = 50, TEXTS = 5000 };
	struct strtab t;
	char text[201];
	size_t first = 0;
	int gen, i;

	strtab_init(&t);
	for (gen = 0; gen < GENERATIONS; gen++) {
		for (i = 0; i < TEXTS; i++) {
			snprintf(text, sizeof(text), "%0200d", gen * TEXTS + i);
			CHECK_EQ(strtab_put(&t, text, false), (uint64_t)i + 1);
		}
		strtab_reset(&t);
		if (!gen)
			first = mallinfo2().uordblks + mallinfo2().hblkhd;
	}
	CHECK(mallinfo2().uordblks + mallinfo2().hblkhd < first + (1 << 20));
	strtab_free(&t);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(ids_are_dense_from_1),
		UNIT(the_table_has_its_own_copies),
		UNIT(long_ones_keep_their_head_and_names_their_tail),
		UNIT(a_reset_begins_anew),
		UNIT(memory_does_not_grow_with_generations),
		{0} });
}
