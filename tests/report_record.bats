#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gotap report on what gotap recorded, beside the pages of `go tool trace`; gotap record --report; what was not recorded.

load lib/common
load lib/record
load lib/report

setup() { require_root; TRACE=$BATS_TEST_TMPDIR/x.trace; }
teardown() { stop_targets; }

# recorded_pages VERSION NAME [ARG...]: the program, recorded from its begin.
recorded_pages() {
	build_prog "$1" "$2"
	shift 2
	succeeds "$GOTAP" record --budget none -q -d 1s -o "$TRACE" -- "$PROG" "$@"
	same_pages "$TRACE"
}

@test "pages of go tool trace: network, Go 1.26" { recorded_pages 1.26 netload -dur 700ms; }
@test "pages of go tool trace: GC, Go 1.27" { recorded_pages 1.27 gc -dur 700ms; }

@test "pages of go tool trace: tasks and regions, Go 1.24" {
	recorded_pages 1.24 annotated -dur 700ms
	matches ' [3-9] types of regions, [2-9] of tasks'
}

@test "record --report shows what the trace says, record names the command" {
	build_prog 1.27 mixed
	"$GOTAP" record --report -q -o "$TRACE" -- "$PROG" -dur 200ms -tail 0 >"$BATS_TEST_TMPDIR/shown"
	grep -q '^FINDINGS' "$BATS_TEST_TMPDIR/shown"
	diff <("$GOTAP" report "$TRACE") <(grep -vx 'ready\|done' "$BATS_TEST_TMPDIR/shown")
	succeeds "$GOTAP" record -o "$TRACE" -- "$PROG" -dur 100ms -tail 0
	[ "${lines[-1]}" = "what it says: gotap report $TRACE" ]
	! "$GOTAP" record --report -o - -- "$PROG" >/dev/null 2>"$BATS_TEST_TMPDIR/refused" || fail "it records"
	grep -q '^gotap: --report reads the trace again: that needs a file' "$BATS_TEST_TMPDIR/refused"
}

@test "what was left out is said" {
	build_prog 1.27 mixed
	succeeds "$GOTAP" record -q -e -heap -o "$TRACE" -- "$PROG" -dur 100ms -tail 0
	succeeds "$GOTAP" report "$TRACE"
	contains '  no size of the heap: no memory was allocated, or the group heap was left out'
}
