// SPDX-License-Identifier: Apache-2.0
/* target: field offsets of programs without DWARF data, by release. */
#include "unit.h"

#include <errno.h>

#include "target/gobin_memory.h"
#include "target/offsets.h"
#include "target_image.h"

struct answer {
	int r;
	const char *source;
	struct go_offsets offsets;
	char text[512];
};

static struct answer ask(const char *version, bool assume)
{
	struct answer a = { .source = "" };
	struct error err = {0};
	struct gobin *b = NULL;
	struct image m;

	image_begin(&m);
	image_buildinfo(&m, version, "");
	image_finish(&m);
	a.r = gobin_open_memory(&b, m.file.data, m.file.len, "image", &err);
	if (!a.r)
		a.r = go_offsets_for(b, assume, &a.offsets, &a.source, &err);
	snprintf(a.text, sizeof(a.text), "%s", a.r ? err.text : "");
	gobin_free(b);
	image_free(&m);
	return a;
}

static void known_releases_come_from_the_table(void)
{
	struct answer a = ask("go1.25.3", false);

	CHECK(!a.r);
	CHECK_STR(a.source, "table of Go 1.25");
	CHECK_EQ(a.offsets.m_p, 200);
	CHECK_EQ(a.offsets.g_syscallbp, 120);
	a = ask("go1.20.12", false);
	CHECK(!a.r);
	CHECK_STR(a.source, "table of Go 1.20");
	CHECK_EQ(a.offsets.g_startpc, 312);
	CHECK_EQ(a.offsets.g_syscallbp, GO_OFFSET_NONE);
}

static void unknown_releases_are_refused_by_name(void)
{
	CHECK(ask("go1.28.1", false).r == -ENOTSUP);
	CHECK_STR(ask("go1.28.1", false).text, "'image' was built with go1.28.1, whose runtime is "
		  "unknown, and has no DWARF data to learn from; "
		  "--assume-go 1.27 tries the nearest that is known");
	CHECK(ask("go1.16.5", false).r == -ENOTSUP);
	CHECK(ask("go1.999", false).r == -ENOTSUP);
	CHECK(ask("devel +abc", false).r == -ENOTSUP);
}

static void unknown_releases_take_the_nearest_if_asked_to(void)
{
	CHECK_STR(ask("devel go1.29-0123abc", true).source, "table of Go 1.27");
	CHECK_STR(ask("go1.17.13", true).source, "table of Go 1.15");
	CHECK_STR(ask("go1.9.2", true).source, "table of Go 1.15");
	CHECK_STR(ask("go1.24.1", true).source, "table of Go 1.24");
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(known_releases_come_from_the_table),
		UNIT(unknown_releases_are_refused_by_name),
		UNIT(unknown_releases_take_the_nearest_if_asked_to),
		{0} });
}
