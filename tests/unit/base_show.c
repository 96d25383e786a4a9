// SPDX-License-Identifier: Apache-2.0
/* show: sizes as people read them. */
#include <stdlib.h>
#include <string.h>

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

static void is_word(const char *name, const char *want)
{
	char *word = show_file_word(name);

	CHECK(!strcmp(word, want));
	free(word);
}

static void a_file_name_is_one_word_for_a_shell(void)
{
	is_word("/tmp/a.trace", "/tmp/a.trace");
	is_word("a b", "'a b'");
	is_word("it's", "'it'\\''s'");
	is_word("$(reboot)", "'$(reboot)'");
	is_word("-o", "./-o");
	is_word("-o x", "'./-o x'");
	is_word("", "''");
}

int main(void)
{
	return unit_main((struct unit_case[]){ UNIT(sizes_have_digits_in_their_unit),
					       UNIT(a_file_name_is_one_word_for_a_shell), {0} });
}
