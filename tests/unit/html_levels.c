// SPDX-License-Identifier: Apache-2.0
/* Levels of detail: each stay is in one level, runs lie between them, and nothing is lost or invented. */
#include "html/levels.h"

#include <stdlib.h>
#include <zlib.h>

#include "html/collect.h"
#include "unit.h"

enum { ITEMS = 20000 };

/* One item of a track in a block, decoded as assets/data.js does it. */
struct seen {
	uint8_t level, state;
	int64_t from, to;
	uint64_t x, y;
};

struct page {
	struct blocks blocks;
	struct levels levels;
	struct level_track track;
	struct vec seen;	/* struct seen */
};

static uint64_t varint(const uint8_t **p)
{
	uint64_t v = 0;
	unsigned shift = 0;

	do
		v |= (uint64_t)(**p & 0x7f) << shift, shift += 7;
	while (*(*p)++ & 0x80);
	return v;
}

static void read_block(struct page *page, const struct block *block)
{
	static uint8_t packed[1 << 20], raw[1 << 20];
	uLongf n = sizeof(raw);
	const uint8_t *p = raw, *columns[BLOCK_COLUMNS];
	uint64_t items, sizes[BLOCK_COLUMNS];
	int64_t last = 0;
	unsigned i;

	CHECK_EQ(spill_read(&page->blocks.store, block->at, packed, block->size), 0);
	CHECK_EQ(uncompress(raw, &n, packed, block->size), Z_OK);
	items = varint(&p);
	for (i = 0; i < BLOCK_COLUMNS; i++)
		sizes[i] = varint(&p);
	for (i = 0; i < BLOCK_COLUMNS; p += sizes[i], i++)
		columns[i] = p;
	CHECK_EQ(items, block->items);
	while (items--) {
		struct seen s = { .level = block->level, .state = varint(&columns[0]) & 7 };

		s.from = last + (int64_t)varint(&columns[1]);
		s.to = last = s.from + (int64_t)varint(&columns[2]);
		s.x = varint(&columns[3]);
		s.y = s.state == PAGE_RUNNING ? 0 : varint(&columns[4]);
		CHECK(s.from >= block->from && s.to <= block->to);
		*(struct seen *)vec_push(&page->seen, sizeof(s)) = s;
	}
}

static void begin(struct page *page, uint8_t finest, const struct level_window *windows, size_t n)
{
	*page = (struct page){ .track = { .plane = PLANE_G, .finest = finest } };
	blocks_init(&page->blocks);
	page->levels = (struct levels){ &page->blocks, windows, n };
}

static void end(struct page *page)
{
	size_t i;

	levels_end(&page->levels, &page->track);
	blocks_end(&page->blocks);
	for (i = 0; i < page->blocks.blocks.len; i++)
		read_block(page, vec_at(&page->blocks.blocks, struct block, i));
}

static void done(struct page *page)
{
	blocks_free(&page->blocks);
	vec_free(&page->seen);
}

/* Running and waiting in turn, of very different lengths; without holes. */
static int64_t length_of(unsigned i)
{
	return 1 + (int64_t)(hash64(i) % 900) * (i % 100 == 7 ? 100000 : i % 10 == 3 ? 400 : 1);
}

static int64_t add_all(struct page *page)
{
	int64_t time = 0;
	unsigned i;

	for (i = 0; i < ITEMS; i++) {
		struct block_item item = { .state = i & 1 ? PAGE_WAITING : PAGE_RUNNING, .from = time };

		item.to = time = time + length_of(i);
		item.x = i;
		levels_add(&page->levels, &page->track, &item);
	}
	return time;
}

static void each_stay_is_in_the_level_of_its_length(void)
{
	struct page page;
	unsigned found = 0;
	size_t i;

	begin(&page, 0, NULL, 0);
	add_all(&page);
	end(&page);
	for (i = 0; i < page.seen.len; i++) {
		const struct seen *s = vec_at(&page.seen, struct seen, i);

		if (s->state == PAGE_RUN)
			continue;
		found++;
		CHECK_EQ(s->level, level_of(s->to - s->from));
		CHECK_EQ(s->to - s->from, length_of((unsigned)s->x));
		CHECK_EQ(s->state, s->x & 1 ? PAGE_WAITING : PAGE_RUNNING);
	}
	CHECK_EQ(found, ITEMS);
	done(&page);
}

/* At any level, its runs and the stays of it and above are the whole time, and the runs count all the others. */
static void a_level_is_whole(void)
{
	unsigned level;

	for (level = 0; level < LEVELS; level++) {
		struct page page;
		int64_t whole, sum = 0;
		uint64_t n = 0;
		size_t i;

		begin(&page, 0, NULL, 0);
		whole = add_all(&page);
		end(&page);
		for (i = 0; i < page.seen.len; i++) {
			const struct seen *s = vec_at(&page.seen, struct seen, i);

			if (s->state == PAGE_RUN ? s->level != level : s->level < level)
				continue;
			sum += s->to - s->from;
			n += s->state == PAGE_RUN ? s->x : 1;
		}
		CHECK_EQ(sum, whole);
		CHECK_EQ(n, ITEMS);
		done(&page);
	}
}

