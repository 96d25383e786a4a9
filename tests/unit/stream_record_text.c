// SPDX-License-Identifier: Apache-2.0
/* record_text: one line for each kind, with names where numbers have some. */
#include "unit.h"

#include "stream/record_text.h"

/* The text of @r, valid until the next call. */
static const char *text_of(const void *r, int minor)
{
	static struct buf b;

	b.len = 0;
	record_text(&b, r, minor);
	buf_add_byte(&b, 0);
	return (const char *)b.data;
}

static void words_have_names(void)
{
	struct rec_long park = { .r = { .time = 5, .tid = 7, .kind = REC_GO_PARK, .sub = 14, .id = 3,
					.ptr = 0xc000 }, .stack = 0x1f, .arg = 0x1c0 };
	struct rec_long next = { .r = { .kind = REC_GO_SWITCH, .id = REC_ID_TOLD, .ptr = 0x10 },
				 .stack = 9, .arg = 0x20 };
	struct rec start = { .kind = REC_P_START, .sub = REC_PSTART_PROCRESIZE, .id = 2, .ptr = 0x30 };

	CHECK_STR(text_of(&park, 26), "5 7 GO_PARK goid=3 g=0xc000 waitreason=Sleep stack=0x1f object=0x1c0");
	CHECK_STR(text_of(&park, 25), "5 7 GO_PARK goid=3 g=0xc000 waitreason=ChanReceive stack=0x1f object=0x1c0");
	CHECK_STR(text_of(&next, 27), "0 0 GO_SWITCH goid=told g=0x10 goid=9 g=0x20");
	CHECK_STR(text_of(&start, 27), "0 0 P_START p.id=2 p=0x30 by=procresize");
}

static void what_should_be_zero_and_is_not_is_shown(void)
{
	struct rec end = { .kind = REC_SNAP_END, .id = 4 };

	CHECK_STR(text_of(&end, 27), "0 0 SNAP_END id=4?");
}

static void tails_are_shown_and_texts_are_harmless(void)
{
	static struct { struct rec_user u; char text[128]; } log = {
		.u = { .r = { .kind = REC_USER_LOG, .id = 1 }, .len = { 2, 3 }, .room = 128 },
		.text = "ab\"\033c",
	};
	static struct { struct rec_stack s; uint64_t pcs[2]; } stack = {
		.s = { .r = { .kind = REC_STACK, .id = 0x99, .sub = STACK_CREATE, .flags = 2 }, .n = 2, .room = 2 },
		.pcs = { 0x401000, 0x402000 },
	};

	CHECK_STR(text_of(&log, 27), "0 0 USER_LOG task=1 address=0 missing=none stack=0 address=0 \"ab\" \"\\\"\\x1bc\"");
	CHECK_STR(text_of(&stack, 27), "0 0 STACK stack=0x99 part=0 class=create skip=2 frames=2 0x401000 0x402000");
}

static void each_kind_has_a_line(void)
{
	static union { struct rec r; uint8_t bytes[4096]; } u;
	char want[64];

#define KIND(number, name, ...) \
	u.r.kind = number; \
	snprintf(want, sizeof(want), "0 0 %s", #name); \
	CHECK(!strncmp(text_of(&u, 27), want, strlen(want)));
#include "record.def"
#undef KIND
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(words_have_names),
		UNIT(what_should_be_zero_and_is_not_is_shown),
		UNIT(tails_are_shown_and_texts_are_harmless),
		UNIT(each_kind_has_a_line),
		{ 0 },
	});
}
