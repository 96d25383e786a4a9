// SPDX-License-Identifier: Apache-2.0
/* name_pattern: names of files from a pattern. */
#include "unit.h"

#include <stdlib.h>

#include "base/name_pattern.h"

static const struct name_values values = { 42, 7, 1795364520, "/usr/bin/server" };

static void expands(const char *pattern, const struct name_values *v, const char *name)
{
	char *made = name_pattern_expand(pattern, v);

	CHECK_STR(made, name);
	free(made);
}

static void each_conversion(void)
{
	expands("dir/%p-%t-%n.trace", &values, "dir/42-20261122T162200Z-7.trace");
	expands("%e%%p", &values, "server%p");
	expands("plain", &values, "plain");
}

static void the_program_cannot_choose_another_folder_or_bytes(void)
{
	struct name_values v = values;

	v.exe = "/x/..";
	expands("d/%e", &v, "d/_.");
	v.exe = "/x/a b\n\033\xff%p";
	expands("d/%e", &v, "d/a_b____p");
	v.exe = "/x/";
	expands("d/%e", &v, "d/_");
	v.exe = NULL;
	expands("d/%e", &v, "d/_");
}

static void what_is_no_conversion_is_refused(void)
{
	static const char *const wrong[] = { "%", "a%x", "%%%", "%p%" };
	struct error err;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(name_pattern_check(wrong[i], &err) && strstr(err.text, "it may have %p"));
	CHECK(!name_pattern_check("%p%n%t%e%%", &err));
	CHECK(!name_pattern_check("", &err));
}

static void which_conversions_it_has(void)
{
	CHECK(name_pattern_has("a-%t-%n", 'n'));
	CHECK(!name_pattern_has("a-%%n", 'n'));
	CHECK(!name_pattern_has("%", 'n'));
	CHECK(!name_pattern_has("", 'p'));
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(each_conversion), UNIT(the_program_cannot_choose_another_folder_or_bytes),
		UNIT(what_is_no_conversion_is_refused), UNIT(which_conversions_it_has), {0} });
}
