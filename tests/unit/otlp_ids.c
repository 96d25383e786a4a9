// SPDX-License-Identifier: Apache-2.0
/* otlp: traceparents, ids, the answers of receivers. */
#include "unit.h"

#include <string.h>

#include "otlp/ids.h"
#include "otlp/response.h"

static bool parses(const char *text)
{
	struct traceparent t;

	return traceparent_parse(text, strlen(text), &t);
}

static void traceparents(void)
{
	static const char good[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
	static const char *const wrong[] = {
		"", "00", "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"00-00000000000000000000000000000000-b7ad6b7169203331-01",
		"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-011",
		"00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331_01",
		"0g-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
	};
	struct traceparent t;
	size_t i;

	CHECK(traceparent_parse(good, strlen(good), &t));
	CHECK(t.trace[0] == 0x0a && t.trace[15] == 0x9c && t.parent[0] == 0xb7 && t.parent[7] == 0x31 && t.flags == 1);
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		CHECK(!parses(wrong[i]));
	/* a later version may have more, behind a dash */
	CHECK(parses("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
	CHECK(parses("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what"));
	CHECK(!parses("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.what"));
}

static void ids_are_those_of_the_recording(void)
{
	struct origin a = { .facts[ORIGIN_PID] = "1" }, b = { .facts[ORIGIN_PID] = "2" };
	uint8_t one[OTLP_TRACE_ID], two[OTLP_TRACE_ID], region[OTLP_SPAN_ID], other[OTLP_SPAN_ID];
	struct otlp_ids ids, same, of_other;

	otlp_ids_init(&ids, &a, 7, 8);
	otlp_ids_init(&same, &a, 7, 8);
	otlp_ids_init(&of_other, &b, 7, 8);
	otlp_ids_trace(&ids, 3, one);
	otlp_ids_trace(&same, 3, two);
	CHECK(!memcmp(one, two, sizeof(one)));
	otlp_ids_trace(&of_other, 3, two);
	CHECK(memcmp(one, two, sizeof(one)));
	otlp_ids_trace(&ids, 4, two);
	CHECK(memcmp(one, two, sizeof(one)));
	/* two regions may begin at one time, one inside the other */
	otlp_ids_region(&ids, 1, 100, 0, region);
	otlp_ids_region(&ids, 1, 100, 1, other);
	CHECK(memcmp(region, other, sizeof(region)));
	otlp_ids_task(&ids, 3, other);
	CHECK(memcmp(one, other, sizeof(other)));
}

static void partial_success(void)
{
	static const char all[] = "\x0a\x07\x08\x85\x02\x12\x02no\x18\x01\x39" "12345678";
	struct otlp_response r;

	CHECK(response_read(all, sizeof(all) - 1, &r));
	CHECK_EQ(r.rejected, 261);
	CHECK_STR(r.message, "no");
	CHECK(response_read("", 0, &r) && !r.rejected && !*r.message);
	/* cut anywhere it is no message, but for the end of a field */
	CHECK(!response_read(all, 5, &r) && !r.rejected);
	CHECK(!response_read("\x0a\x7f\x08\x01", 4, &r) && !r.rejected);
	CHECK(!response_read("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, &r));
	CHECK(!response_read("\x0b", 1, &r));		/* a group */
	CHECK(!response_read("\x02\x00", 2, &r));	/* field 0 */
	/* a negative number is none */
	CHECK(response_read("\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13, &r) && !r.rejected);
	CHECK(response_read_status("\x08\x03\x12\x03" "bad", 7, &r));
	CHECK_STR(r.message, "bad");
	CHECK(!response_read_status("\x08\x03", 2, &r));
	CHECK(!response_read_status("<html>", 6, &r));
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(traceparents), UNIT(ids_are_those_of_the_recording), UNIT(partial_success), {0} });
}
