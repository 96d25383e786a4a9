// SPDX-License-Identifier: Apache-2.0
/*
 * release: numbers of reasons as the sources of each release have them (runtime2.go,
 * proc.go; tests/stripped.bats compares the whole table), and what holds for a release
 * that is not known.
 */
#include "unit.h"

#include "release/release.h"

static void every_known_release_stands_between_the_ends(void)
{
	int minor;

	CHECK(!release_is_known(RELEASE_OLDEST - 1) && !release_is_known(RELEASE_NEWEST + 1));
	CHECK(!release_is_known(-1) && !release_is_known(0) && !release_is_known(1000));
	for (minor = RELEASE_OLDEST; minor <= RELEASE_NEWEST; minor++)
		CHECK(release_is_known(minor));
	CHECK(release_is_tested(15) && release_is_tested(RELEASE_NEWEST) && !release_is_tested(18));
}

static void wait_reasons_have_the_numbers_of_their_release(void)
{
	static const struct { int minor; unsigned int number; const char *name; } waits[] = {
		{ 15, 9, "Select" }, { 18, 26, "DebugCall" }, { 20, 19, "Sleep" },
		{ 21, 27, "GCWorkerActive" }, { 22, 36, "Coroutine" }, { 23, 37, "GCWeakToStrongWait" },
		{ 24, 24, "SyncWaitGroupWait" }, { 25, 18, "UpdateGOMAXPROCSIdle" }, { 25, 20, "Sleep" },
		{ 26, 12, "UpdateGOMAXPROCSIdle" }, { 26, 14, "Sleep" }, { 27, 18, "Select" },
	};
	size_t i;

	for (i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		CHECK_STR(release_wait_name(waits[i].minor, waits[i].number), waits[i].name);
	CHECK(!release_wait_name(15, 27) && !release_wait_name(27, 47) && !release_wait_name(27, 255));
}

static void a_wait_reason_decides_what_a_goroutine_does(void)
{
	CHECK_STR(release_block_reason(25, 9), "select");
	CHECK_STR(release_block_reason(26, 18), "select");
	CHECK_STR(release_block_reason(27, 200), "unspecified");
	CHECK(release_wait_is_running(26, 3) && !release_wait_is_running(25, 3));
	CHECK(!release_wait_is_running(27, 200));
	CHECK(release_wait_is_worker(25, 28) && release_wait_is_worker(26, 29));
	CHECK(!release_wait_is_worker(26, 27) && !release_wait_is_worker(27, 200));
}

static void worlds_stop_for_a_number_or_for_a_text(void)
{
	uint64_t text;

	memcpy(&text, "gcing\0\0\0", 8);
	CHECK_STR(release_stw_reason(20, 1, text), "GC mark termination");
	CHECK_STR(release_stw_reason(21, 1, text), "GC mark termination");
	CHECK_STR(release_stw_reason(27, 9, 0), "GOMAXPROCS");
	CHECK_STR(release_stw_reason(27, 17, 0), "unknown");
}

static void a_later_release_is_answered_for_as_the_newest(void)
{
	unsigned int wr;

	for (wr = 0; wr < 256; wr++)
		CHECK(release_wait_name(28, wr) == release_wait_name(RELEASE_NEWEST, wr));
	CHECK(release_has(28, RELEASE_SYSCALL_SITES) && release_in(99, 26, RELEASE_NEWEST));
	CHECK(!release_in(28, 15, 25) && !release_has(28, RELEASE_STOP_SKIPS_LEAF));
	CHECK_STR(release_stw_reason(30, 1, 0), release_stw_reason(RELEASE_NEWEST, 1, 0));
	CHECK_EQ(release_nearest(28), 27);
	CHECK_EQ(release_nearest(3), 15);
}

static void what_was_assumed_is_said(void)
{
	char text[RELEASE_TEXT];

	CHECK(!release_assumed("go1.27.4", 27, text) && !*text);
	CHECK(!release_assumed("devel go1.26-0123abc", 26, text));
	CHECK(!release_assumed("go1.16.14", 16, text));
	CHECK(release_assumed("go1.28rc1", 28, text));
	CHECK(!strncmp(text, "Go 1.27: ", 9) && strstr(text, "wait reasons"));
	CHECK(release_assumed("go1.28.4", 25, text));
	CHECK(!strncmp(text, "Go 1.25: ", 9));
	CHECK(release_assumed("devel +abc", 27, text));
}

static void the_library_is_known_by_the_first_part_of_a_path(void)
{
	static const char *const std[] = {
		"sync.(*Mutex).Lock", "net/http.(*conn).serve", "internal/sync.(*Mutex).lockSlow", "slices.SortFunc[...]",
		"vendor/golang.org/x/net/http2/hpack.(*Decoder).Write", "weak.Make", "archive/zip.NewReader",
		"slices.SortFunc[go.shape.*uint8,github.com/a/b.T]",
	};
	static const char *const others[] = {
		"", "main.main", "main.F[net/http.T]", "sort.example/x.F", "github.com/a/b.F", "synced.F", "syn.F",
		"golang.org/x/net/http2.F",
	};
	size_t i;

	for (i = 0; i < sizeof(std) / sizeof(*std); i++)
		CHECK(release_is_std(std[i]));
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		CHECK(!release_is_std(others[i]));
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(every_known_release_stands_between_the_ends),
		UNIT(wait_reasons_have_the_numbers_of_their_release),
		UNIT(a_wait_reason_decides_what_a_goroutine_does),
		UNIT(worlds_stop_for_a_number_or_for_a_text),
		UNIT(a_later_release_is_answered_for_as_the_newest),
		UNIT(what_was_assumed_is_said),
		UNIT(the_library_is_known_by_the_first_part_of_a_path),
		{ 0 },
	});
}
