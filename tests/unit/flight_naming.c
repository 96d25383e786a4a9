// SPDX-License-Identifier: Apache-2.0
/* Names of snapshots: which patterns are allowed, the names that they make, and which files have such a name. */
#include <stdlib.h>

#include "flight/naming.h"
#include "unit.h"

static const struct capture_info info = { .exe = "/srv/bin/shop", .pid = 1234 };

static const struct parse_case {
	const char *name, *pattern, *fault;	/* fault: part of the message; NULL: the pattern is allowed */
} parse_cases[] = {
	{ "all of them", "/tmp/%p-%t-%n-%e.trace", NULL },
	{ "the folder is this one", "%n", NULL },
	{ "a percent sign", "/tmp/100%%-%n", NULL },
	{ "no number", "/tmp/%p.trace", "needs %n" },
	{ "a percent sign is no number", "/tmp/%%n", "needs %n" },
	{ "an unknown letter", "/tmp/%x%n", "'%x'" },
	{ "nothing behind a percent sign", "/tmp/%n%", "'%'" },
	{ "in the folder", "/tmp/%p/%n", "not for its folder" },
	{ "a folder that is not there", "/nowhere/%n", "No such file" },
	{ "a name that fits, but not with a number of 20 digits",
	  "/tmp/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa%n",
	  "longer than" },
};

static void parses(const void *row)
{
	const struct parse_case *c = row;
	struct naming n;
	struct error err = {0};
	int r = naming_parse(&n, c->pattern, &info, &err);

	CHECK_EQ(r != 0, c->fault != NULL);
	if (c->fault && !strstr(err.text, c->fault))
		printf("# %s: %s\n", c->pattern, err.text);
	CHECK(!c->fault || strstr(err.text, c->fault));
	naming_free(&n);
}

static void makes_names(void)
{
	struct naming n;
	char *name;

	CHECK_EQ(naming_parse(&n, "/tmp/%e-%p-%t-%n%%.trace", &info, NULL), 0);
	CHECK_STR(n.folder, "/tmp");
	name = naming_make(&n, 1795364521ULL * 1000000000 + 999999999, 7);
	CHECK_STR(name, "shop-1234-20261122T162201Z-7%.trace");
	CHECK(naming_match(&n, name));
	free(name);
	name = naming_beside("x.trace", BESIDE_JSON);
	CHECK_STR(name, "x.trace.json");
	free(name);
	naming_free(&n);
}

/* Is it a name that "%e-%p-%t-%n.trace" makes for the program shop? */
static const struct match_case {
	const char *name;
	bool is_ours;
} match_cases[] = {
	{ "shop-1-20261122T162201Z-1.trace", true },
	{ "shop-99999-19990101T000000Z-123456.trace", true },
	{ "shop-1-20261122T162201Z-1.trace.json", false },
	{ "shop-1-20261122T162201Z-1.trac", false },
	{ "shop-1-20261122T162201Z-.trace", false },
	{ "shop--20261122T162201Z-1.trace", false },
	{ "shop-1-20261122T162201-1.trace", false },
	{ "shop-1-2026112T1162201Z-1.trace", false },
	{ "shap-1-20261122T162201Z-1.trace", false },
	{ "shop-1-20261122T162201Z-1 .trace", false },
	{ "", false },
	{ "shop", false },
};

static void matches(const void *row)
{
	const struct match_case *c = row;
	struct naming n;

	CHECK_EQ(naming_parse(&n, "/tmp/%e-%p-%t-%n.trace", &info, NULL), 0);
	CHECK_EQ(naming_match(&n, c->name), c->is_ours);
	naming_free(&n);
}

int main(void)
{
	struct unit_case cases[1 + 32] = { UNIT(makes_names) };

	UNIT_ROWS(cases, parse_cases, parses);
	UNIT_ROWS(cases, match_cases, matches);
	return unit_main(cases);
}
