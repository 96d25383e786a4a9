// SPDX-License-Identifier: Apache-2.0
/* base: map64 against a plain array model, strset identity, vec growth. */
#include "unit.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/map64.h"
#include "base/strset.h"
#include "base/vec.h"

enum { KEYS = 512 };

static void map_agrees_with_array_under_random_changes(void)
{
	uint64_t model[KEYS] = {0};	/* 0 = absent */
	struct map64 m = {0};
	size_t len = 0;
	int i;

	srand(1);
	for (i = 0; i < 200000; i++) {
		uint64_t key = (uint64_t)(rand() % KEYS);
		uint64_t value = 1 + (uint64_t)rand();
		bool is_new;

		if (rand() % 3) {
			*map64_put(&m, key * 8, &is_new) = value;
			CHECK(is_new == !model[key]);
			len += is_new;
			model[key] = value;
		} else {
			CHECK(map64_del(&m, key * 8) == !!model[key]);
			len -= model[key] != 0;
			model[key] = 0;
		}
		CHECK_EQ(m.len, len);
	}
	for (i = 0; i < KEYS; i++) {
		uint64_t *v = map64_get(&m, (uint64_t)i * 8);

		CHECK((v != NULL) == (model[i] != 0));
		if (v)
			CHECK_EQ(*v, model[i]);
	}
	map64_clear(&m);
	CHECK(!map64_get(&m, 8));
	map64_free(&m);
}

/* Clearing costs what the map held last, not what it held at its fullest. */
static void map_clears_little_behind_a_peak(void)
{
	struct map64 m = {0};
	uint64_t i;

	for (i = 0; i < 1 << 16; i++)
		map64_put(&m, i, NULL);
	map64_clear(&m);
	CHECK(m.cap >= 1 << 16);	/* as much may come again */
	map64_put(&m, 1, NULL);
	map64_clear(&m);
	CHECK(m.cap < 1 << 13);
	CHECK(!map64_get(&m, 1));
	map64_put(&m, 2, NULL);
	CHECK(map64_get(&m, 2) && !map64_get(&m, 1));
	map64_free(&m);
}

static void strset_gives_one_pointer_per_text(void)
{
	struct strset *set = strset_new();
	const char *a = strset_add(set, "main.main", 9);
	char name[32];
	int i;

	for (i = 0; i < 5000; i++) {
		int n = snprintf(name, sizeof(name), "pkg.f%d", i);

		CHECK_STR(strset_add(set, name, (size_t)n), name);
	}
	CHECK(strset_add(set, "main.main.func1", 9) == a);
	CHECK(strset_add(set, "main.mai", 8) != a);
	strset_free(set);
	strset_free(NULL);
}

static void buf_keeps_all_bytes(void)
{
	struct buf b = {0};
	int i;

	for (i = 0; i < 1000; i++)
		buf_printf(&b, "%04d", i);
	CHECK_EQ(b.len, 4000);
	CHECK(!memcmp(b.data + 3996, "0999", 4));
	buf_free(&b);
}

/*
 * buf_fit() sizes the room by the most that the last rounds held: one burst does not keep it, one small round does not
 * shrink it.
 */
static void buf_gives_back_the_room_of_a_burst(void)
{
	size_t most = 0;
	struct buf b = {0};
	int i;

	buf_reserve(&b, 10 << 20);
	b.len = 10 << 20;
	buf_fit(&b, vec_lately(&most, b.len, 4));
	CHECK_EQ(b.len, 0);
	CHECK(b.cap >= 10 << 20);
	for (i = 0; i < 3; i++) {
		b.len = 1 << 20;
		buf_fit(&b, vec_lately(&most, b.len, 4));
	}
	CHECK(b.cap >= 10 << 20);	/* three small rounds are too few to shrink it */
	for (i = 0; i < 200; i++) {
		b.len = 1 << 20;
		buf_fit(&b, vec_lately(&most, b.len, 4));
	}
	CHECK(b.cap >= 1 << 20 && b.cap <= (2 << 20) + (32 << 10));
	for (i = 0; i < 400; i++)
		buf_fit(&b, vec_lately(&most, 0, 4));
	CHECK(b.cap <= 40 << 10);
	buf_free(&b);
}

static void vec_gives_back_the_room_of_a_burst(void)
{
	struct vec v = {0};

	vec_reserve(&v, 100000, 16);
	v.len = 100000;
	vec_fit(&v, 100000, 16);
	CHECK_EQ(v.len, 0);
	CHECK(v.cap >= 100000);
	vec_fit(&v, 5000, 16);
	CHECK_EQ(v.cap, 5000);
	*(uint64_t *)vec_push(&v, 16) = 1;
	vec_fit(&v, 0, 16);
	CHECK(v.cap <= 5000);
	vec_free(&v);
}

static void error_prefix_keeps_code_and_text(void)
{
	struct error e;

	CHECK(error_set(&e, -5, "cannot read '%s'", "x") == -5);
	CHECK(error_prefix(&e, "pid %d", 7) == -5);
	CHECK_STR(e.text, "pid 7: cannot read 'x'");
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(map_agrees_with_array_under_random_changes),
		UNIT(map_clears_little_behind_a_peak),
		UNIT(strset_gives_one_pointer_per_text),
		UNIT(buf_keeps_all_bytes),
		UNIT(buf_gives_back_the_room_of_a_burst),
		UNIT(vec_gives_back_the_room_of_a_burst),
		UNIT(error_prefix_keeps_code_and_text),
		{0} });
}