/* So a view has a bounded number of items: no two runs follow one another unless one of them is wide. */
static void runs_are_as_wide_as_their_level(void)
{
	struct page page;
	const struct seen *last[LEVELS] = {0};
	size_t i;

	begin(&page, 0, NULL, 0);
	add_all(&page);
	end(&page);
	for (i = 0; i < page.seen.len; i++) {
		const struct seen *s = vec_at(&page.seen, struct seen, i), *before = last[s->level];

		if (s->state != PAGE_RUN)
			continue;
		if (before && before->to == s->from)
			CHECK(before->to - before->from >= level_width(s->level));
		last[s->level] = s;
	}
	done(&page);
}

static void shares_are_of_the_time(void)
{
	struct page page;
	struct block_item a = { .state = PAGE_RUNNING, .from = 0, .to = 1000 };
	struct block_item b = { .state = PAGE_WAITING, .from = 1000, .to = 4000 };
	struct block_item c = { .state = PAGE_SYSCALL, .from = 4000, .to = 4001 };

	begin(&page, 1, NULL, 0);
	levels_add(&page.levels, &page.track, &a);
	levels_add(&page.levels, &page.track, &b);
	levels_add(&page.levels, &page.track, &c);
	end(&page);
	CHECK(page.seen.len > 0);
	if (page.seen.len) {
		const struct seen *s = vec_at(&page.seen, struct seen, 0);

		CHECK_EQ(s->state, PAGE_RUN);
		CHECK_EQ(s->x, 3);
		/* Shares of a merged run are in fifteenths: here a quarter running, three quarters waiting. A state that
		   occurs at all has one fifteenth at least. */
		CHECK_EQ(s->y & 15, 4);
		CHECK_EQ(s->y >> 8 & 15, 1);
		CHECK_EQ(s->y >> 12 & 15, 11);
	}
	done(&page);
}

/* A level merges short stays of a track into runs. An idle time that is wider than the level ends the run. */
static void idle_time_ends_a_run(void)
{
	struct page page;
	struct block_item a = { .state = PAGE_RUNNING, .from = 0, .to = 100 };
	struct block_item b = { .state = PAGE_RUNNING, .from = 1000000, .to = 1000100 };
	size_t i;

	begin(&page, 0, NULL, 0);
	levels_add(&page.levels, &page.track, &a);
	levels_add(&page.levels, &page.track, &b);
	end(&page);
	for (i = 0; i < page.seen.len; i++) {
		const struct seen *s = vec_at(&page.seen, struct seen, i);

		if (s->level <= level_of(999900))
			CHECK_EQ(s->to - s->from, 100);
		else
			CHECK_EQ(s->to - s->from, 1000100);
	}
	done(&page);
}

/* The plan says from which width on a level has all stays. Finer levels have only stays that touch a window of time. */
static void fine_levels_are_in_windows_alone(void)
{
	static const struct level_window windows[] = { { 0, 100000000 }, { 1000000000, 1100000000 } };
	struct page page;
	unsigned fine = 0;
	size_t i;

	begin(&page, 4, windows, 2);
	add_all(&page);
	end(&page);
	for (i = 0; i < page.seen.len; i++) {
		const struct seen *s = vec_at(&page.seen, struct seen, i);

		if (s->level >= 4)
			continue;
		fine++;
		CHECK(s->from <= 100000000 || (s->to >= 1000000000 && s->from <= 1100000000));
	}
	CHECK(fine > 50);
	done(&page);
}

static void widths_and_levels_agree(void)
{
	unsigned level;

	CHECK_EQ(level_of(0), 0);
	for (level = 1; level < LEVELS; level++) {
		CHECK_EQ(level_of(level_width(level)), level);
		CHECK_EQ(level_of(level_width(level) - 1), level - 1);
	}
	CHECK_EQ(level_of(INT64_MAX), LEVELS - 1);
}

/* More than stays in memory: read back from the file and behind it, and across. */
static void a_spill_gives_back_what_it_took(void)
{
	struct spill s = SPILL_EMPTY;
	uint8_t piece[4096], back[4096];
	unsigned i, k;

	for (i = 0; i < 3 * (SPILL_MEMORY / sizeof(piece)) / 2; i++) {
		memset(piece, (int)(i & 0xff), sizeof(piece));
		spill_add(&s, piece, sizeof(piece));
	}
	CHECK(s.flushed > 0 && s.buf.len > 0);
	for (k = 0; k < i; k += 97) {
		CHECK_EQ(spill_read(&s, (uint64_t)k * sizeof(back), back, sizeof(back)), 0);
		CHECK_EQ(back[0], k & 0xff);
		CHECK_EQ(back[sizeof(back) - 1], k & 0xff);
	}
	CHECK_EQ(spill_read(&s, s.flushed - 4096, back, 4096), 0);
	CHECK_EQ(spill_size(&s), (uint64_t)i * sizeof(piece));
	CHECK_EQ(spill_error(&s, NULL), 0);
	spill_free(&s);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(widths_and_levels_agree),
		UNIT(each_stay_is_in_the_level_of_its_length),
		UNIT(a_level_is_whole),
		UNIT(runs_are_as_wide_as_their_level),
		UNIT(shares_are_of_the_time),
		UNIT(idle_time_ends_a_run),
		UNIT(fine_levels_are_in_windows_alone),
		UNIT(a_spill_gives_back_what_it_took),
		{0},
	});
}
