// SPDX-License-Identifier: Apache-2.0
/* target: field offsets of programs without DWARF data, by release. */
#include "unit.h"

#include <errno.h>

#include "target/gobin_memory.h"
#include "release/release.h"
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
	CHECK_STR(a.source, "sources of Go 1.20");
	CHECK_EQ(a.offsets.g_startpc, 312);
	CHECK_EQ(a.offsets.g_syscallbp, GO_OFFSET_NONE);
}

/* 1.20 has most fields where 1.19 has them, but not gcController.heapLive. */
static void releases_without_a_compiler_have_their_own_rows(void)
{
	static const struct { const char *version; int minor; unsigned int goidcache, startpc, live; } rows[] = {
		{ "go1.16.14", 16, 1504, 296, GO_OFFSET_NONE },
		{ "go1.17.13", 17, 1504, 312, 48 },
		{ "go1.18", 18, 384, 312, 120 },
		{ "go1.20.6", 20, 384, 312, 80 },
	};
	struct answer a;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		a = ask(rows[i].version, false);
		CHECK(!a.r);
		CHECK_EQ(a.offsets.p_goidcache, rows[i].goidcache);
		CHECK_EQ(a.offsets.g_startpc, rows[i].startpc);
		CHECK_EQ(a.offsets.gcc_heap_live, rows[i].live);
		CHECK(!release_is_tested(rows[i].minor));
	}
	CHECK(release_is_tested(19));
	CHECK(!release_is_tested(28));
}

static void unknown_releases_are_refused_by_name(void)
{
	CHECK(ask("go1.28.1", false).r == -ENOTSUP);
	CHECK_STR(ask("go1.28.1", false).text, "'image' was built with go1.28.1, whose runtime is "
		  "unknown, and has no DWARF data to learn from; "
		  "--assume-go 1.27 tries the nearest that is known");
	CHECK(ask("go1.14.5", false).r == -ENOTSUP);
	CHECK(ask("go1.999", false).r == -ENOTSUP);
	CHECK(ask("devel +abc", false).r == -ENOTSUP);
}

static void unknown_releases_take_the_nearest_if_asked_to(void)
{
	CHECK_STR(ask("devel go1.29-0123abc", true).source, "table of Go 1.27");
	CHECK_STR(ask("go1.17.13", true).source, "sources of Go 1.17");
	CHECK_STR(ask("go1.9.2", true).source, "table of Go 1.15");
	CHECK_STR(ask("go1.24.1", true).source, "table of Go 1.24");
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(known_releases_come_from_the_table),
		UNIT(releases_without_a_compiler_have_their_own_rows),
		UNIT(unknown_releases_are_refused_by_name),
		UNIT(unknown_releases_take_the_nearest_if_asked_to),
		{0} });
}
