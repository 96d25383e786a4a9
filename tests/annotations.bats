#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Tasks, regions and logs of a program whose own tracing is off, and traces that begin and end in the middle of all
# that lasts: GC cycles, mark assists, stop-the-world, tasks, regions. ranges.bats has them beside the runtime's trace.

load lib/common
load lib/record

setup() { require_root; }
teardown() { stop_targets; }

# seen KIND: how many events of the last trace's text have this name.
seen() { grep -c "^$1 " "$BATS_TEST_TMPDIR/text" || true; }

annotated() {
	build_prog "$1" ranges
	start_target "$PROG"
	recorded "$BATS_TEST_TMPDIR/x.trace" -d 1500ms -p "$TARGET"
	views_ok "$BATS_TEST_TMPDIR/x.trace"
	"$GOTAP" text "$BATS_TEST_TMPDIR/x.trace" >"$BATS_TEST_TMPDIR/text"
	# Every round: 2 tasks and 1 in 4 more, 3 regions that WithRegion began and ended, 1 log and 3 in 4 more.
	rounds=$(grep -ac 'data="round ' "$BATS_TEST_TMPDIR/text")
	echo "$rounds rounds"
	[ "$rounds" -gt 20 ]
	[ "$(seen UserTaskBegin)" -ge $((rounds * 2)) ]
	[ "$(seen UserTaskEnd)" -ge $((rounds * 2 - 2)) ]
	# StartRegion is a no-op then and is not told: a begin without an end would break the nesting.
	! grep -aq 'data="started"' "$BATS_TEST_TMPDIR/text" || fail "a region that StartRegion began"
	# Logf returns before it formats.
	! grep -aq 'data="formatted' "$BATS_TEST_TMPDIR/text" || fail "a text of Logf"
	[ "$(seen UserRegionBegin)" -ge $((rounds * 3)) ]
	[ $(($(seen UserRegionBegin) - $(seen UserRegionEnd))) -le 4 ]
	# 1024 bytes of a longer text, from its head.
	grep -aq "data=\"$(printf 'long text %.0s' {1..102})long\"" "$BATS_TEST_TMPDIR/text"
	grep -aqF 'data="not UTF-8: \xff\xfe \xc3( and a \x00 zero"' "$BATS_TEST_TMPDIR/text"
}

# for releases 1.22 newest (inline newest; inline-soak 1.22):
#	@test "annotations while the program's own tracing is off, Go %" { annotated %; }
# bats test_tags=inline-soak
@test "annotations while the program's own tracing is off, Go 1.22" { annotated 1.22; }
# bats test_tags=inline
@test "annotations while the program's own tracing is off, Go 1.27" { annotated 1.27; }
# end of releases

# begun_amid: 15 short traces at random times.
begun_amid() {
	local trace told=()
	recorded_at_random 3 100 "$BATS_TEST_TMPDIR/trace" -p "$TARGET"
	trace_ok "$BATS_TEST_TMPDIR"/trace.*
	# GOMAXPROCS is told by a running goroutine, so a window in which nothing ran has none, and no MMU plot.
	for trace in "$BATS_TEST_TMPDIR"/trace.*; do
		"$GOTAP" text "$trace" | grep -aq '^ProcsChange' && told+=("$trace")
	done
	[ ${#told[@]} -gt 7 ]
	views_ok "${told[@]}"
	rm "$BATS_TEST_TMPDIR"/trace.*
}

# attached VERSION PROGRAM [FLAG...]
attached() {
	local n
	soak_seed
	build_prog "$1" "$2"
	start_target "$PROG" "${@:3}"
	for ((n = 0; ; n++)); do
		goes_on 1 "$n" || break
		begun_amid
	done
}

# for releases 1.22 1.25 newest (soak 1.22 1.25 newest; soak-only 1.22 1.25):
#	@test "traces that begin in the middle of collections, Go %" { attached % gc -pause 200us; }
# bats test_tags=soak,soak-only
@test "traces that begin in the middle of collections, Go 1.22" { attached 1.22 gc -pause 200us; }
# bats test_tags=soak,soak-only
@test "traces that begin in the middle of collections, Go 1.25" { attached 1.25 gc -pause 200us; }
# bats test_tags=soak
@test "traces that begin in the middle of collections, Go 1.27" { attached 1.27 gc -pause 200us; }
# end of releases
# for releases 1.22 newest (soak 1.22 newest; soak-only 1.22):
#	@test "traces that begin in the middle of tasks and stops, Go %" { attached % ranges -pause 300us; }
# bats test_tags=soak,soak-only
@test "traces that begin in the middle of tasks and stops, Go 1.22" { attached 1.22 ranges -pause 300us; }
# bats test_tags=soak
@test "traces that begin in the middle of tasks and stops, Go 1.27" { attached 1.27 ranges -pause 300us; }
# end of releases
