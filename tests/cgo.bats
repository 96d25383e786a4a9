#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# cgo: calls of C, callbacks into Go, and threads that C made: GoCreateSyscall and GoDestroySyscall, and the P that
# such a thread leaves behind.

load lib/common
load lib/record

setup() { require_root; require_tool gcc; }
teardown() { stop_targets; }

callbacks() {
	local threads callbacks created
	build_prog "$1" cgo
	# From its first goroutine to its end: what it counted itself must be in the trace.
	recorded "$BATS_TEST_TMPDIR/x.trace" -- "$PROG" -dur 700ms -rounds 20 >"$BATS_TEST_TMPDIR/log"
	callbacks=$(sed -n 's/^callbacks //p' "$BATS_TEST_TMPDIR/log")
	views_ok "$BATS_TEST_TMPDIR/x.trace"
	threads=$((callbacks / 3))	# each round calls back once from a Go thread, twice from one of C's
	created=$(count_of "$BATS_TEST_TMPDIR/x.trace" 'Go NotExist->Syscall')
	echo "$callbacks callbacks, $threads threads, $created goroutines of theirs"
	[ "$threads" -gt 10 ]
	[ "$created" -eq "$threads" ]
	[ "$(count_of "$BATS_TEST_TMPDIR/x.trace" 'Go Syscall->NotExist')" -eq "$threads" ]
	# Attached to, in the middle.
	start_target "$PROG"
	recorded "$BATS_TEST_TMPDIR/y.trace" -d 400ms -p "$TARGET"
	views_ok "$BATS_TEST_TMPDIR/y.trace"
}

# for releases 1.22+ (inline 1.22 newest; soak-only not 1.22 newest):
#	@test "callbacks and threads of C, Go %" { callbacks %; }
# bats test_tags=inline
@test "callbacks and threads of C, Go 1.22" { callbacks 1.22; }
# bats test_tags=soak-only
@test "callbacks and threads of C, Go 1.23" { callbacks 1.23; }
# bats test_tags=soak-only
@test "callbacks and threads of C, Go 1.24" { callbacks 1.24; }
# bats test_tags=soak-only
@test "callbacks and threads of C, Go 1.25" { callbacks 1.25; }
# bats test_tags=soak-only
@test "callbacks and threads of C, Go 1.26" { callbacks 1.26; }
# bats test_tags=inline
@test "callbacks and threads of C, Go 1.27" { callbacks 1.27; }
# end of releases

# The runtime's own trace of Go's cgo-callback program, which traces itself, beside gotap's. Stacks are not held
# against gotap's here: inside a callback the runtime unwinds across C (m.hasCgoOnStack), by tables; frame pointers, by
# which gotap walks, end at crosscall2.
# bats test_tags=inline
@test "a program with callbacks looks as in the runtime's own trace" {
	require_go "$REFERENCE_GO"
	(cd "$BATS_TEST_TMPDIR" && cp "${GO%/bin/go}/src/internal/trace/testdata/testprog/cgo-callback.go" . &&
		CGO_ENABLED=1 GOFLAGS='' GOPROXY=off "$GO" build cgo-callback.go)
	# Its own trace is what it writes to stdout.
	recorded "$BATS_TEST_TMPDIR/gt.trace" -- sh -c 'exec "$0" >"$1"' "$BATS_TEST_TMPDIR/cgo-callback" "$BATS_TEST_TMPDIR/rt.trace"
	same_trace -margin 0 -min-steps 20 -min-stacks 0 "$BATS_TEST_TMPDIR/rt.trace" "$BATS_TEST_TMPDIR/gt.trace"
}
