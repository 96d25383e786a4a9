// SPDX-License-Identifier: Apache-2.0
/* base: patterns for names of functions. */
#include "unit.h"

#include <stdlib.h>

#include "base/glob.h"

static const struct sample {
	const char *name, *pattern, *text;
	bool matches;
} samples[] = {
	{ "a name matches itself", "main.total", "main.total", true },
	{ "and no longer one", "main.total", "main.totals", false },
	{ "nor a shorter one", "main.total", "main.tota", false },
	{ "a method of a pointer matches itself", "main.(*Cart).Total", "main.(*Cart).Total", true },
	{ "a star matches nothing, too", "main.*", "main.", true },
	{ "a star in the middle", "main.(*).Total", "main.(*Cart).Total", true },
	{ "two stars", "*cart*", "shop/cart.Total", true },
	{ "the last star gives back", "*ab", "aababab", true },
	{ "a question mark is one byte", "main.?", "main.f", true },
	{ "and not none", "main.?", "main.", false },
	{ "brackets mean themselves", "main.Map[...]", "main.Map[...]", true },
	{ "and no set", "main.Map[.]", "main.Map.", false },
	{ "nothing matches nothing", "", "", true },
	{ "and no text", "", "a", false },
};

static void sample_holds(const void *row)
{
	const struct sample *s = row;

	CHECK(glob_match(s->pattern, s->text) == s->matches);
}

/* Time is bounded: many stars and a text that nearly matches each. */
static void hostile_patterns_end(void)
{
	char pattern[65] = "", *text = calloc(1, 1 << 16);
	size_t i;

	for (i = 0; i < 32; i++)
		memcpy(pattern + 2 * i, "*a", 3);
	memset(text, 'a', (1 << 16) - 2);
	CHECK(glob_match(pattern, text));
	text[(1 << 16) - 2] = 'b';
	CHECK(!glob_match(pattern, text));
	free(text);
}

int main(void)
{
	struct unit_case cases[32] = { UNIT(hostile_patterns_end), {0} };

	UNIT_ROWS(cases, samples, sample_holds);
	return unit_main(cases);
}
