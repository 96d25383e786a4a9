// SPDX-License-Identifier: Apache-2.0
/* show: sizes as people read them. */
#include "unit.h"

#include "base/show.h"

static void sizes_have_digits_in_their_unit(void)
{
	static const struct { uint64_t bytes; const char *text; } sizes[] = {
		{ 0, "0 bytes" }, { 999, "999 bytes" }, { 1000, "1 kB" }, { 91400, "91 kB" },
		{ 999499, "999 kB" }, { 999500, "1.0 MB" }, { 1100000, "1.1 MB" },
		{ 134000000, "134.0 MB" }, { UINT64_MAX, "18446744073709.6 MB" },
	};
	char text[SHOW_SIZE];
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		CHECK_STR(show_size(sizes[i].bytes, text), sizes[i].text);
}

int main(void)
{
	return unit_main((struct unit_case[]){ UNIT(sizes_have_digits_in_their_unit), {0} });
}
