#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The trace is as long as the recording, also of a program that does nothing: it ends with a generation that restates
# every goroutine and P at the time of the end.

load lib/common
load lib/record

setup() { require_root; }

teardown() {
	[ -z "${TARGET:-}" ] || kill -CONT "$TARGET" 2>/dev/null || true
	stop_targets
}

# lasts FROM TO TRACE: from the first to the last event, in seconds, by Go's reader.
lasts() {
	oracle "$REFERENCE_GO"
	succeeds "$ORACLE/check" -views "$3"
	[[ $output =~ \ ms=([0-9.]+) ]] || fail "it has no duration"
	awk -v ms="${BASH_REMATCH[1]}" -v from="$1" -v to="$2" 'BEGIN { exit !(ms >= from * 1000 && ms <= to * 1000) }' ||
		fail "it lasts ${BASH_REMATCH[1]} ms, not $1 to $2 s"
}

@test "an idle program: in every header, for every reader" {
	build_prog 1.27 idle
	start_target "$PROG"
	for header in 22 23 25 26; do
		recorded "$BATS_TEST_TMPDIR/$header.trace" --format "go1.$header" -d 600ms -p "$TARGET"
		lasts 0.55 60 "$BATS_TEST_TMPDIR/$header.trace"
		[ "$(count_of "$BATS_TEST_TMPDIR/$header.trace" 'Metric')" -ge 1 ]	# GOMAXPROCS
	done
	readable_from 1.22 "$BATS_TEST_TMPDIR/22.trace"
	readable_from 1.23 "$BATS_TEST_TMPDIR/23.trace"
	readable_from 1.25 "$BATS_TEST_TMPDIR/25.trace"
	readable_from 1.26 "$BATS_TEST_TMPDIR/26.trace"
}

# Not --strict: a thread that was stopped in Go's code may be behind a probe's place, which the report counts (unsettled).
@test "a program that is stopped (SIGSTOP)" {
	build_prog 1.27 pingpong
	start_target "$PROG"
	kill -STOP "$TARGET"
	record "$BATS_TEST_TMPDIR/x.trace" -d 600ms -p "$TARGET"
	[ "$status" -eq 0 ]
	[ "$(reported lost)" -eq 0 ]
	[ "$(reported repairs_total)" -eq 0 ]
	lasts 0.55 60 "$BATS_TEST_TMPDIR/x.trace"
}

@test "one that hangs and then exits, or execs" {
	build_prog 1.27 idle
	for end in exit exec; do
		recorded "$BATS_TEST_TMPDIR/$end.trace" -- "$PROG" -after 700ms -then $end
		lasts 0.65 60 "$BATS_TEST_TMPDIR/$end.trace"
	done
}

@test "assembled again, it is as long" {
	build_prog 1.27 idle
	start_target "$PROG"
	recorded "$BATS_TEST_TMPDIR/x.trace" -d 600ms -p "$TARGET" --spool "$BATS_TEST_TMPDIR/x.spool"
	succeeds "$GOTAP" assemble -o "$BATS_TEST_TMPDIR/again.trace" "$BATS_TEST_TMPDIR/x.spool"
	lasts 0.55 60 "$BATS_TEST_TMPDIR/again.trace"
	cmp "$BATS_TEST_TMPDIR/x.trace" "$BATS_TEST_TMPDIR/again.trace"
}
